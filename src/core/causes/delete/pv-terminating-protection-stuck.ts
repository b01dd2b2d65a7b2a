import type { Lease } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import { staleManagerLease } from '../../facts/driver/manager-lease.ts';
import { dataFirst } from './data-first.ts';
import { deletionEvidence, pvProtection } from './finalizers.ts';
import { staleLeaseWords, startManagerFix, testUpdateFix } from './manager-fixes.ts';
import { isHeldBy, secondsTerminating } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';
import { deletedVolumeWords } from './volume-words.ts';

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
      summary: `${deletedVolumeWords(v)} and is bound to no claim. ${reasonWords(v, lease)}`,
      evidence: [
        ...deletionEvidence(v.object),
        field(v.object, 'status.phase'),
        ...(lease ? [field(lease, 'spec.renewTime'), field(lease, 'spec.holderIdentity')] : []),
      ],
      fix: fixesFor(v, lease),
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
    ? `The kube-controller-manager, which has to remove finalizer ${pvProtection}, is not running: ${staleLeaseWords(lease, v.now)}.`
    : `Finalizer ${pvProtection} is still there: the protection controller in the kube-controller-manager does ` +
        'not act, or its update is refused.';
}

/**
 * The provisioner ignores a volume that is being deleted without its finalizer (shouldDelete), so only the object goes.
 * The kube-controller-manager may still delete what it deletes itself.
 */
function fixesFor(v: VolumeSubject, lease: Lease | undefined): Fix[] {
  const then = 'The volume object then goes within a minute.';
  const repair = lease ? startManagerFix(v.ask, lease, then) : testUpdateFix(v.ask, v.object, then);
  return dataFirst(v.object.spec?.csi ? undefined : v.object, [repair]);
}
