import type { RawObject } from '../../core/kube/snapshot.ts';
import type { Cluster } from '../cluster.ts';
import { listAt, textAt } from '../fields.ts';
import type { Workplace } from './loop.ts';
import { isLeaving } from './storage-objects.ts';

/** The garbage collector: what was owned by objects that are all gone goes as well. */
export function collectGarbage({ cluster, writes }: Workplace): void {
  for (const { kind } of cluster.kinds.all)
    for (const object of cluster.list(kind)) {
      const owners = listAt(object, 'metadata', 'ownerReferences');
      const isOrphan = owners.length > 0 && owners.every((owner) => !exists(owner, object, cluster));
      if (isOrphan && !isLeaving(object)) writes.delete(object);
    }
}

/** A kind that is not served cannot be searched, so its objects count as existing. */
function exists(reference: unknown, { metadata }: RawObject, cluster: Cluster): boolean {
  const served = cluster.kinds.find(textAt(reference, 'kind'), textAt(reference, 'apiVersion'));
  if (served === undefined) return true;
  const owner = cluster.get(served.kind, served.namespaced ? metadata.namespace : undefined, textAt(reference, 'name'));
  return owner?.metadata.uid === textAt(reference, 'uid');
}
