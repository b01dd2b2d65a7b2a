import type { RawObject } from '../../core/kube/snapshot.ts';
import { listAt, textAt } from '../fields.ts';
import type { Workplace } from './loop.ts';
import { isLeaving, usersOf } from './storage-objects.ts';

/**
 * The protection controllers: they release what is being deleted as soon as nothing uses it. A pod without a node does
 * not use its claims yet (pvc_protection_controller), and a volume is in use as long as it is Bound.
 */
export function protectStorage({ cluster, writes }: Workplace): void {
  const release = (object: RawObject, finalizer: string): void => {
    const finalizers = listAt(object, 'metadata', 'finalizers').filter((name) => name !== finalizer);
    writes.finish(cluster.put({ ...object, metadata: { ...object.metadata, finalizers } } as RawObject));
  };
  for (const claim of cluster.list('PersistentVolumeClaim').filter(isLeaving)) {
    const isUsed = usersOf(claim, cluster).some((pod) => textAt(pod, 'spec', 'nodeName') !== '');
    if (!isUsed) release(claim, 'kubernetes.io/pvc-protection');
  }
  for (const volume of cluster.list('PersistentVolume').filter(isLeaving))
    if (textAt(volume, 'status', 'phase') !== 'Bound') release(volume, 'kubernetes.io/pv-protection');
}
