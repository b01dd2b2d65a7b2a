import { UserError } from '../../core/kube/errors.ts';
import { firstSentence, readCausePage } from '../../cli/cause-pages.ts';
import type { CausePage } from '../../cli/cause-pages.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { renderDocument } from '../../cli/render.ts';
import { isDocumentFormat } from '../../terminal/document-format.ts';
import type { DocumentFormat } from '../../terminal/document-format.ts';
import { print, stdoutScreen } from '../../terminal/output.ts';

interface ExplainFlags {
  readonly output: 'text' | 'markdown' | DocumentFormat;
  readonly color: string;
}

/** `explain` from its word and flags to its exit code. */
export async function explainCause(cause: string | undefined, flags: ExplainFlags): Promise<ExitCode> {
  if (cause === undefined)
    throw new UserError('the id of a cause is missing', 'Run kubectl csi causes to list them all');
  await print(await renderPage(await readCausePage(cause), flags));
  return exitCodes.ok;
}

async function renderPage({ cause, markdown }: CausePage, { output, color }: ExplainFlags): Promise<string> {
  if (output === 'markdown') return markdown;
  if (isDocumentFormat(output)) {
    const summary = firstSentence(markdown);
    return renderDocument({ apiVersion: 'csi.kubectl.dev/v1', kind: 'CausePage', cause, summary, markdown }, output);
  }
  const { renderExplain } = await import('./text.ts');
  return renderExplain(markdown, stdoutScreen(color));
}
