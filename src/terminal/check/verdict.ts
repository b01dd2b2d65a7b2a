import type { CheckReport, CheckResult } from '../../core/report/check.ts';
import { countWords } from './groups.ts';
import type { StageState } from '../../core/report/report.ts';

export const resultGlyph: Readonly<Record<CheckResult, StageState>> = {
  passed: 'passed',
  failed: 'blocked',
  inconclusive: 'unknown',
};

/** The last line of every format that people read: the result, and the counts. */
export function verdictWords({ result, summary, failOn, gone, source }: CheckReport): string {
  const unread = (source.contexts ?? []).filter(({ status }) => status === 'unread').length;
  const counts = countWords([
    [summary.blocking, 'blocking'],
    [summary.warning, 'warning', 'warnings'],
    [summary.unknown, 'not known'],
    [summary.info, 'waiting'],
    [summary.ignored, 'ignored'],
    [summary.known, 'in the baseline'],
    [gone.length, 'of the baseline resolved'],
    [summary.healthy, 'claim healthy', 'claims healthy'],
    [unread, 'cluster could not be read', 'clusters could not be read'],
  ]);
  const reason =
    result === 'inconclusive'
      ? `nothing ${failOn === 'warning' ? 'wrong' : 'blocking'} was found, but not everything could be read or judged`
      : '';
  return [
    `${result}:`,
    [reason, counts].filter((words) => words !== '').join('; ') || 'there is nothing to check',
  ].join(' ');
}
