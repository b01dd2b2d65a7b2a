import type { RawObject } from '../../core/kube/snapshot.ts';
import type { Workplace } from './loop.ts';
import { isLeaving } from './storage-objects.ts';

/** The namespace controller: deletes what is in a namespace that is being deleted, and then the namespace. */
export function emptyNamespaces({ cluster, writes }: Workplace): void {
  for (const namespace of cluster.list('Namespace').filter(isLeaving)) {
    const contents = cluster.kinds.all
      .filter(({ namespaced }) => namespaced)
      .flatMap(({ kind }) => cluster.list(kind, namespace.metadata.name));
    for (const object of contents.filter((candidate) => !isLeaving(candidate))) writes.delete(object);
    if (contents.length === 0)
      writes.finish(
        cluster.put({ ...namespace, spec: { ...(namespace['spec'] as object), finalizers: [] } } as RawObject),
      );
  }
}
