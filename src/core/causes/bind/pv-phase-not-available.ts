import { parseTime, secondsBetween } from '../../kube/time.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { createVolumeFix } from '../lib/create-volume.ts';
import { closestVolumeRule } from './closest-volume.ts';
import { startManagerFix } from './controller-manager.ts';
import { handOver } from './volume-taken.ts';

const graceSeconds = 60;

/** The search considers only volumes in phase Available, which the controller sets within seconds of their creation. */
export const pvPhaseNotAvailable = closestVolumeRule('pv-phase-not-available', 'phase', {
  holds: (c, volume) => hasFailed(volume) || ageSeconds(volume, c.now) >= graceSeconds,
  describe(_c, { volume: { status } }) {
    const message = status?.message;
    return `is in phase ${status?.phase ?? 'not set'}, not Available${message ? ` ("${message}")` : ''}`;
  },
  evidence: (_c, volume) => (hasFailed(volume) ? [field(volume, 'status.phase')] : []),
  advise: (c, { volume }) =>
    hasFailed(volume)
      ? replaceVolume(c, volume)
      : [startManagerFix(undefined, 'It sets new volumes to Available; the claim then binds within 15 seconds.')],
});

function hasFailed(volume: Volume): boolean {
  return volume.status?.phase === 'Failed';
}

function ageSeconds(volume: Volume, now: number): number {
  return secondsBetween(parseTime(volume.metadata.creationTimestamp) ?? 0, now);
}

/** No controller touches a Failed volume again; its storage may still hold what the former claim left. */
function replaceVolume(c: PresentClaim, volume: Volume): Fix[] {
  return [
    createVolumeFix(c, 'Create another volume for the claim: a Failed one is not used again.', volume),
    handOver(c, volume),
  ];
}
