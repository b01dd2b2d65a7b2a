import type { Volume } from '../../kube/kinds.ts';
import { newestMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { missEvidence, nearMissesOf } from '../../facts/volume/near-miss.ts';
import { namesClaim, reservationOf } from '../../facts/volume/volume-match.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { createVolumeFix } from '../lib/create-volume.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { closestMiss, confidenceOf, ownerText } from './closest-volume.ts';
import { handOver, keepReservation, staleText } from './volume-taken.ts';
import { boundToOtherText } from '../lib/driver-error/sentences/volume-controller.ts';

/**
 * pv_controller syncVolume: the uid in the claimRef is that of a claim which is gone, so the volume stays Released
 * forever, also for a claim that is recreated under the same name.
 */
export const pvReleasedStaleClaimRef = claimRule({
  cause: 'pv-released-stale-claimref',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    const named = c.namesVolume && c.volume?.state === 'found' ? c.volume.object : undefined;
    if (named) return isHeldForNamesake(c, named) ? explainNamed(c, named) : undefined;
    const miss = closestMiss(c);
    if (miss?.reason === 'stale') return explainNamesake(c, miss.volume);
    return miss?.reason === 'released' ? explainReleased(c, miss.volume) : undefined;
  },
});

/** The claimRef has the name of this claim and the uid of another. */
function isHeldForNamesake(c: PresentClaim, volume: Volume): boolean {
  return reservationOf(volume, c.claim) === 'other' && namesClaim(volume, c.claim);
}

/** The claim names the volume. */
function explainNamed(c: PresentClaim, volume: Volume): Explanation {
  const said = newestMatch(c.events.items, 'FailedBinding', boundToOtherText);
  return {
    summary: staleText(volume),
    evidence: [
      field(c.claim, 'spec.volumeName'),
      field(c.claim, 'metadata.uid'),
      field(volume, 'spec.claimRef.uid'),
      field(volume, 'status.phase'),
      ...saidOnClaim(c, said),
    ],
    fix: keepReservation(volume),
  };
}

/** The search comes closest to a volume that is held for an earlier claim of the same name. */
function explainNamesake(c: PresentClaim, volume: Volume): Explanation {
  const near = nearMissesOf(c);
  return {
    confidence: confidenceOf(c, near),
    summary: staleText(volume),
    evidence: [field(c.claim, 'metadata.uid'), ...missEvidence(near.misses, c.claim)],
    fix: keepReservation(volume),
  };
}

/** The search comes closest to a volume that is held for a claim of another name which is gone. */
function explainReleased(c: PresentClaim, volume: Volume): Explanation | undefined {
  const near = nearMissesOf(c);
  const [first, ...rest] = missEvidence(near.misses, c.claim);
  return (
    first && {
      confidence: confidenceOf(c, near),
      summary:
        `No PersistentVolume fits ${claimText(c)}. ` +
        `The closest, pv/${volume.metadata.name}, is Released: it is still held for ${ownerText(volume)}, which ` +
        'is gone, and is never given to another claim automatically.',
      evidence: [first, ...rest],
      fix: [createVolumeFix(c, 'Create another volume for the claim.', volume), handOver(c, volume)],
    }
  );
}
