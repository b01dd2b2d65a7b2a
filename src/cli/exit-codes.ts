import type { Report } from '../core/report/report.ts';

export const exitCodes = {
  ok: 0,
  blocked: 1,
  usage: 2,
  inconclusive: 3,
  failed: 4,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Something blocked outweighs something that could not be judged, because it is proven. */
export function exitCodeOf(report: Report): ExitCode {
  if (report.summary.blocked > 0) return exitCodes.blocked;
  return report.summary.unknown > 0 || (report.unread ?? []).length > 0 ? exitCodes.inconclusive : exitCodes.ok;
}
