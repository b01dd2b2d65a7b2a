import { compareText } from '../../core/kube/order.ts';
import { resources } from '../../core/kube/resources.ts';
import type { RawObject, Snapshot } from '../../core/kube/snapshot.ts';
import { clockAt, object } from './builders.ts';
import type { DemoClock } from './builders.ts';
import { claimTroubles } from './claim-troubles.ts';
import { storageClasses } from './classes.ts';
import { drivers } from './drivers.ts';
import { healthyWorkloads } from './healthy.ts';
import { serverVersion, storageNamespace } from './names.ts';
import { nodes } from './nodes.ts';
import { provisionTroubles } from './provision-troubles.ts';
import { scheduleTroubles } from './schedule-troubles.ts';

const namespaces = [
  'default',
  'kube-system',
  'kube-public',
  'kube-node-lease',
  storageNamespace,
  'shop',
  'data',
  'ci',
  'web',
  'billing',
];

/**
 * A small company's cluster on a bad day: most of it works, and about twenty things are stuck, each for its own reason.
 */
export function demoSnapshot(now: Date): Snapshot {
  const clock = clockAt(now);
  const workloads = [
    ...healthyWorkloads(clock),
    ...claimTroubles(clock),
    ...provisionTroubles(clock),
    ...scheduleTroubles(clock),
  ];
  const ofKind = (kind: string): readonly RawObject[] => workloads.filter((candidate) => candidate.kind === kind);
  const objects = [
    ...namespaces.flatMap((name) => namespace(clock, name)),
    ...nodes(clock, ofKind('VolumeAttachment'), ofKind('PersistentVolume')),
    ...storageClasses(clock),
    ...drivers(clock),
    ...workloads,
  ];
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Snapshot',
    takenAt: now.toISOString(),
    source: { type: 'cluster', name: 'demo' },
    serverVersion,
    objects: numbered(objects),
    observations: resources.map(({ kind }) => ({ kind, scope: {}, state: 'complete' })),
  };
}

function namespace(clock: DemoClock, name: string): readonly RawObject[] {
  const age = 60 * 24 * 41;
  return [
    object(
      clock,
      { kind: 'Namespace', apiVersion: 'v1', name, age, labels: { 'kubernetes.io/metadata.name': name } },
      { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } },
    ),
    object(clock, { kind: 'ConfigMap', apiVersion: 'v1', namespace: name, name: 'kube-root-ca.crt', age }),
  ];
}

/** Versions follow the order of creation, as in a cluster. */
function numbered(objects: readonly RawObject[]): readonly RawObject[] {
  const born = (candidate: RawObject): string => String(candidate.metadata['creationTimestamp']);
  const order = new Map(
    [...objects]
      .sort((left, right) => compareText(born(left), born(right)))
      .map((candidate, index) => [candidate, index]),
  );
  return objects.map((candidate) => ({
    ...candidate,
    metadata: { ...candidate.metadata, resourceVersion: String(4_000 + (order.get(candidate) ?? 0) * 7) },
  }));
}
