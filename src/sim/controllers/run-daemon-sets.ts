import { untoleratedTaints } from '../../core/kube/selectors.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import { randomSuffix } from '../changes/read-object.ts';
import { entriesAt, listAt, textAt } from '../fields.ts';
import type { Workplace } from './loop.ts';
import { observed } from './run-deployments.ts';
import { isLeaving, labelsOf } from './storage-objects.ts';
import { createFor, isOutdated, isReady, livePods, podOf, withCounts } from './workload-pods.ts';

/** The daemon set controller: one pod on each node that may have one. It assigns the nodes without the scheduler. */
export function runDaemonSets(workplace: Workplace): void {
  const { cluster, writes } = workplace;
  for (const set of cluster.list('DaemonSet').filter((candidate) => !isLeaving(candidate))) {
    const nodes = cluster.list('Node').filter((node) => selects(set, node) && tolerates(set, node));
    const pods = livePods(set, cluster);
    for (const node of nodes) {
      const own = pods.find((pod) => textAt(pod, 'spec', 'nodeName') === node.metadata.name);
      if (own === undefined) {
        const pod = podOf(set, `${set.metadata.name}-${randomSuffix()}`, {
          nodeName: node.metadata.name,
          tolerations: [{ operator: 'Exists' }],
        });
        createFor(set, pod, workplace, (why) => `Error creating: ${why}`);
      } else if (isOutdated(own, set)) writes.delete(own);
    }
    for (const pod of pods) {
      const node = cluster.get('Node', undefined, textAt(pod, 'spec', 'nodeName'));
      if (node !== undefined && !selects(set, node)) writes.delete(pod);
    }
    const kept = livePods(set, cluster);
    const ready = kept.filter(isReady).length;
    cluster.put(
      withCounts(set, {
        currentNumberScheduled: kept.length,
        desiredNumberScheduled: nodes.length,
        numberAvailable: ready,
        numberReady: ready,
        updatedNumberScheduled: kept.filter((pod) => !isOutdated(pod, set)).length,
        ...observed(set),
      }),
    );
  }
}

/**
 * Pods of a DaemonSet start on cordoned and failing nodes as well, and a taint excludes only those that are not there
 * yet.
 */
const alwaysTolerated = ['unschedulable', 'not-ready', 'unreachable', 'disk-pressure', 'memory-pressure'].map(
  (key) => ({
    key: `node.kubernetes.io/${key}`,
    operator: 'Exists',
  }),
);

function selects(set: RawObject, node: RawObject): boolean {
  const labels = labelsOf(node);
  return entriesAt(set, 'spec', 'template', 'spec', 'nodeSelector').every(([key, value]) => labels[key] === value);
}

function tolerates(set: RawObject, node: RawObject): boolean {
  const tolerations = [...listAt(set, 'spec', 'template', 'spec', 'tolerations'), ...alwaysTolerated];
  const taints = listAt(node, 'spec', 'taints') as Parameters<typeof untoleratedTaints>[1];
  return untoleratedTaints(tolerations as Parameters<typeof untoleratedTaints>[0], taints).length === 0;
}
