import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix } from '../../facts/evidence.ts';
import { reservationOf } from '../../facts/volume/volume-match.ts';
import { claimRule } from '../lib/rule.ts';
import { closestVolumeRule, patchVolume, requestField } from './closest-volume.ts';
import { reservedMatch } from './reserved-volume.ts';

const cause = 'pv-no-capacity';
const description = 'does not say how large it is, which counts as nothing';

/** component-helpers FindMatchingVolume: a capacity that is not set is zero. */
export const pvNoCapacity = closestVolumeRule(cause, 'noCapacity', {
  describe: () => description,
  evidence: (c) => [requestField(c)],
  advise: (c, volume) => [setCapacity(c, volume)],
});

/** pv_controller updateClaimStatus refuses a volume without a size, so that the claim is never marked Bound. */
export const reservedNoCapacity = claimRule({
  cause,
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    const volume = chosenVolume(c);
    if (!volume || volume.spec?.capacity?.['storage'] !== undefined) return undefined;
    return {
      summary: `volume ${volume.metadata.name} ${description}`,
      evidence: [requestField(c), field(volume, 'spec.capacity.storage')],
      fix: [setCapacity(c, volume)],
    };
  },
});

/** The volume that is reserved for the claim, or that the claim names while it is free. */
function chosenVolume(c: PresentClaim): Volume | undefined {
  const named = c.namesVolume && c.volume?.state === 'found' ? c.volume.object : undefined;
  const reserved = reservedMatch(c)?.volume;
  if (reserved) return reserved;
  return named && reservationOf(named, c.claim) === 'none' ? named : undefined;
}

function setCapacity(c: PresentClaim, volume: Volume): Fix {
  const capacity = { storage: c.request ?? '1Gi' };
  return fix('give the volume its true size', patchVolume(volume.metadata.name, { spec: { capacity } }));
}
