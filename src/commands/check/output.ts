import { appendFile } from 'node:fs/promises';
import { ownChecks } from '../../core/report/check.ts';
import type { CheckReport } from '../../core/report/check.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { complain, print, screenOf } from '../../terminal/output.ts';
import type { ColourChoice } from '../../terminal/output.ts';

export const checkFormats = [
  'text',
  'wide',
  'json',
  'yaml',
  'name',
  'junit',
  'github',
  'markdown',
  'prometheus',
] as const;
export type CheckFormat = (typeof checkFormats)[number];

interface CheckLook {
  readonly output: CheckFormat;
  readonly color: string;
}

export async function renderCheck(report: CheckReport, { output, color }: CheckLook): Promise<string> {
  switch (output) {
    case 'text':
    case 'wide':
      return (await import('./text.ts')).renderCheckText(report, {
        ...screenOf(color as ColourChoice, process.env, process.stdout),
        wide: output === 'wide',
      });
    case 'junit':
      return (await import('./junit.ts')).renderCheckJunit(report);
    case 'github':
      return (await import('./github.ts')).renderCheckGithub(report);
    case 'markdown':
      return (await import('./markdown.ts')).renderCheckMarkdown(report);
    case 'prometheus':
      return (await import('./prometheus.ts')).renderCheckPrometheus(report);
    case 'name':
      return (await import('./name.ts')).renderCheckName(report);
    case 'json':
      return (await import('../../terminal/structured.ts')).renderJson(report);
    case 'yaml':
      return (await import('../../terminal/structured.ts')).renderYaml(report);
  }
}

/** What goes beside the data: entries that do nothing, and the page that GitHub shows for a job. */
export async function announceCheck(report: CheckReport, { output }: CheckLook): Promise<void> {
  const { sanitise } = await import('../../terminal/sanitise.ts');
  for (const entry of report.unusedIgnores) await complain(sanitise(`nothing is ignored by ${entry}: it can go`));
  const page = process.env['GITHUB_STEP_SUMMARY'];
  if (output !== 'github' || !page) return;
  const { renderCheckMarkdown } = await import('./markdown.ts');
  await appendFile(page, renderCheckMarkdown(report)).catch((error: unknown) =>
    complain(sanitise(`the summary of the job cannot be written: ${(error as Error).message}`)),
  );
}

/** `check --list`. */
export async function printChecks({ output, color }: CheckLook): Promise<ExitCode> {
  if (output === 'json' || output === 'yaml') {
    const { renderJson, renderYaml } = await import('../../terminal/structured.ts');
    const list = { apiVersion: 'csi.kubectl.dev/v1', kind: 'CheckList', items: ownChecks };
    await print(output === 'json' ? renderJson(list) : await renderYaml(list));
  } else if (output === 'name') await print(ownChecks.map(({ id }) => `${id}\n`).join(''));
  else
    await print(
      (await import('./list.ts')).renderCheckList(
        ownChecks,
        screenOf(color as ColourChoice, process.env, process.stdout),
      ),
    );
  return exitCodes.ok;
}
