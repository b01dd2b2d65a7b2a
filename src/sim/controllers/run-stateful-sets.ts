import type { RawObject } from '../../core/kube/snapshot.ts';
import { listAt, numberAt, textAt, valueAt } from '../fields.ts';
import type { Workplace } from './loop.ts';
import { observed } from './run-deployments.ts';
import { isLeaving } from './storage-objects.ts';
import { createFor, isOutdated, isReady, ownedBy, podOf, withCounts } from './workload-pods.ts';

/** The stateful set controller: pods with numbers, each with claims of its own, one after the other. */
export function runStatefulSets(workplace: Workplace): void {
  const { cluster, writes } = workplace;
  for (const set of cluster.list('StatefulSet').filter((candidate) => !isLeaving(candidate))) {
    const replicas = numberAt(set, 'spec', 'replicas');
    const isOrdered = textAt(set, 'spec', 'podManagementPolicy') !== 'Parallel';
    const pods = ownedBy(set, 'Pod', cluster);
    for (const pod of pods.filter((candidate) => numberOf(candidate) >= replicas && !isLeaving(candidate)))
      writes.delete(pod);
    for (let number = 0; number < replicas; number += 1) {
      const pod = pods.find((candidate) => numberOf(candidate) === number);
      if (pod === undefined) createReplica(set, number, workplace);
      else if (!isLeaving(pod) && isOutdated(pod, set)) writes.delete(pod);
      if (isOrdered && (pod === undefined || !isReady(pod) || isLeaving(pod))) break;
    }
    const left = ownedBy(set, 'Pod', cluster).filter((pod) => !isLeaving(pod));
    const ready = left.filter(isReady).length;
    cluster.put(
      withCounts(set, {
        replicas: left.length,
        readyReplicas: ready,
        availableReplicas: ready,
        currentReplicas: left.length,
        updatedReplicas: left.filter((pod) => !isOutdated(pod, set)).length,
        ...observed(set),
      }),
    );
  }
}

const numberOf = ({ metadata }: RawObject): number => Number(/-(\d+)$/.exec(metadata.name)?.[1] ?? -1);

/** The claims first; without them there is no pod. */
function createReplica(set: RawObject, number: number, workplace: Workplace): void {
  const { name, namespace } = set.metadata;
  const podName = `${name}-${number}`;
  const templates = listAt(set, 'spec', 'volumeClaimTemplates');
  const claimName = (template: unknown): string => `${textAt(template, 'metadata', 'name')}-${podName}`;
  for (const template of templates) {
    if (workplace.cluster.get('PersistentVolumeClaim', namespace, claimName(template)) !== undefined) continue;
    const claim = {
      ...(template as object),
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        labels: valueAt(set, 'spec', 'selector', 'matchLabels'),
        ...(valueAt(template, 'metadata') as object),
        name: claimName(template),
        ...(namespace && { namespace }),
      },
    } as RawObject;
    const inWords = (why: string): string =>
      `Create Pod ${podName} in StatefulSet ${name} failed error: failed to create PVC ${claimName(template)}: ${why}`;
    if (!createFor(set, claim, workplace, inWords)) return;
  }
  const claimed = templates.map((template) => ({
    name: textAt(template, 'metadata', 'name'),
    persistentVolumeClaim: { claimName: claimName(template) },
  }));
  const others = listAt(set, 'spec', 'template', 'spec', 'volumes').filter(
    (volume) => !claimed.some((claim) => claim.name === textAt(volume, 'name')),
  );
  const pod = podOf(set, podName, { hostname: podName, volumes: [...others, ...claimed] });
  createFor(set, pod, workplace, (why) => `Create Pod ${podName} in StatefulSet ${name} failed error: ${why}`);
}
