import type { clusterFailures, ProbeFailure, ProbeStage } from '../../core/report/probe-report.ts';

/** Failures that a probe on this machine can end in; the others belong to ways into a cluster. */
export type LocalFailure = Exclude<ProbeFailure, (typeof clusterFailures)[number]>;

/** What went wrong, before it is put in words. */
export interface Problem {
  readonly failure: LocalFailure;
  /** The particular circumstance, as a half sentence. */
  readonly detail?: string;
  /** Where it showed, if not where it usually does. */
  readonly stage?: ProbeStage;
  /** The call that it happened in. */
  readonly method?: string;
  /** The name of the gRPC status that the driver sent. */
  readonly code?: string;
  /** The driver's own words. */
  readonly message?: string;
}

/** Neither healthy nor proven broken: we could not look. */
export interface Doubt {
  readonly doubt: string;
}

export const isDoubt = (outcome: Problem | Doubt): outcome is Doubt => 'doubt' in outcome;
