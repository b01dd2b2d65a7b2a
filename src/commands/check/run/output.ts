import { addToJobSummary, writeJunitFile } from '../../../cli/ci-files.ts';
import { exitCodes } from '../../../cli/exit-codes.ts';
import type { ExitCode } from '../../../cli/exit-codes.ts';
import { renderDocument } from '../../../cli/render.ts';
import { ownChecks } from '../../../core/report/check.ts';
import type { CheckReport } from '../../../core/report/check.ts';
import { isDocumentFormat } from '../../../terminal/document-format.ts';
import { complain, print, stdoutScreen } from '../../../terminal/output.ts';
import type { EndOf } from '../../../terminal/screen.ts';
import type { CheckFormat } from '../format.ts';

interface CheckLook {
  readonly output: CheckFormat;
  readonly color: string;
  readonly endOf?: EndOf;
}

export async function renderCheck(report: CheckReport, { output, color, endOf }: CheckLook): Promise<string> {
  if (isDocumentFormat(output)) return renderDocument(report, output);
  switch (output) {
    case 'text':
    case 'wide':
      return (await import('../text.ts')).renderCheckText(report, {
        ...stdoutScreen(color),
        wide: output === 'wide',
        ...(endOf && { endOf }),
      });
    case 'junit':
      return (await import('../junit.ts')).renderCheckJunit(report);
    case 'github':
      return (await import('../github.ts')).renderCheckGithub(report);
    case 'markdown':
      return (await import('../markdown.ts')).renderCheckMarkdown(report);
    case 'html':
      return (await import('../../../html/check/page.ts')).renderCheckPage(report);
    case 'prometheus':
      return (await import('../prometheus.ts')).renderCheckPrometheus(report);
    case 'name':
      return (await import('../name.ts')).renderCheckName(report);
  }
}

/**
 * What goes elsewhere than standard output: ignore entries without effect, a JUnit file, and the job summary that
 * GitHub shows.
 */
export async function announceCheck(
  report: CheckReport,
  { output, 'junit-file': junitFile }: CheckLook & { readonly 'junit-file'?: string | undefined },
): Promise<void> {
  const { sanitise } = await import('../../../terminal/sanitise.ts');
  for (const entry of report.unusedIgnores) await complain(sanitise(`${entry} ignores nothing and can be removed`));
  if (junitFile !== undefined) await writeJunitFile(junitFile, (await import('../junit.ts')).renderCheckJunit(report));
  if (output === 'github') await addToJobSummary((await import('../markdown.ts')).renderCheckMarkdown(report));
}

/** `check --list`. */
export async function printChecks({ output, color }: CheckLook): Promise<ExitCode> {
  await print(await renderChecks(output, color));
  return exitCodes.ok;
}

async function renderChecks(output: CheckFormat, color: string): Promise<string> {
  if (output === 'name') return ownChecks.map(({ id }) => `${id}\n`).join('');
  if (isDocumentFormat(output))
    return renderDocument({ apiVersion: 'csi.kubectl.dev/v1', kind: 'CheckList', items: ownChecks }, output);
  const { renderCheckList } = await import('../list.ts');
  return renderCheckList(ownChecks, stdoutScreen(color));
}
