import type { clusterFailures, ProbeFailure, ProbeStage } from '../../core/report/probe-report.ts';

/** Failures of a probe on this machine; the others belong to ways into a cluster. */
export type LocalFailure = Exclude<ProbeFailure, (typeof clusterFailures)[number]>;

/** What went wrong, before it is put into words. */
export interface Problem {
  readonly failure: LocalFailure;
  /** The particular circumstance, as a half sentence. */
  readonly detail?: string;
  /** The stage, if not the usual one. */
  readonly stage?: ProbeStage;
  /** The call in which it happened. */
  readonly method?: string;
  /** The name of the gRPC status that the driver sent. */
  readonly code?: string;
  /** The driver's own message. */
  readonly message?: string;
}

/** Neither healthy nor proven broken: it could not be checked. */
export interface Doubt {
  readonly doubt: string;
}

export const isDoubt = (outcome: Problem | Doubt): outcome is Doubt => 'doubt' in outcome;
