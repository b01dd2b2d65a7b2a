import { checkReportOf } from '../../core/report/check.ts';
import type { BaselineEntry, CheckReport, CheckSurvey, FailOn } from '../../core/report/check.ts';
import { applyBaseline } from './baseline.ts';
import { applyIgnores } from './ignores.ts';
import type { IgnoreEntry } from './ignores.ts';

/** Which findings count. */
export interface Yardstick {
  readonly failOn: FailOn;
  readonly ignores: readonly IgnoreEntry[];
  readonly baseline: readonly BaselineEntry[] | undefined;
}

/** The findings of a survey, measured with the yardstick. */
export function judgeFindings(survey: CheckSurvey, { failOn, ignores, baseline }: Yardstick): CheckReport {
  const { findings: unignored, unused } = applyIgnores(survey.findings, ignores);
  const { findings, gone } =
    baseline === undefined ? { findings: unignored, gone: [] } : applyBaseline(unignored, baseline);
  // An entry is gone only if its namespace was searched and it was not found there.
  const isGone = ({ namespace }: BaselineEntry): boolean =>
    survey.isSearched && (survey.namespace === undefined || namespace === survey.namespace);
  return checkReportOf(survey, { failOn, findings, unusedIgnores: unused, gone: gone.filter(isGone) });
}
