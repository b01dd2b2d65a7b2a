import { UserError } from '../model/errors.ts';
import { firstSentence, readCausePage } from './cause-pages.ts';
import { exitCodes } from './exit-codes.ts';
import type { ExitCode } from './exit-codes.ts';
import { print, screenOf } from './output.ts';
import type { ColourChoice } from './output.ts';

export async function explainCause(cause: string | undefined, flags: { readonly output: 'text' | 'markdown' | 'json'; readonly color: string }): Promise<ExitCode> {
  if (cause === undefined) throw new UserError('explain needs the id of a cause', 'kubectl csi causes lists them all');
  const page = await readCausePage(cause);
  if (flags.output === 'markdown') await print(page.markdown);
  else if (flags.output === 'json') {
    await print(JSON.stringify({ apiVersion: 'csi.kubectl.dev/v1', kind: 'CausePage', cause, summary: firstSentence(page.markdown), markdown: page.markdown }, null, 2));
  } else {
    const { renderExplain } = await import('../report/explain.ts');
    await print(renderExplain(page.markdown, screenOf(flags.color as ColourChoice, process.env, process.stdout)));
  }
  return exitCodes.ok;
}
