import type { Volume } from '../../kube/kinds.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { namesClaim, reservationOf } from '../../facts/volume/volume-match.ts';
import { keepReservation, staleText } from '../bind/volume-taken.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { explainFirstUnbound, volumesOfItsClass } from './nothing-to-bind.ts';
import { missOf } from './volume-miss.ts';

/**
 * A claim that was deleted and recreated, as with a StatefulSet on local volumes: its former volume still carries the
 * uid of the deleted claim (pv_controller syncVolume).
 */
export const wffcReleasedStaleClaimRef = podRule({
  cause: 'pv-released-stale-claimref',
  stage: 'schedule',
  severity: 'blocking',
  explain: (p) =>
    explainFirstUnbound(p, (claim) => {
      const own = findFormerVolume(p, claim);
      return own && { summary: staleText(own), evidence: evidenceOf(p, claim, own), fix: keepReservation(own) };
    }),
});

function findFormerVolume(p: PodCase, claim: PresentClaim): Volume | undefined {
  if (!claim.storageClassObject || claim.provisioner !== undefined) return undefined;
  const { items } = volumesOfItsClass(claim);
  const own = items.find((volume) => namesClaim(volume, claim.claim) && reservationOf(volume, claim.claim) === 'other');
  if (!own || items.some((volume) => missOf(volume, claim, fitNodes(p)).isUsable)) return undefined;
  return own;
}

function evidenceOf(p: PodCase, { claim }: PresentClaim, own: Volume): EvidenceList {
  return [
    field(claim, 'metadata.uid'),
    field(own, 'spec.claimRef.uid'),
    field(own, 'status.phase'),
    ...schedulerSaid(p),
  ];
}
