import type { Lease } from '../../kube/kinds.ts';
import { field, fix } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import { staleManagerLease } from '../../facts/driver/manager-lease.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { deletionEvidence, pvProtection, removeFinalizerFix } from './finalizers.ts';
import { isHeldBy, secondsTerminating } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

/** How long the protection controller may take. */
const actSeconds = 60;

/** The volume is not bound, nothing else holds it, and the controller that should notice this does not act. */
export const pvTerminatingProtectionStuck = objectRule('PersistentVolume', {
  cause: 'pv-terminating-protection-stuck',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    if (!isProtectedForNothing(v)) return undefined;
    const lease = staleManagerLease(v.ask);
    return {
      confidence: lease ? 'certain' : 'likely',
      ...(lease && { about: 'kube-controller-manager' }),
      summary: `pv/${v.name} is being deleted and not bound, yet ${pvProtection} was not taken off: ${reasonWords(v, lease)}`,
      evidence: [
        ...deletionEvidence(v.object),
        field(v.object, 'status.phase'),
        ...(lease ? [field(lease, 'spec.renewTime'), field(lease, 'spec.holderIdentity')] : []),
      ],
      fix: [
        fix(
          'get the kube-controller-manager to work again: the volume then goes by itself',
          'kubectl -n kube-system get pods -l component=kube-controller-manager -o wide',
        ),
        removeFinalizerFix(
          v.object,
          pvProtection,
          'only if no claim is bound to it and the controller cannot be brought back, take the finalizer off by hand',
        ),
      ],
    };
  },
});

function isProtectedForNothing(v: VolumeSubject): boolean {
  return (
    isHeldBy(v, pvProtection) &&
    v.finalizers.length === 1 &&
    v.object.status?.phase !== 'Bound' &&
    secondsTerminating(v) >= actSeconds
  );
}

function reasonWords(v: VolumeSubject, lease: Lease | undefined): string {
  return lease
    ? `the kube-controller-manager has not renewed its lease for ${ageText(parseTime(lease.spec?.renewTime) ?? v.now, v.now)}`
    : 'the protection controller in the kube-controller-manager does not run, or its update is refused';
}
