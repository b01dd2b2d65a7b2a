import { mergeObjects } from '../../core/kube/merge-objects.ts';
import { compareQuantities } from '../../core/kube/quantity.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import { textAt } from '../fields.ts';
import type { Workplace } from './loop.ts';
import { runningSidecar } from './sidecars.ts';
import { isBound, requestOf, volumeOf } from './storage-objects.ts';

/** The external resizer of each driver that runs: a claim that asks for more than its volume has gets it. */
export function expandVolumes({ cluster }: Workplace): void {
  for (const claim of cluster.list('PersistentVolumeClaim')) {
    const volume = volumeOf(claim, cluster);
    const driver = textAt(volume, 'spec', 'csi', 'driver');
    const storage = requestOf(claim);
    if (volume === undefined || !isBound(claim) || driver === '') continue;
    if (compareQuantities(storage, textAt(claim, 'status', 'capacity', 'storage')) <= 0) continue;
    const pod = runningSidecar(cluster, 'csi-resizer', driver);
    if (pod === undefined) continue;
    cluster.put(mergeObjects(volume, { spec: { capacity: { storage } } }) as RawObject);
    cluster.put(mergeObjects(claim, { status: { capacity: { storage }, conditions: null } }) as RawObject);
    cluster.report(claim, {
      reason: 'VolumeResizeSuccessful',
      message: 'Resize volume succeeded',
      from: `external-resizer ${driver}`,
    });
  }
}
