import { explainOnly } from '../../core/causes/explain-only.ts';
import { everyRule } from '../../core/causes/index.ts';
import type { Stage } from '../../core/report/report.ts';
import { stages } from './stages.ts';

export interface CauseRow {
  readonly cause: string;
  readonly stage: string;
  /** All stages that the cause can stop: a provisioner that does not run neither creates nor deletes. */
  readonly stages: readonly string[];
  readonly severity: string;
  readonly summary: string;
}

/** Verdicts of the engine: they belong to no rule, and any stage may end in them. */
const engineVerdicts: Readonly<Record<string, string>> = {
  'blocked-unexplained': 'blocking',
  'in-progress': 'info',
};

/** All causes by stage and name, each with the first sentence of its page. */
export function allCauses(sentences: ReadonlyMap<string, string>): CauseRow[] {
  const known = [
    ...[...everyRule(), ...explainOnly].map(({ cause, stage, severity }) => ({
      cause,
      stage: stage as string,
      severity: severity as string,
    })),
    ...Object.entries(engineVerdicts).map(([cause, severity]) => ({ cause, stage: 'any', severity })),
  ];
  const stagesOf = Map.groupBy(known, ({ cause }) => cause);
  const distinct = [...new Map(known.map((row) => [row.cause, row])).values()].map(({ cause, stage, severity }) => ({
    cause,
    stage,
    stages: inOrder((stagesOf.get(cause) ?? []).map((row) => row.stage)),
    severity,
    summary: sentences.get(cause) ?? '',
  }));
  return distinct.sort((a, b) => rank(a.stages) - rank(b.stages) || a.cause.localeCompare(b.cause, 'en'));
}

function inOrder(found: readonly string[]): string[] {
  const known: readonly string[] = [...stages, 'any'];
  return known.filter((stage) => found.includes(stage));
}

/** By the first stage. */
function rank([first]: readonly string[]): number {
  return first === undefined || first === 'any' ? stages.length : stages.indexOf(first as Stage);
}

/** The causes whose id or page has all the words; those that name them in the id or the first sentence come first. */
export function findCauses(
  rows: readonly CauseRow[],
  pages: ReadonlyMap<string, string>,
  wanted: string,
): readonly CauseRow[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const holds = (text: string): boolean => words.every((word) => text.toLowerCase().includes(word));
  const isAbout = ({ cause, summary }: CauseRow): boolean => holds(`${cause} ${summary}`);
  const isMentioned = (row: CauseRow): boolean => !isAbout(row) && holds(`${row.cause} ${pages.get(row.cause) ?? ''}`);
  return words.length === 0 ? [] : [...rows.filter(isAbout), ...rows.filter(isMentioned)];
}
