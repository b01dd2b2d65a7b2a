import type { RawObject } from '../../kube/snapshot.ts';
import type { SidecarRole } from '../../facts/driver/drivers.ts';
import type { Made } from './templates.ts';
import { listOf, member, recordOf } from './templates.ts';
import type { World } from './world.ts';

export const sidecarRoles = [
  'provisioner',
  'attacher',
  'resizer',
  'snapshotter',
] as const satisfies readonly SidecarRole[];

/** A driver that comes with the manifests is assumed to work: whether it does is known only when it runs. */
export function installDriver(driver: string, world: World): void {
  for (const csiNode of world.ofKind('CSINode')) {
    const drivers = listOf(member(csiNode, 'spec', 'drivers'));
    if (!drivers.some((entry) => member(entry, 'name') === driver))
      world.put({
        ...csiNode,
        spec: {
          ...recordOf(csiNode['spec']),
          drivers: [...drivers, { name: driver, nodeID: csiNode.metadata.name, topologyKeys: [] }],
        },
      });
  }
}

/** Runs the pods of such a driver. */
export function runWorkload(object: RawObject, pods: readonly Made[], world: World): void {
  for (const { object: pod } of pods) {
    const containers = listOf(member(pod, 'spec', 'containers')).map((container) => member(container, 'name'));
    world.put({
      ...pod,
      metadata: { ...pod.metadata, creationTimestamp: world.madeAt },
      status: {
        phase: 'Running',
        conditions: [
          { type: 'PodScheduled', status: 'True', lastTransitionTime: world.madeAt },
          { type: 'Ready', status: 'True', lastTransitionTime: world.madeAt },
        ],
        containerStatuses: containers.map((name) => ({
          name,
          ready: true,
          restartCount: 0,
          state: { running: { startedAt: world.madeAt } },
        })),
      },
    });
  }
  if (object.kind !== 'Pod') world.put(object);
}

/** A workload that recreates its pods removes the old ones first; a rolling update keeps them for a while. */
export function retirePods(object: RawObject, world: World): void {
  const isRecreated = object.kind === 'DaemonSet' || member(object, 'spec', 'strategy', 'type') === 'Recreate';
  const wanted = Object.entries(recordOf(member(object, 'spec', 'selector', 'matchLabels')));
  if (!isRecreated || wanted.length === 0) return;
  for (const { metadata } of world.ofKind('Pod')) {
    const labels = recordOf(metadata['labels']);
    if (metadata.namespace === object.metadata.namespace && wanted.every(([key, value]) => labels[key] === value))
      world.remove('Pod', metadata.namespace, metadata.name);
  }
}
