import type { Kind } from '../kube/kinds.ts';
import type { ObjectRef, ReportItem } from './report.ts';
import type { TargetRef } from '../kube/selection.ts';
import type { Source } from '../kube/snapshot.ts';

export const goals = ['bound', 'attached', 'mounted', 'resized', 'ready', 'deleted'] as const;
export type Goal = (typeof goals)[number];

/** The goals of each kind, the usual one first. A bare name is of the first kind. */
export const goalsByKind = {
  PersistentVolumeClaim: ['bound', 'attached', 'mounted', 'resized', 'deleted'],
  Pod: ['mounted', 'attached', 'ready', 'deleted'],
  PersistentVolume: ['bound', 'deleted'],
  VolumeAttachment: ['attached', 'deleted'],
  VolumeSnapshot: ['ready', 'deleted'],
  VolumeSnapshotContent: ['ready', 'deleted'],
  VolumeGroupSnapshot: ['ready', 'deleted'],
  VolumeGroupSnapshotContent: ['ready', 'deleted'],
  Namespace: ['deleted'],
} as const satisfies Partial<Record<Kind, readonly [Goal, ...Goal[]]>>;
export type WaitableKind = keyof typeof goalsByKind;

/** One object and the state that it has to reach. */
export interface Wish {
  readonly target: TargetRef;
  readonly goal: Goal;
  /** The object whose deletion is awaited. An object of the same name that is created later is another one. */
  readonly uid?: string;
}

/** How far a target is from what it has to become, from object state alone. */
export interface GoalState {
  readonly state: 'reached' | 'open' | 'absent' | 'unknown';
  /** What is not so yet, as a sentence about the target. */
  readonly note: string;
  readonly uid?: string;
  readonly isTerminating?: true;
  /** Nothing continues until a person does this. */
  readonly waitsForSomeone?: true;
  /** Object state alone proves that the goal will not be reached. */
  readonly isOver?: true;
  /** Reached according to the kubelet, although something contradicts it: the diagnosis decides. */
  readonly isDoubtful?: boolean;
  /** The server refuses access to what would show the state. */
  readonly isRefused?: true;
}

/**
 * reached: done. lasting: only a change by a person helps. blocked: it may still resolve automatically. someone: by
 * design it waits for a person to act. waiting: in progress. absent: does not exist yet. unknown: cannot be determined.
 */
export type Prospect = 'reached' | 'lasting' | 'blocked' | 'someone' | 'waiting' | 'absent' | 'unknown';

export interface WaitState {
  readonly wish: Wish;
  readonly prospect: Prospect;
  readonly stage?: string;
  readonly cause?: string;
  readonly summary: string;
  /** Since when the stage is open. */
  readonly since?: string;
  readonly uid?: string;
  /** Waiting longer will not make it readable. */
  readonly isRefused?: true;
  /** The diagnosis of what is not reached. */
  readonly item?: ReportItem;
}

export type WaitResult = 'reached' | 'unreachable' | 'timeout' | 'inconclusive';

export interface WaitItem {
  readonly target: ObjectRef;
  readonly goal: Goal;
  readonly state: 'reached' | 'unreachable' | 'waiting' | 'absent' | 'unknown';
  readonly summary: string;
  /** As in the report of `why`. */
  readonly explanation?: ReportItem;
}

export interface WaitReport {
  readonly apiVersion: 'csi.kubectl.dev/v1';
  readonly kind: 'WaitReport';
  readonly takenAt: string;
  readonly source: Source;
  readonly result: WaitResult;
  readonly waitedSeconds: number;
  readonly items: readonly WaitItem[];
  readonly summary: { readonly reached: number; readonly unreached: number };
}
