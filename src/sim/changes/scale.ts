import type { RawObject } from '../../core/kube/snapshot.ts';
import { entriesAt, numberAt } from '../fields.ts';

export const scalable: ReadonlySet<string> = new Set([
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'ReplicationController',
]);

/**
 * The replicas of a workload as an object of their own (autoscaling/v1 Scale); undefined for kinds without replicas.
 */
export function scaleOf(object: RawObject): RawObject | undefined {
  if (!scalable.has(object.kind)) return undefined;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const labels = entriesAt(object, 'spec', 'selector', 'matchLabels');
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace && { namespace }), ...(uid && { uid }), resourceVersion, creationTimestamp },
    spec: { replicas: numberAt(object, 'spec', 'replicas') },
    status: {
      replicas: numberAt(object, 'status', 'replicas'),
      selector: labels.map(([key, value]) => `${key}=${String(value)}`).join(','),
    },
  };
}

export function fromScale(object: RawObject, scale: RawObject): RawObject {
  return {
    ...object,
    metadata: { ...object.metadata, resourceVersion: scale.metadata['resourceVersion'] },
    spec: { ...(object['spec'] as object), replicas: numberAt(scale, 'spec', 'replicas') },
  };
}
