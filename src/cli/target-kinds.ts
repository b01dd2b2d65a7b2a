import type { Kind } from '../core/kube/kinds.ts';

/** What `why-pending` and `why` each judge; a bare name is of the first kind. */
export const judgedKinds = {
  pending: ['PersistentVolumeClaim', 'Pod'],
  everything: [
    'PersistentVolumeClaim',
    'Pod',
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
  ],
} as const satisfies Record<string, readonly [Kind, ...Kind[]]>;

/** What has a life that `trace` can tell. */
export const tracedKinds = [
  'PersistentVolumeClaim',
  'Pod',
  'PersistentVolume',
  'VolumeAttachment',
  'VolumeSnapshot',
  'VolumeSnapshotContent',
] as const satisfies readonly [Kind, ...Kind[]];
