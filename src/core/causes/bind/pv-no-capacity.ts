import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { reservationOf } from '../../facts/volume/volume-match.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { closestVolumeRule, requestField } from './closest-volume.ts';
import { reservedMatch } from './reserved-volume.ts';

const cause = 'pv-no-capacity';

/** component-helpers FindMatchingVolume: a capacity that is not set is zero. */
export const pvNoCapacity = closestVolumeRule(cause, 'noCapacity', {
  describe: (c) => `states no size, which counts as 0, and the claim asks for ${c.request ?? 'more'}`,
  evidence: (c) => [requestField(c)],
  advise: (c, { volume }) => [setCapacity(c, volume)],
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
      summary:
        `pv/${volume.metadata.name}, which ${claimText(c)} is to bind, states no size, which counts as 0. ` +
        `The claim asks for ${c.request ?? 'more'}.`,
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
  const storage = c.request ?? 'PLACEHOLDER_SIZE';
  return steps(
    `Set the size of pv/${volume.metadata.name} to what its storage has; ` +
      `${storage} is the least that fits the claim. The two are bound within 15 seconds.`,
    [patchCommand(volume, { spec: { capacity: { storage } } })],
  );
}
