import type { Stage } from '../../core/report/report.ts';
import { readSentences } from '../../cli/cause-pages.ts';
import { exitCodes } from '../../cli/exit-codes.ts';
import type { ExitCode } from '../../cli/exit-codes.ts';
import { print, screenOf } from '../../terminal/output.ts';
import type { ColourChoice } from '../../terminal/output.ts';

export const stages: readonly Stage[] = [
  'claim',
  'provision',
  'bind',
  'schedule',
  'attach',
  'mount',
  'expand',
  'modify',
  'snapshot',
  'delete',
];

interface CauseRow {
  readonly cause: string;
  readonly stage: string;
  readonly severity: string;
  readonly summary: string;
}

/** Verdicts of the engine itself: no rule stands behind them, and any stage may end in them. */
const verdictsOfEveryStage: Readonly<Record<string, string>> = {
  'blocked-unexplained': 'blocking',
  'in-progress': 'info',
};

interface ListFlags {
  readonly stage?: string | undefined;
  readonly output: 'text' | 'wide' | 'json' | 'name';
  readonly 'no-headers': boolean;
  readonly color: string;
}

export async function listCauses(flags: ListFlags): Promise<ExitCode> {
  const rows = (await allCauses()).filter((row) => flags.stage === undefined || row.stage === flags.stage);
  if (flags.output === 'json')
    await print(JSON.stringify({ apiVersion: 'csi.kubectl.dev/v1', kind: 'CauseList', items: rows }, null, 2));
  else if (flags.output === 'name') await print(rows.map((row) => `${row.cause}\n`).join(''));
  else {
    const { renderCauseList } = await import('./text.ts');
    const screen = screenOf(flags.color as ColourChoice, process.env, process.stdout);
    await print(
      renderCauseList(rows, {
        ...screen,
        width: flags.output === 'wide' ? Number.MAX_SAFE_INTEGER : screen.width,
        headers: !flags['no-headers'],
      }),
    );
  }
  return exitCodes.ok;
}

async function allCauses(): Promise<CauseRow[]> {
  const { everyRule } = await import('../../core/causes/index.ts');
  const { explainOnly } = await import('../../core/causes/explain-only.ts');
  const sentences = readSentences();
  const known = [
    ...[...everyRule(), ...explainOnly].map(({ cause, stage, severity }) => ({
      cause,
      stage: stage as string,
      severity: severity as string,
    })),
    ...Object.entries(verdictsOfEveryStage).map(([cause, severity]) => ({ cause, stage: 'any', severity })),
  ];
  const distinct = [...new Map(known.map((row) => [row.cause, row])).values()];
  const order = (row: { readonly stage: string }): number =>
    row.stage === 'any' ? stages.length : stages.indexOf(row.stage as Stage);
  const sorted = distinct.sort((a, b) => order(a) - order(b) || a.cause.localeCompare(b.cause, 'en'));
  return sorted.map((row) => ({ ...row, summary: sentences.get(row.cause) ?? '' }));
}
