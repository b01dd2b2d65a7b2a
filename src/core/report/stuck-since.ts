import type { ReportItem } from './report.ts';

/**
 * Since when the target has been at the stage that decides; where no stage has a time, that of the oldest evidence for
 * the cause.
 */
export function stuckSince({ stage, stages, findings }: ReportItem): string | undefined {
  const deciding = stages.find((row) => row.stage === stage && row.since !== undefined && row.state !== 'passed');
  if (deciding?.since !== undefined) return deciding.since;
  const evidence = findings.find(({ role }) => role === 'cause')?.evidence ?? [];
  return evidence.flatMap(({ at }) => at ?? []).toSorted()[0];
}
