import { mergeObjects } from '../../kube/merge-objects.ts';
import type { RawObject } from '../../kube/snapshot.ts';
import type { ObjectRef } from '../../report/report.ts';
import { listOf, member } from '../rehearse/templates.ts';
import type { World } from '../rehearse/world.ts';

/** Deletes an object as the API server and the protection controllers would. */
export function deleteObject(world: World, ref: ObjectRef): void {
  const object = world.get(ref.kind, ref.namespace, ref.name);
  if (!object) return;
  if (holdsBack(world, object)) {
    world.put(mergeObjects(object, { metadata: { deletionTimestamp: world.madeAt } }) as RawObject);
    return;
  }
  world.remove(ref.kind, ref.namespace, ref.name);
  if (object.kind === 'PersistentVolumeClaim') releaseVolume(world, object);
  if (object.kind === 'VolumeSnapshot') releaseContent(world, object);
  if (object.kind === 'Pod') {
    finishDeletedClaims(world, object);
    replacePod(world, object);
  }
}

/** The API server removes what is being deleted once its last finalizer is gone. */
export function finishDeletion(world: World, object: RawObject): void {
  const isHeld = listOf(member(object, 'metadata', 'finalizers')).length > 0;
  if (isHeld || member(object, 'metadata', 'deletionTimestamp') === undefined) return;
  world.remove(object.kind, object.metadata.namespace, object.metadata.name);
  if (object.kind === 'PersistentVolumeClaim') releaseVolume(world, object);
}

/** Finalizers of the storage controllers: pvc-protection counts pods that have a node, pv-protection a bound claim. */
function holdsBack(world: World, object: RawObject): boolean {
  if (object.kind === 'PersistentVolumeClaim')
    return usersOf(world, object).some((pod) => member(pod, 'spec', 'nodeName') !== undefined);
  if (object.kind === 'PersistentVolume') return member(object, 'status', 'phase') === 'Bound';
  return false;
}

function usersOf(world: World, claim: RawObject): RawObject[] {
  return world
    .ofKind('Pod')
    .filter(
      (pod) =>
        pod.metadata.namespace === claim.metadata.namespace &&
        !['Succeeded', 'Failed'].includes(String(member(pod, 'status', 'phase'))) &&
        claimsOf(pod).includes(claim.metadata.name),
    );
}

/** The claim of an ephemeral volume is called after the pod and the volume. */
function claimsOf(pod: RawObject): string[] {
  return listOf(member(pod, 'spec', 'volumes')).flatMap((volume) => {
    const name = member(volume, 'persistentVolumeClaim', 'claimName');
    if (typeof name === 'string') return [name];
    return member(volume, 'ephemeral') === undefined ? [] : [`${pod.metadata.name}-${String(member(volume, 'name'))}`];
  });
}

/** A volume whose claim is gone is deleted or kept, as its policy says. */
function releaseVolume(world: World, claim: RawObject): void {
  const name = member(claim, 'spec', 'volumeName');
  const volume = typeof name === 'string' ? world.get('PersistentVolume', undefined, name) : undefined;
  if (!volume || member(volume, 'spec', 'claimRef', 'name') !== claim.metadata.name) return;
  if (member(volume, 'spec', 'persistentVolumeReclaimPolicy') === 'Delete')
    world.remove('PersistentVolume', undefined, volume.metadata.name);
  else world.put(mergeObjects(volume, { status: { phase: 'Released' } }) as RawObject);
}

/**
 * The content of a deleted snapshot goes with policy Delete, or if it was to be deleted itself and only waited for its
 * snapshot.
 */
function releaseContent(world: World, snapshot: RawObject): void {
  for (const content of world.ofKind('VolumeSnapshotContent')) {
    if (member(content, 'spec', 'volumeSnapshotRef', 'uid') !== snapshot.metadata.uid) continue;
    const isLeaving = member(content, 'metadata', 'deletionTimestamp') !== undefined;
    if (isLeaving || member(content, 'spec', 'deletionPolicy') === 'Delete')
      world.remove('VolumeSnapshotContent', undefined, content.metadata.name);
  }
}

/** Claims that were being deleted and waited for this pod. */
function finishDeletedClaims(world: World, pod: RawObject): void {
  for (const name of claimsOf(pod)) {
    const claim = world.get('PersistentVolumeClaim', pod.metadata.namespace, name);
    if (claim && member(claim, 'metadata', 'deletionTimestamp') !== undefined && !holdsBack(world, claim)) {
      world.remove('PersistentVolumeClaim', claim.metadata.namespace, claim.metadata.name);
      releaseVolume(world, claim);
    }
  }
}

/** A pod of a controller comes back, without a node. */
function replacePod(world: World, pod: RawObject): void {
  const owner = listOf(member(pod, 'metadata', 'ownerReferences')).find(
    (entry) => member(entry, 'controller') === true,
  );
  if (owner === undefined) return;
  const { nodeName: _nodeName, ...spec } = (pod['spec'] ?? {}) as Record<string, unknown>;
  const next: RawObject = {
    ...pod,
    metadata: { ...pod.metadata, uid: `${pod.metadata.uid ?? ''}-next`, creationTimestamp: world.madeAt },
    spec,
    status: { phase: 'Pending' },
  };
  world.noteNovelty(next);
  world.put(next);
}
