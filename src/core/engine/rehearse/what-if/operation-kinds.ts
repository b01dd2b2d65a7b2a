import type { Kind } from '../../../kube/kinds.ts';

/** What `what-if delete` takes. */
export const deletableKinds = [
  'Namespace',
  'PersistentVolumeClaim',
  'PersistentVolume',
  'StorageClass',
  'CSIDriver',
  'Node',
  'VolumeSnapshot',
  'Pod',
] as const satisfies readonly Kind[];

/** What `what-if scale` takes. */
export const scalableKinds = ['Deployment', 'StatefulSet', 'ReplicaSet'] as const satisfies readonly Kind[];
