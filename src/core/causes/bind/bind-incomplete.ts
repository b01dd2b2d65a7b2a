import type { Volume } from '../../kube/kinds.ts';
import { bindCompletedAnnotation } from '../../facts/claim/claim-case.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix } from '../../facts/evidence.ts';
import { reservationOf } from '../../facts/volume/volume-match.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimRefField, reservedMatch, waitedFor } from './reserved-volume.ts';

const graceSeconds = 60;

/** pv_controller bind() saves the volume first, then the claim; if the second write is refused or lost, the binding stays half done. */
export const bindIncomplete = claimRule({
  cause: 'bind-incomplete',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    const volume = halfBoundVolume(c);
    if (!volume || waitedFor(c, volume) < graceSeconds) return undefined;
    return {
      confidence: volume.spec?.claimRef?.uid ? 'certain' : 'likely',
      summary: `volume ${volume.metadata.name} names pvc/${c.name} and fits, but the binding was never finished on the claim's side`,
      evidence: evidenceOf(c, volume),
      fix: advice,
    };
  },
});

function halfBoundVolume(c: PresentClaim): Volume | undefined {
  const match = reservedMatch(c);
  if (match) return match.failed.length === 0 ? match.volume : undefined;
  return returnedVolume(c);
}

/** A Lost claim whose volume exists again is bound at the next sync. */
function returnedVolume(c: PresentClaim): Volume | undefined {
  const volume = c.isLost && c.volume?.state === 'found' ? c.volume.object : undefined;
  return volume && reservationOf(volume, c.claim) !== 'other' ? volume : undefined;
}

function evidenceOf(c: PresentClaim, volume: Volume): Explanation['evidence'] {
  return [
    claimRefField(volume),
    field(volume, 'status.phase'),
    field(c.claim, 'spec.volumeName'),
    field(c.claim, 'status.phase'),
    field(
      c.claim,
      `metadata.annotations[${bindCompletedAnnotation}]`,
      c.annotation(bindCompletedAnnotation) ?? 'not set',
    ),
  ];
}

const advice = [
  fix(
    'see what the kube-controller-manager says when it writes the claim: a webhook or a quota may refuse it',
    'kubectl -n kube-system logs -l component=kube-controller-manager --tail=200',
  ),
  fix(
    'see which webhooks judge changes of claims',
    'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations',
  ),
];
