import { readSentences } from '../../../cli/cause-pages.ts';
import { exitCodes } from '../../../cli/exit-codes.ts';
import type { ExitCode } from '../../../cli/exit-codes.ts';
import { renderDocument } from '../../../cli/render.ts';
import { explainOnly } from '../../../core/causes/explain-only.ts';
import { everyRule } from '../../../core/causes/index.ts';
import { UserError } from '../../../core/kube/errors.ts';
import { isDocumentFormat } from '../../../terminal/document-format.ts';
import { complain, print, stdoutScreen } from '../../../terminal/output.ts';
import { answerText } from '../answer.ts';
import type { MessageReport } from '../answer.ts';
import type { ExplainFlags } from '../run.ts';
import { readMessage } from './read-message.ts';

/**
 * `explain` of a text, from its source to its exit code: a text that nothing explains proves nothing, so it is
 * inconclusive.
 */
export async function explainText(word: string | undefined, flags: ExplainFlags): Promise<ExitCode> {
  if (flags.output === 'markdown')
    throw new UserError('-o markdown prints the page of a cause', 'Pass the id of a cause, or use -o text or -o json');
  const message = await readMessage(word, flags.message);
  const stages = new Map([...everyRule(), ...explainOnly].map(({ cause, stage }) => [cause, stage]));
  const report = answerText(message, { stages, sentences: readSentences() });
  if (flags.output === 'name' && report.items.length === 0) await complain('No known cause matches the text.');
  else await print(await render(report, flags));
  return report.items.length > 0 ? exitCodes.ok : exitCodes.inconclusive;
}

async function render(report: MessageReport, { output, color }: ExplainFlags): Promise<string> {
  if (output === 'name') return report.items.map(({ cause }) => `${cause}\n`).join('');
  if (isDocumentFormat(output)) return renderDocument(report, output);
  const { renderMessageReport } = await import('../message-text.ts');
  return renderMessageReport(report, { ...stdoutScreen(color), wide: output === 'wide' });
}
