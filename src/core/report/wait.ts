import type { Kind } from '../kube/kinds.ts';
import type { ObjectRef, ReportItem } from './report.ts';
import type { TargetRef } from '../kube/selection.ts';
import type { Source } from '../kube/snapshot.ts';

export const goals = ['bound', 'attached', 'mounted', 'resized', 'ready', 'deleted'] as const;
export type Goal = (typeof goals)[number];

/** What each kind can become, the usual wish first; a bare name is of the first kind. */
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

/** One thing, and what it has to become. */
export interface Wish {
  readonly target: TargetRef;
  readonly goal: Goal;
  /** Whom a wait for deletion is about: a namesake that comes after it is somebody else. */
  readonly uid?: string;
}

/** How far a target is from what it has to become, from object state alone. */
export interface GoalState {
  readonly state: 'reached' | 'open' | 'absent' | 'unknown';
  /** What is not so yet, as a sentence about the target. */
  readonly note: string;
  readonly uid?: string;
  readonly isTerminating?: true;
  /** Nothing goes on before somebody does this. */
  readonly waitsForSomeone?: true;
  /** Object state alone says that it comes to nothing. */
  readonly isOver?: true;
  /** Reached by the kubelet's word, though something speaks against it: the diagnosis decides. */
  readonly isDoubtful?: boolean;
  /** The server refuses to show what tells. */
  readonly isRefused?: true;
}

/**
 * reached: done. lasting: nothing but a change by somebody helps. blocked: it may still come right by itself.
 * someone: by design it waits for somebody to act. waiting: on its way. absent: not there yet. unknown: nobody can
 * tell.
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
  /** It will not be shown however long one waits. */
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
