import { staleManagerLease } from '../../facts/driver/manager-lease.ts';
import type { Lease } from '../../kube/kinds.ts';
import type { Confidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, note } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import {
  deletedWords,
  isProtected,
  looksUnused,
  policyEvidence,
  protectionSeconds,
  secondsSinceDeletion,
} from './claim-deletion.ts';
import { holdersOf } from './claim-holders.ts';
import { dataFirst, volumeAtRisk } from './data-first.ts';
import { deletionEvidence, pvcProtection } from './finalizers.ts';
import { staleLeaseWords, startManagerFix, testUpdateFix } from './manager-fixes.ts';

/** No pod uses the claim, and the controller that should notice this does not act. */
export const pvcTerminatingProtectionStuck = claimRule({
  cause: 'pvc-terminating-protection-stuck',
  stage: 'delete',
  severity: 'blocking',
  explain(c) {
    if (!isProtected(c) || secondsSinceDeletion(c) < protectionSeconds) return undefined;
    const { items, complete } = holdersOf(c);
    if (items.length > 0 || (!complete && !looksUnused(c))) return undefined;
    const lease = staleManagerLease(c.ask);
    return {
      confidence: confidenceOf(complete, lease),
      ...(lease && { about: 'kube-controller-manager' }),
      summary: `${deletedWords(c)} and no pod uses it. ${reasonWords(c, lease)}`,
      evidence: [
        ...deletionEvidence(c.claim),
        note(c.claim, `no pod with a node uses it${complete ? '' : ', as far as the dump shows'}`),
        ...(lease ? [field(lease, 'spec.renewTime'), field(lease, 'spec.holderIdentity')] : []),
        ...policyEvidence(c),
      ],
      fix: fixesFor(c, lease),
    };
  },
});

function confidenceOf(areAllPodsRead: boolean, lease: Lease | undefined): Confidence {
  if (!areAllPodsRead) return 'possible';
  return lease ? 'certain' : 'likely';
}

function reasonWords(c: PresentClaim, lease: Lease | undefined): string {
  return lease
    ? `The kube-controller-manager, which has to remove finalizer ${pvcProtection}, is not running: ${staleLeaseWords(lease, c.now)}.`
    : `Finalizer ${pvcProtection} is still there: the protection controller in the kube-controller-manager ` +
        'does not act, or its update is refused.';
}

/** The finalizer stays: only its controller knows of pods that are just starting. */
function fixesFor(c: PresentClaim, lease: Lease | undefined): Fix[] {
  const then = 'The claim then goes within a minute.';
  const repair = lease ? startManagerFix(c.ask, lease, then) : testUpdateFix(c.ask, c.claim, then);
  return dataFirst(volumeAtRisk(c), [repair], 'Its volume is then deleted with the data.');
}
