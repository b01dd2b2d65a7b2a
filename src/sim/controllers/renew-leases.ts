import { mergeObjects } from '../../core/kube/merge-objects.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import { parseTime } from '../../core/kube/time.ts';
import type { Cluster } from '../cluster.ts';
import { numberAt, textAt, valueAt } from '../fields.ts';
import type { Workplace } from './loop.ts';
import { isRunning, leasesOf } from './sidecars.ts';

const renewAfterMs = 5_000;

/**
 * Holders of leases renew them. The lease of a sidecar is held by a pod that runs one, or goes stale without any; other
 * leases, of nodes and of the control plane, stay as they are, held or stale.
 */
export function renewLeases({ cluster }: Workplace): void {
  const candidates = cluster.list('Pod').filter(isRunning);
  const elected = new Set(
    ['Deployment', 'DaemonSet', 'StatefulSet'].flatMap((kind) =>
      cluster
        .list(kind)
        .flatMap((workload) => leasesOf(templateOf(workload)).map((name) => `${workload.metadata.namespace}/${name}`)),
    ),
  );
  for (const pod of candidates) for (const name of leasesOf(pod)) createLease(pod, name, cluster);
  for (const lease of cluster.list('Lease')) {
    const { namespace, name } = lease.metadata;
    const holder = candidates.find((pod) => pod.metadata.namespace === namespace && leasesOf(pod).includes(name));
    if (holder !== undefined) renew(lease, holder.metadata.name, cluster);
    else if (!elected.has(`${namespace}/${name}`) && isHeld(lease, cluster.now))
      renew(lease, textAt(lease, 'spec', 'holderIdentity'), cluster);
  }
}

function createLease({ metadata }: RawObject, name: string, cluster: Cluster): void {
  if (cluster.get('Lease', metadata.namespace, name) !== undefined) return;
  cluster.put({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, ...(metadata.namespace && { namespace: metadata.namespace }) },
    spec: {
      holderIdentity: metadata.name,
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      acquireTime: cluster.microTime,
      renewTime: cluster.microTime,
    },
  });
}

function templateOf(workload: RawObject): RawObject {
  return {
    kind: 'PodTemplate',
    metadata: workload.metadata,
    ...(valueAt(workload, 'spec', 'template') as object),
  } as RawObject;
}

function renew(lease: RawObject, holder: string, cluster: Cluster): void {
  const isNew = textAt(lease, 'spec', 'holderIdentity') !== holder;
  if (!isNew && cluster.now - (parseTime(textAt(lease, 'spec', 'renewTime')) ?? 0) < renewAfterMs) return;
  cluster.put(
    mergeObjects(lease, {
      spec: {
        renewTime: cluster.microTime,
        ...(isNew
          ? {
              holderIdentity: holder,
              acquireTime: cluster.microTime,
              leaseTransitions: numberAt(lease, 'spec', 'leaseTransitions') + 1,
            }
          : {}),
      },
    }) as RawObject,
  );
}

function isHeld(lease: RawObject, now: number): boolean {
  const renewed = parseTime(textAt(lease, 'spec', 'renewTime'));
  return renewed !== undefined && now - renewed <= numberAt(lease, 'spec', 'leaseDurationSeconds') * 1000;
}
