import { staleManagerLease } from '../../facts/driver/manager-lease.ts';
import type { Lease } from '../../kube/kinds.ts';
import type { Confidence, Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, note } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { isProtected, looksUnused, protectionSeconds, secondsSinceDeletion } from './claim-deletion.ts';
import { holdersOf } from './claim-holders.ts';
import { deletionEvidence, pvcProtection, removeFinalizerFix } from './finalizers.ts';

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
      summary: `pvc/${c.name} is being deleted and no pod uses it, ${reasonWords(c, lease)}`,
      evidence: [
        ...deletionEvidence(c.claim),
        note(c.claim, `no pod with a node uses it${complete ? '' : ', as far as the dump tells'}`),
        ...(lease ? [field(lease, 'spec.renewTime'), field(lease, 'spec.holderIdentity')] : []),
      ],
      fix: fixesFor(c),
    };
  },
});

function confidenceOf(areAllPodsRead: boolean, lease: Lease | undefined): Confidence {
  if (!areAllPodsRead) return 'possible';
  return lease ? 'certain' : 'likely';
}

function reasonWords(c: PresentClaim, lease: Lease | undefined): string {
  if (!lease)
    return `yet ${pvcProtection} was not taken off: the protection controller in the kube-controller-manager does not run, or its update is refused`;
  const renewed = parseTime(lease.spec?.renewTime);
  return `but the kube-controller-manager, which must let it go, has not renewed its lease for ${ageText(renewed ?? c.now, c.now)}`;
}

function fixesFor(c: PresentClaim): Fix[] {
  return [
    fix(
      'get the kube-controller-manager to work again: the claim then goes by itself',
      'kubectl -n kube-system get pods -l component=kube-controller-manager -o wide',
    ),
    fix(
      'see whether a webhook refuses updates of claims',
      'kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations',
    ),
    removeFinalizerFix(
      c.claim,
      pvcProtection,
      'only if no pod uses the claim and the controller cannot be brought back, take the finalizer off by hand',
    ),
  ];
}
