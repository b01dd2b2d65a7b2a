import { openSeveral, refuseNoAnswer, sayUnread } from '../../../cli/contexts/open-several.ts';
import { exitCodeOfStatus } from '../../../cli/exit-codes.ts';
import type { ExitCode } from '../../../cli/exit-codes.ts';
import type { ClusterSource } from '../../../cli/open-source.ts';
import { renderDocument } from '../../../cli/render.ts';
import type { Status } from '../../../core/report/status.ts';
import { readContexts } from '../../../core/survey/contexts/context-answer.ts';
import { mergeStatus } from '../../../core/survey/contexts/merge-status.ts';
import { isDocumentFormat } from '../../../terminal/document-format.ts';
import { print, stdoutScreen } from '../../../terminal/output.ts';
import type { EndOf } from '../../../terminal/screen.ts';
import type { StatusParts } from '../../../terminal/status/contexts.ts';
import type { StatusFlags } from '../run.ts';

/** `status` of several clusters; undefined if the flags name one after all. */
export async function statusOfSeveral(
  flags: StatusFlags,
  read: (source: ClusterSource, commandEnd: string) => Promise<Status>,
): Promise<ExitCode | undefined> {
  const several = await openSeveral(flags, true);
  if (several === undefined) return undefined;
  const answers = await several.ask(async (source, context) => ({
    document: await read(source, several.isDump ? several.endOf(context) : ''),
  }));
  await refuseNoAnswer(answers, several.isDump);
  const status = mergeStatus(answers, several);
  await print(await renderSeveral({ status, parts: readContexts(answers) }, flags, several.endOf));
  await sayUnread(answers, flags.output);
  return exitCodeOfStatus(status);
}

async function renderSeveral(found: StatusParts, { output, color }: StatusFlags, endOf: EndOf): Promise<string> {
  if (isDocumentFormat(output)) return renderDocument(found.status, output);
  if (output === 'html') return (await import('../../../html/status/page.ts')).renderContextsPage(found);
  const { renderContextsText } = await import('../../../terminal/status/contexts.ts');
  return renderContextsText(found, { ...stdoutScreen(color), wide: output === 'wide', endOf });
}
