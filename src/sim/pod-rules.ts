import type { RawObject } from '../core/kube/snapshot.ts';
import { listAt, textAt, valueAt } from './fields.ts';
import { podSecurityViolation } from './status.ts';

/** The one rule of Pod Security that concerns a probe pod: only a privileged namespace lets it see the node's files. */
export function checkPodSecurity(pod: RawObject, namespace: RawObject | undefined): void {
  const level = textAt(namespace, 'metadata', 'labels', 'pod-security.kubernetes.io/enforce');
  const volumes = listAt(pod, 'spec', 'volumes')
    .filter((volume) => valueAt(volume, 'hostPath') !== undefined)
    .map((volume) => textAt(volume, 'name'));
  if ((level === 'baseline' || level === 'restricted') && volumes.length > 0)
    throw podSecurityViolation(pod.metadata.name, level, volumes);
}

/** The pod as the kubelet leaves it when its activeDeadlineSeconds are over. */
export function expiredPod(pod: RawObject): RawObject {
  return {
    ...pod,
    status: {
      ...(pod['status'] as object),
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
      conditions: [],
      containerStatuses: [],
    },
  };
}
