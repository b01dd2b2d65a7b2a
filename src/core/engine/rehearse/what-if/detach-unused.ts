import { isTerminated } from '../../../facts/pod/pod-state.ts';
import { listOf, recordOf } from '../templates.ts';
import type { Future } from './future.ts';

/** Volumes leave a node when their last pod there has gone. How long that takes is another matter. */
export function detachUnused(f: Future): void {
  const { graph } = f.world.inquire();
  const detached = new Map<string, Set<string>>();
  for (const { metadata, spec } of f.before.seen('VolumeAttachment')) {
    const node = spec?.nodeName;
    const volume = f.before.graph.find('PersistentVolume', undefined, spec?.source?.persistentVolumeName ?? '');
    const { name, namespace = '' } = volume?.spec?.claimRef ?? {};
    if (!volume || node === undefined || name === undefined) continue;
    const isUsed = (users: ReturnType<typeof graph.podsUsing>): boolean =>
      users.some((pod) => pod.spec?.nodeName === node && !isTerminated(pod));
    const claim = { namespace, name };
    if (!isUsed(f.before.graph.podsUsing(claim)) || isUsed(graph.podsUsing(claim))) continue;
    f.world.remove('VolumeAttachment', undefined, metadata.name);
    const handle = `kubernetes.io/csi/${spec?.attacher ?? ''}^${volume.spec?.csi?.volumeHandle ?? ''}`;
    detached.set(node, (detached.get(node) ?? new Set<string>()).add(handle));
  }
  for (const [name, handles] of detached) forget(f, name, handles);
}

function forget(f: Future, name: string, handles: ReadonlySet<string>): void {
  const node = f.world.get('Node', undefined, name);
  if (!node) return;
  const status = recordOf(node['status']);
  f.world.put({
    ...node,
    status: {
      ...status,
      volumesInUse: listOf(status['volumesInUse']).filter((one) => !handles.has(String(one))),
      volumesAttached: listOf(status['volumesAttached']).filter((one) => !handles.has(String(recordOf(one)['name']))),
    },
  });
}
