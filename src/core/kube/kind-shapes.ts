import { storageShapes } from './kind-shapes/storage.ts';
import { clusterShapes } from './kind-shapes/cluster.ts';
import { workloadShapes } from './kind-shapes/workload.ts';
import { snapshotShapes } from './kind-shapes/snapshot.ts';
import { bucketShapes } from './kind-shapes/bucket.ts';
import { extensionShapes } from './kind-shapes/extension.ts';

/** The fields that are read of each kind, next to its metadata. */
export const kindShapes = {
  ...storageShapes,
  ...clusterShapes,
  ...workloadShapes,
  ...snapshotShapes,
  ...bucketShapes,
  ...extensionShapes,
} as const;
