import type { KubernetesObject } from './cluster/api.ts';
import type { World } from './scenarios/world.ts';

const kinds: Readonly<Record<string, readonly [apiVersion: string, kind: string]>> = {
  pvc: ['v1', 'PersistentVolumeClaim'],
  pv: ['v1', 'PersistentVolume'],
  pod: ['v1', 'Pod'],
  vs: ['snapshot.storage.k8s.io/v1', 'VolumeSnapshot'],
  vsc: ['snapshot.storage.k8s.io/v1', 'VolumeSnapshotContent'],
  va: ['storage.k8s.io/v1', 'VolumeAttachment'],
  vac: ['storage.k8s.io/v1', 'VolumeAttributesClass'],
  node: ['v1', 'Node'],
  ns: ['v1', 'Namespace'],
};

/** The object behind a target such as pvc/data, as the API server has it. */
function objectOf(world: World, target: string): Promise<KubernetesObject | undefined> {
  const [type = '', name = ''] = target.split('/');
  const [apiVersion, kind] = kinds[type] ?? [];
  if (apiVersion === undefined || kind === undefined) throw new Error(`${target} is of no kind that is known here`);
  return world.api.get(world.object(apiVersion, kind, name));
}

export async function isGone(world: World, target: string): Promise<boolean> {
  return (await objectOf(world, target)) === undefined;
}

/** Whether the object does what it is for: a claim is bound, a pod runs, a snapshot is ready. */
export async function isAtWork(world: World, target: string): Promise<boolean> {
  const object = await objectOf(world, target);
  if (object === undefined) return false;
  const status = object['status'] as
    { readonly phase?: string; readonly readyToUse?: boolean; readonly attached?: boolean } | undefined;
  switch (object.kind) {
    case 'PersistentVolumeClaim':
      return status?.phase === 'Bound';
    case 'Pod':
      return status?.phase === 'Running';
    case 'VolumeSnapshot':
      return status?.readyToUse === true;
    case 'VolumeAttachment':
      return status?.attached === true;
    default:
      return true;
  }
}
