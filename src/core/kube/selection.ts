import type { Kind } from './kinds.ts';

/** An object that the user named. */
export interface TargetRef {
  readonly kind: Kind;
  readonly namespace?: string;
  readonly name: string;
}

/** What to diagnose: named targets, or everything that is stuck in a namespace or, without one, in the cluster. */
export interface Selection {
  readonly targets?: readonly TargetRef[];
  readonly namespace?: string;
  readonly labelSelector?: string;
  /** Without targets: only what waits for a volume (the default), or everything that is stuck in any way. */
  readonly breadth?: 'pending' | 'everything';
}

/** The kinds whose pods and claims are diagnosed in their place. */
export const workloadKinds = [
  'StatefulSet',
  'Deployment',
  'DaemonSet',
  'ReplicaSet',
  'Job',
  'CronJob',
] as const satisfies readonly Kind[];
export type WorkloadKind = (typeof workloadKinds)[number];

/** The kinds that can be diagnosed besides claims and pods. */
export const objectKinds = [
  'PersistentVolume',
  'VolumeAttachment',
  'StorageClass',
  'VolumeSnapshot',
  'VolumeSnapshotContent',
  'VolumeGroupSnapshot',
  'VolumeGroupSnapshotContent',
  'BucketClaim',
  'BucketAccess',
  'Bucket',
  'Node',
  'CSIDriver',
  'VolumeAttributesClass',
  'Namespace',
] as const satisfies readonly Kind[];
