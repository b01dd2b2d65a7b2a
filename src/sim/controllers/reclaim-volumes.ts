import type { RawObject } from '../../core/kube/snapshot.ts';
import { listAt, textAt } from '../fields.ts';
import type { Workplace } from './loop.ts';
import { runningSidecar } from './sidecars.ts';
import { isLeaving } from './storage-objects.ts';

const ownFinalizer = 'external-provisioner.volume.kubernetes.io/finalizer';

/**
 * The external provisioner deletes volumes without a claim, if their policy demands it and they are attached nowhere.
 */
export function reclaimVolumes({ cluster, writes }: Workplace): void {
  for (const volume of cluster.list('PersistentVolume')) {
    const driver = textAt(volume, 'spec', 'csi', 'driver');
    const isReleased = textAt(volume, 'status', 'phase') === 'Released';
    const isDisposable = textAt(volume, 'spec', 'persistentVolumeReclaimPolicy') === 'Delete';
    const isAttached = cluster
      .list('VolumeAttachment')
      .some((attachment) => textAt(attachment, 'spec', 'source', 'persistentVolumeName') === volume.metadata.name);
    const isDone = isReleased && isDisposable && driver !== '' && !isAttached;
    if (!isDone || runningSidecar(cluster, 'csi-provisioner', driver) === undefined) continue;
    const finalizers = listAt(volume, 'metadata', 'finalizers').filter((finalizer) => finalizer !== ownFinalizer);
    const freed = cluster.put({ ...volume, metadata: { ...volume.metadata, finalizers } } as RawObject);
    if (!isLeaving(freed)) writes.delete(freed);
  }
}
