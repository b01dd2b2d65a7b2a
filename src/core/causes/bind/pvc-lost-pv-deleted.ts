import type { Confidence } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field } from '../../facts/evidence.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { copiedClaimOf, copiedEvidence, copiedText } from '../lib/copied-claim.ts';
import { lostVolumeFixes } from '../lib/restore-volume.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { hasLostVolume } from './lost-claim.ts';
import { volumeLostText } from '../lib/driver-error/sentences/volume-controller.ts';

/** pv_controller syncBoundClaim: a bound claim whose volume does not exist becomes Lost. */
export const pvcLostPvDeleted = claimRule({
  cause: 'pvc-lost-pv-deleted',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    if (!hasLostVolume(c) || !c.volume || c.volume.state === 'found') return undefined;
    const said = newestMatch(c.events.items, 'ClaimLost', volumeLostText);
    const isMissing = c.volume.state === 'missing';
    if (!isMissing && !isProbablyDeleted(c)) return undefined;
    const copy = copiedClaimOf(c);
    const gone = copy ? 'does not exist' : 'no longer exists';
    return {
      confidence: confidenceOf(isMissing, said),
      summary:
        `${claimText(c)} is Lost: it ${copy ? 'is' : 'was'} bound to pv/${c.volumeName}, which ` +
        `${isMissing || said ? gone : 'was deleted or is held for another claim; it could not be read'}.` +
        `${copy ? copiedText(copy) : ''}`,
      evidence: [
        field(c.claim, 'status.phase'),
        field(c.claim, 'spec.volumeName'),
        ...(isMissing ? [absent('PersistentVolume', c.volumeName)] : []),
        ...(copy ? copiedEvidence(c, copy) : []),
        ...saidOnClaim(c, said),
      ],
      fix: lostVolumeFixes(c),
    };
  },
});

/** Where volumes cannot be read only the phase is known: of the ways to get Lost, a deleted volume is the usual one. */
function isProbablyDeleted(c: PresentClaim): boolean {
  return c.isLost && newestMatch(c.events.items, 'ClaimMisbound', /./) === undefined;
}

function confidenceOf(isMissing: boolean, said: EventMatch | undefined): Confidence {
  if (isMissing) return 'certain';
  return said ? 'likely' : 'possible';
}
