import type { RawObject } from '../../core/kube/snapshot.ts';
import type { Cluster } from '../cluster.ts';
import { listAt, textAt, valueAt } from '../fields.ts';

/** Questions about claims, volumes and pods that several controllers ask. */

export const selectedNode = 'volume.kubernetes.io/selected-node';
export const storageProvisioner = 'volume.kubernetes.io/storage-provisioner';
export const bindCompleted = 'pv.kubernetes.io/bind-completed';

export const isLeaving = (object: RawObject): boolean => textAt(object, 'metadata', 'deletionTimestamp') !== '';
export const hasEnded = (pod: RawObject): boolean => ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'));
export const isBound = (claim: RawObject): boolean => textAt(claim, 'status', 'phase') === 'Bound';
export const classNameOf = (claim: RawObject): string =>
  textAt(claim, 'metadata', 'annotations', 'volume.beta.kubernetes.io/storage-class') ||
  textAt(claim, 'spec', 'storageClassName');
export const classOf = (claim: RawObject, cluster: Cluster): RawObject | undefined =>
  cluster.get('StorageClass', undefined, classNameOf(claim));
export const bindsLate = (storageClass: RawObject | undefined): boolean =>
  textAt(storageClass, 'volumeBindingMode') === 'WaitForFirstConsumer';
export const requestOf = (claim: RawObject): string => textAt(claim, 'spec', 'resources', 'requests', 'storage');
export const labelsOf = (object: RawObject): Record<string, string> =>
  (valueAt(object, 'metadata', 'labels') ?? {}) as Record<string, string>;

/** The claims that a pod names; the claim of an ephemeral volume is called after the pod and the volume. */
export function claimNamesOf(pod: RawObject): string[] {
  return listAt(pod, 'spec', 'volumes').flatMap((volume) => {
    const name = textAt(volume, 'persistentVolumeClaim', 'claimName');
    if (name !== '') return [name];
    return valueAt(volume, 'ephemeral') === undefined ? [] : [`${pod.metadata.name}-${textAt(volume, 'name')}`];
  });
}

export function claimsOf(pod: RawObject, cluster: Cluster): RawObject[] {
  return claimNamesOf(pod).flatMap((name) => cluster.get('PersistentVolumeClaim', pod.metadata.namespace, name) ?? []);
}

export function volumeOf(claim: RawObject, cluster: Cluster): RawObject | undefined {
  const name = textAt(claim, 'spec', 'volumeName');
  return name === '' ? undefined : cluster.get('PersistentVolume', undefined, name);
}

/** The pods that use a claim. */
export function usersOf(claim: RawObject, cluster: Cluster): RawObject[] {
  return cluster
    .list('Pod', claim.metadata.namespace)
    .filter((pod) => !hasEnded(pod) && claimNamesOf(pod).includes(claim.metadata.name));
}

/** A CSI volume has to be attached unless its driver declares that it need not be. */
export function needsAttachment(volume: RawObject, cluster: Cluster): boolean {
  const driver = textAt(volume, 'spec', 'csi', 'driver');
  const registered = cluster.get('CSIDriver', undefined, driver);
  return driver !== '' && valueAt(registered, 'spec', 'attachRequired') !== false;
}
