import { parseTime, secondsBetween } from '../../kube/time.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { matchVolume, reservationOf } from '../../facts/volume/volume-match.ts';
import type { VolumeMatch } from '../../facts/volume/volume-match.ts';

/**
 * Of the volumes whose claimRef is this claim, the one that fits best. Where both sides name each other the controller
 * compares nothing.
 */
export function reservedMatch(c: PresentClaim): VolumeMatch | undefined {
  if (c.isBound || c.isLost) return undefined;
  if (c.volumeName !== '') {
    const volume = c.volume?.state === 'found' ? c.volume.object : undefined;
    return volume && reservationOf(volume, c.claim) === 'this'
      ? matchVolume(volume, c.claim, { by: 'volumeName' })
      : undefined;
  }
  const matches = c.reservedVolumes.map((volume) => matchVolume(volume, c.claim, { by: 'search' }));
  return [...matches].sort((a, b) => a.failed.length - b.failed.length)[0];
}

/** Seconds since the controller could have bound the two. */
export function waitedFor(c: PresentClaim, volume: Volume): number {
  const times = [
    c.claim.metadata.creationTimestamp,
    volume.metadata.creationTimestamp,
    volume.status?.lastPhaseTransitionTime,
  ].map((time) => parseTime(time) ?? Number.NEGATIVE_INFINITY);
  return secondsBetween(Math.max(...times), c.now);
}

/**
 * A volume that was provisioned for the claim has its uid: pv_controller syncVolume reports the wrong mode and stops
 * there.
 */
export function isProvisionedInWrongMode({ volume, failed }: VolumeMatch): boolean {
  return failed.includes('volumeMode') && Boolean(volume.spec?.claimRef?.uid);
}

/** Provisioned without the VolumeAttributesClass of the claim, which the volume controller compares all the same. */
export function isProvisionedWithoutAttributes({ volume, failed }: VolumeMatch): boolean {
  return failed.length === 1 && failed[0] === 'attributesClass' && Boolean(volume.spec?.claimRef?.uid);
}

/** A volume that only lacks a size is a cause of its own. */
export function isOnlyUnsized({ volume, failed }: VolumeMatch): boolean {
  return failed.length === 1 && failed[0] === 'capacity' && volume.spec?.capacity?.['storage'] === undefined;
}

/** What follows when a claim with a volume of its own is recreated: it has a new uid. */
export const provisionedAnew =
  'A new volume is then provisioned for it; the present one was never used and goes, unless its policy is Retain.';

export function claimRefField(volume: Volume): Evidence {
  const { namespace = '', name = '', uid } = volume.spec?.claimRef ?? {};
  return field(volume, 'spec.claimRef', `${namespace}/${name}${uid ? `, uid ${uid}` : ', no uid'}`);
}
