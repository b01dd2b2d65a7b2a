import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { RawObject } from '../../core/kube/snapshot.ts';
import { numberAt, textAt, valueAt } from '../fields.ts';
import type { Workplace } from './loop.ts';
import { isLeaving } from './storage-objects.ts';
import { createFor, ownedBy, ownerReference, withCounts } from './workload-pods.ts';

/** The deployment controller: one ReplicaSet for each template, and all replicas in the one of the current template. */
export function runDeployments(workplace: Workplace): void {
  const { cluster } = workplace;
  for (const deployment of cluster.list('Deployment').filter((candidate) => !isLeaving(candidate))) {
    const sets = ownedBy(deployment, 'ReplicaSet', cluster);
    const current = sets.find((set) => hasTemplate(set, deployment));
    const replicas = numberAt(deployment, 'spec', 'replicas');
    if (current === undefined) {
      createFor(deployment, replicaSetOf(deployment), workplace, (why) => `Failed to create new replica set: ${why}`);
      continue;
    }
    for (const set of sets) {
      const wanted = set === current ? replicas : 0;
      if (numberAt(set, 'spec', 'replicas') !== wanted)
        cluster.put({ ...set, spec: { ...(set['spec'] as object), replicas: wanted } });
    }
    const ready = numberAt(current, 'status', 'readyReplicas');
    const total = sets.reduce((sum, set) => sum + numberAt(set, 'status', 'replicas'), 0);
    cluster.put(
      withCounts(deployment, {
        replicas: total || undefined,
        updatedReplicas: numberAt(current, 'status', 'replicas') || undefined,
        readyReplicas: ready || undefined,
        availableReplicas: ready || undefined,
        unavailableReplicas: replicas - ready > 0 ? replicas - ready : undefined,
        ...observed(deployment),
      }),
    );
  }
}

/** Objects of the demo were never changed, and count no generations before their first change. */
export function observed({ metadata }: RawObject): Record<string, number> {
  return typeof metadata['generation'] === 'number' ? { observedGeneration: metadata['generation'] } : {};
}

/** The ReplicaSet has one label more, the hash of the template. */
function hasTemplate(set: RawObject, deployment: RawObject): boolean {
  const plain = (object: RawObject): unknown => {
    const template = valueAt(object, 'spec', 'template') as { metadata?: { labels?: Record<string, string> } };
    const { 'pod-template-hash': _hash, ...labels } = template.metadata?.labels ?? {};
    return { ...template, metadata: { ...template.metadata, labels } };
  };
  return isDeepStrictEqual(plain(set), plain(deployment));
}

function replicaSetOf(deployment: RawObject): RawObject {
  const { name, namespace } = deployment.metadata;
  const template = valueAt(deployment, 'spec', 'template') as { metadata?: { labels?: Record<string, string> } };
  const hash = createHash('sha256').update(JSON.stringify(template)).digest('hex').slice(0, 10);
  const labels = { ...template.metadata?.labels, 'pod-template-hash': hash };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash}`,
      ...(namespace && { namespace }),
      labels,
      ownerReferences: [ownerReference(deployment)],
    },
    spec: {
      replicas: numberAt(deployment, 'spec', 'replicas'),
      selector: {
        matchLabels: {
          ...(valueAt(deployment, 'spec', 'selector', 'matchLabels') as object),
          'pod-template-hash': hash,
        },
      },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
    status: { replicas: 0, observedGeneration: Number(textAt(deployment, 'metadata', 'generation') || '1') },
  };
}
