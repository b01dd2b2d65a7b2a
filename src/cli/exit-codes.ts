import type { CheckReport } from '../core/report/check.ts';
import type { PreflightReport } from '../core/report/preflight.ts';
import type { Report } from '../core/report/report.ts';
import type { Status } from '../core/report/status.ts';
import type { WhatIfReport } from '../core/report/what-if.ts';

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

/**
 * A dump without descriptive kinds leaves no verdict open; a dump without claims or pods does, and so does a refusal.
 */
export function exitCodeOfStatus({ summary, isSearched }: Status): ExitCode {
  if (summary.blocked > 0) return exitCodes.blocked;
  return summary.unknown > 0 || !isSearched ? exitCodes.inconclusive : exitCodes.ok;
}

export function exitCodeOfCheck({ result }: CheckReport): ExitCode {
  if (result === 'failed') return exitCodes.blocked;
  return result === 'inconclusive' ? exitCodes.inconclusive : exitCodes.ok;
}

export function exitCodeOfPreflight({ summary }: PreflightReport): ExitCode {
  if (summary.wouldFail > 0) return exitCodes.blocked;
  return summary.unknown > 0 ? exitCodes.inconclusive : exitCodes.ok;
}

export function exitCodeOfWhatIf({ verdict }: WhatIfReport): ExitCode {
  if (verdict === 'breaks') return exitCodes.blocked;
  return verdict === 'unknown' ? exitCodes.inconclusive : exitCodes.ok;
}
