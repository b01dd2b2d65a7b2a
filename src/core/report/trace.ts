import type { Confidence, ObjectRef, Stage, Status, Unread } from './report.ts';
import type { Source } from '../kube/snapshot.ts';

export type LinkRole =
  | 'pod'
  | 'claim'
  | 'class'
  | 'volume'
  | 'attachment'
  | 'node'
  | 'registration'
  | 'nodePlugin'
  | 'driver'
  | 'provisioner'
  | 'attacher'
  | 'resizer'
  | 'snapshotter'
  | 'snapshotController'
  | 'snapshot'
  | 'content'
  | 'snapshotClass';

/**
 * ok: as it should be. pending: incomplete, or in progress. failed: its own state shows an error. missing: it should
 * exist. unneeded: this volume works without it.
 */
export type LinkState = 'ok' | 'pending' | 'failed' | 'missing' | 'unneeded' | 'unknown';

/** One object on the way from the pod to the driver. */
export interface TraceLink {
  readonly role: LinkRole;
  /** Absent if it cannot be determined which object it is. */
  readonly object?: ObjectRef;
  readonly state: LinkState;
  readonly summary: string;
  readonly notes?: readonly string[];
  /** The verdict points here. */
  readonly isBroken?: true;
}

/** exact: to the second, by the clock of the component that wrote it. latest: it happened then or earlier. */
export type Certainty = 'exact' | 'latest';

/** Something that one component did. */
export interface TraceMoment {
  readonly at: string;
  /** Seconds since the start of the trace. */
  readonly offset: number;
  readonly certainty: Certainty;
  readonly component: string;
  readonly object: ObjectRef;
  readonly what: string;
  /** The component's own words. */
  readonly said?: string;
  readonly isTrouble?: true;
  /** Shown only in detailed output. */
  readonly isMinor?: true;
  /** More than one: it was repeated, for the last time at `until`. */
  readonly count?: number;
  readonly until?: string;
  /** Where it is written: a field, `managedFields MANAGER`, `event REASON`. */
  readonly sources: readonly string[];
}

/** A period without any record, and the component that had to act next. */
export interface TraceGap {
  readonly from: string;
  readonly to: string;
  readonly seconds: number;
  readonly waitedFor?: string;
  /** An event was repeated meanwhile. */
  readonly isNoisy?: true;
  /** It lasts to this day. */
  readonly isOpen?: true;
}

/** done: has ended. open: still running. idle: no component had to act. unreached, unneeded: it has no time. */
type SpanState = 'done' | 'open' | 'idle' | 'unreached' | 'unneeded';

/** A stage and its time; two stages share one span if no record shows where the first one ended. */
export interface TraceSpan {
  readonly stages: readonly string[];
  readonly state: SpanState;
  readonly from?: string;
  readonly to?: string;
  readonly seconds?: number;
  /** The part of its time in which a component had to act. */
  readonly percent?: number;
  readonly certainty?: Certainty;
  readonly note?: string;
}

/** Where the time of one claim or snapshot went. */
export interface TraceAccount {
  readonly object: ObjectRef;
  /** The pod that the last stages are about. */
  readonly pod?: ObjectRef;
  readonly seconds: number;
  readonly spans: readonly TraceSpan[];
}

export interface TraceVerdict {
  readonly status: Status;
  /** The word kubectl shows for the target. */
  readonly phase?: string;
  readonly stage?: Stage;
  /** When that stage began. */
  readonly since?: string;
  readonly cause?: string;
  readonly confidence?: Confidence;
  readonly summary: string;
  /** How to see the evidence and the fix. */
  readonly command: string;
}

export interface Trace {
  readonly apiVersion: 'csi.kubectl.dev/v1';
  readonly kind: 'Trace';
  readonly takenAt: string;
  readonly source: Source;
  readonly target: ObjectRef;
  readonly verdict: TraceVerdict;
  readonly chain: readonly TraceLink[];
  /** What the offsets count from; absent where no object has a time. */
  readonly start?: { readonly at: string; readonly object: ObjectRef };
  readonly timeline: readonly TraceMoment[];
  readonly gaps: readonly TraceGap[];
  readonly accounts: readonly TraceAccount[];
  /** No event about any of these objects was found, although events were searched. */
  readonly isWithoutEvents?: true;
  readonly unread: readonly Unread[];
}
