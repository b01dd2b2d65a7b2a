import type { Source } from '../kube/snapshot.ts';
import type { Confidence, Evidence, Fix, ObjectRef, Unread } from './report.ts';

/** What would happen to objects. */
export const effectKinds = [
  /** The server or kubectl would refuse the operation. */
  'refused',
  /** Pods that have to leave, or are new, and could not start. */
  'cannot-start',
  /** Pods that keep running, and could not start again. */
  'cannot-restart',
  /** Objects that would get stuck while they are deleted. */
  'stuck',
  /** Objects that would not work as they did, though nothing is deleted. */
  'broken',
  /** Data that is deleted permanently. */
  'data-deleted',
  /** Pods that no controller recreates, or that the operation removes. */
  'stops',
  /** Volumes, snapshots and data that stay without an owner. */
  'orphaned',
  /** Something that has to be waited for, or that needs a person. */
  'waits',
  /** Pods that start again elsewhere. */
  'moves',
  /** Objects that are deleted, without data that counts. */
  'deleted',
  /** A cause that the operation ends. */
  'repaired',
  /** Everything else that changes. */
  'changes',
] as const;
export type EffectKind = (typeof effectKinds)[number];

/** breaks: the operation should not be run like this. wait: it takes time, or a person. notice: good to know. */
export type EffectSeverity = 'breaks' | 'wait' | 'notice';

/** Where a pod could start again: all nodes that it fits on, of which the first few are named. */
export interface Place {
  readonly object: ObjectRef;
  readonly from?: string;
  readonly fits: number;
  readonly nodes: readonly string[];
}

/** One effect, with all objects that it has for the same cause. */
export interface WhatIfEffect {
  readonly effect: EffectKind;
  readonly severity: EffectSeverity;
  readonly confidence: Confidence;
  /** The cause that `why` would report afterwards. */
  readonly cause?: string;
  readonly summary: string;
  readonly objects: readonly ObjectRef[];
  readonly places?: readonly Place[];
  readonly evidence: readonly Evidence[];
  /** What to do first, so that it does not happen. */
  readonly prevention: readonly Fix[];
  /** How to repair it once it has happened. */
  readonly fix: readonly Fix[];
}

export interface WhatIfOperation {
  readonly verb: 'drain' | 'lose' | 'delete' | 'upgrade' | 'apply' | 'scale';
  /** As it was written. */
  readonly text: string;
  /** What it acts on. */
  readonly objects: readonly ObjectRef[];
}

/** breaks: something is proven to break. unknown: nothing is proven, and something that decides could not be read. */
export type WhatIfVerdict = 'breaks' | 'safe' | 'unknown';

export interface WhatIfReport {
  readonly apiVersion: 'csi.kubectl.dev/v1';
  readonly kind: 'WhatIfReport';
  readonly takenAt: string;
  readonly source: Source;
  readonly operations: readonly WhatIfOperation[];
  readonly verdict: WhatIfVerdict;
  /** Folded by cause, the worst first. */
  readonly effects: readonly WhatIfEffect[];
  /** What objects cannot show beforehand. */
  readonly unforeseen: readonly string[];
  readonly unread: readonly Unread[];
  readonly summary: {
    /** Effects that break something. */
    readonly breaks: number;
    readonly waits: number;
    /** Pods that leave their node. */
    readonly displaced: number;
    readonly moving: number;
    readonly notStarting: number;
    readonly claimsDeleted: number;
    readonly volumesDeleted: number;
    readonly volumesOrphaned: number;
    readonly snapshotsDeleted: number;
  };
}
