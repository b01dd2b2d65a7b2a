import { compareQuantities } from '../../core/kube/quantity.ts';
import { matchesLabelSelector } from '../../core/kube/selectors.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import type { Cluster } from '../cluster.ts';
import { listAt, textAt, valueAt } from '../fields.ts';
import { classNameOf, isLeaving, labelsOf, requestOf } from './storage-objects.ts';

/** Whether the volume is reserved for the claim: by name, and by uid if it has one. */
export function isReservedFor(volume: RawObject, claim: RawObject): boolean {
  const reference = valueAt(volume, 'spec', 'claimRef');
  const uid = textAt(reference, 'uid');
  return (
    textAt(reference, 'name') === claim.metadata.name &&
    textAt(reference, 'namespace') === claim.metadata.namespace &&
    (uid === '' || uid === claim.metadata.uid)
  );
}

/**
 * The checks that also a volume with the name of the claim in it must pass (checkVolumeSatisfyClaim in pv_controller).
 */
export function satisfies(volume: RawObject, claim: RawObject): boolean {
  const mode = (object: RawObject): string => textAt(object, 'spec', 'volumeMode') || 'Filesystem';
  const offered = listAt(volume, 'spec', 'accessModes');
  return (
    compareQuantities(textAt(volume, 'spec', 'capacity', 'storage'), requestOf(claim)) >= 0 &&
    textAt(volume, 'spec', 'storageClassName') === classNameOf(claim) &&
    mode(volume) === mode(claim) &&
    listAt(claim, 'spec', 'accessModes').every((wanted) => offered.includes(wanted))
  );
}

/** The volume that the claim would be bound to: one that is reserved for it, or the smallest that fits and is free. */
export function findVolume(
  claim: RawObject,
  cluster: Cluster,
  fits = (_volume: RawObject): boolean => true,
): RawObject | undefined {
  const volumes = cluster.list('PersistentVolume').filter((volume) => !isLeaving(volume));
  const reserved = volumes.find((volume) => isReservedFor(volume, claim) && satisfies(volume, claim));
  if (reserved !== undefined) return reserved;
  const selector = valueAt(claim, 'spec', 'selector');
  return volumes
    .filter(
      (volume) =>
        valueAt(volume, 'spec', 'claimRef') === undefined &&
        ['Available', 'Pending'].includes(textAt(volume, 'status', 'phase')) &&
        satisfies(volume, claim) &&
        (selector === undefined || matchesLabelSelector(selector, labelsOf(volume))) &&
        fits(volume),
    )
    .toSorted((left, right) =>
      compareQuantities(textAt(left, 'spec', 'capacity', 'storage'), textAt(right, 'spec', 'capacity', 'storage')),
    )[0];
}
