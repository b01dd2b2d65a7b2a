import { UserError } from '../../core/kube/errors.ts';
import { firstSentence, readCausePage } from '../../cli/cause-pages.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { print, screenOf } from '../../terminal/output.ts';
import type { ColourChoice } from '../../terminal/output.ts';

export async function explainCause(
  cause: string | undefined,
  flags: { readonly output: 'text' | 'markdown' | 'json'; readonly color: string },
): Promise<ExitCode> {
  if (cause === undefined) throw new UserError('explain needs the id of a cause', 'kubectl csi causes lists them all');
  const page = await readCausePage(cause);
  if (flags.output === 'markdown') await print(page.markdown);
  else if (flags.output === 'json') {
    await print(
      JSON.stringify(
        {
          apiVersion: 'csi.kubectl.dev/v1',
          kind: 'CausePage',
          cause,
          summary: firstSentence(page.markdown),
          markdown: page.markdown,
        },
        null,
        2,
      ),
    );
  } else {
    const { renderExplain } = await import('./text.ts');
    await print(renderExplain(page.markdown, screenOf(flags.color as ColourChoice, process.env, process.stdout)));
  }
  return exitCodes.ok;
}
