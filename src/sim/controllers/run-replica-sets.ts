import { numberAt } from '../fields.ts';
import { randomSuffix } from '../changes/read-object.ts';
import type { Workplace } from './loop.ts';
import { observed } from './run-deployments.ts';
import { isLeaving } from './storage-objects.ts';
import { createFor, isReady, livePods, podOf, withCounts } from './workload-pods.ts';

/** The replica set controller: as many pods as the set requests. */
export function runReplicaSets(workplace: Workplace): void {
  const { cluster, writes } = workplace;
  for (const set of cluster.list('ReplicaSet').filter((candidate) => !isLeaving(candidate))) {
    const pods = livePods(set, cluster);
    const wanted = numberAt(set, 'spec', 'replicas');
    for (let missing = wanted - pods.length; missing > 0; missing -= 1) {
      const pod = podOf(set, `${set.metadata.name}-${randomSuffix()}`);
      if (!createFor(set, pod, workplace, (why) => `Error creating: ${why}`)) break;
    }
    for (const pod of pods.toSorted((left, right) => Number(isReady(right)) - Number(isReady(left))).slice(wanted))
      writes.delete(pod);
    const kept = livePods(set, cluster);
    const ready = kept.filter(isReady).length;
    // The status of a set without replicas has no counts at all.
    cluster.put(
      withCounts(set, {
        replicas: kept.length || undefined,
        readyReplicas: ready || undefined,
        availableReplicas: ready || undefined,
        ...observed(set),
      }),
    );
  }
}
