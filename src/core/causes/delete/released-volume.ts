import { ClaimCase, isPresent } from '../../facts/claim/claim-case.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { VolumeSubject } from './volume-deletion.ts';

/** A claim that was created later under the name of the one that released the volume. */
export function namesakeOf(v: VolumeSubject): PresentClaim | undefined {
  const { namespace, name, uid } = v.object.spec?.claimRef ?? {};
  if (namespace === undefined || !name) return undefined;
  const found = v.ask.get(
    'PersistentVolumeClaim',
    namespace,
    name,
    `whether a new claim has the name of the one that let go of pv/${v.name}`,
  );
  if (found.state !== 'found' || found.object.metadata.uid === uid) return undefined;
  const namesake = new ClaimCase(v.ask, namespace, name, found.object);
  return isPresent(namesake) ? namesake : undefined;
}

/**
 * The namesake was bound to this volume, so it gets it back only if the claimRef has its uid (pv_controller
 * syncBoundClaim).
 */
export function hasLost(namesake: PresentClaim, v: VolumeSubject): boolean {
  return namesake.volumeName === v.name && (namesake.isLost || namesake.wasBound);
}
