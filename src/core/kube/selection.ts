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

/** The kinds that can be diagnosed besides claims and pods. */
export const objectKinds = [
  'PersistentVolume',
  'VolumeAttachment',
  'StorageClass',
  'VolumeSnapshot',
  'VolumeSnapshotContent',
  'VolumeGroupSnapshot',
  'VolumeGroupSnapshotContent',
  'Node',
  'CSIDriver',
  'VolumeAttributesClass',
  'Namespace',
] as const satisfies readonly Kind[];
