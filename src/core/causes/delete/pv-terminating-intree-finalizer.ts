import type { Lease } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { staleManagerLease } from '../../facts/driver/manager-lease.ts';
import { deletionSenseOf } from '../lib/driver-error/deletion-sense.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import { objectRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { dataFirst } from './data-first.ts';
import { deletionEvidence, inTreeFinalizer } from './finalizers.ts';
import { staleLeaseWords, startManagerFix, testUpdateFix } from './manager-fixes.ts';
import { isHeldBy, secondsTerminating } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';
import { deletedVolumeWords } from './volume-words.ts';

/** How long the deletion in the backend may take. */
const deleteSeconds = 120;

/** For volumes that the kube-controller-manager deletes itself (pv_controller_base modifyDeletionFinalizers). */
export const pvTerminatingInTreeFinalizer = objectRule('PersistentVolume', {
  cause: 'pv-terminating-intree-finalizer',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    if (!isHeldBy(v, inTreeFinalizer) || v.object.status?.phase === 'Bound' || secondsTerminating(v) < deleteSeconds)
      return undefined;
    const lease = staleManagerLease(v.ask);
    return {
      ...(lease && { about: 'kube-controller-manager' }),
      summary: `${deletedVolumeWords(v)} and still has finalizer ${inTreeFinalizer}: ${reasonWords(v, lease)}.`,
      evidence: [
        ...deletionEvidence(v.object),
        field(v.object, 'status.phase'),
        ...(v.object.status?.message ? [field(v.object, 'status.message')] : []),
        ...(lease ? [field(lease, 'spec.renewTime')] : []),
      ],
      fix: fixesFor(v, lease),
    };
  },
});

function reasonWords(v: VolumeSubject, lease: Lease | undefined): string {
  if (lease)
    return `the kube-controller-manager, which deletes the volume, is not running (${staleLeaseWords(lease, v.now)})`;
  const { message } = v.object.status ?? {};
  return message
    ? `the volume controller reports ${quoteWords(message)}`
    : 'the volume controller has not deleted it in the backend and reports no error';
}

/**
 * The finalizer stays: removed by hand, the volume would be left in the backend. With Retain its controller removes it.
 */
function fixesFor(v: VolumeSubject, lease: Lease | undefined): Fix[] {
  const then = 'The volume then goes.';
  const { message } = v.object.status ?? {};
  if (lease) return dataFirst(v.object, [startManagerFix(v.ask, lease, then)]);
  if (!message) return dataFirst(v.object, [testUpdateFix(v.ask, v.object, then)]);
  const { cure } = deletionSenseOf(message);
  return dataFirst(v.object, [steps(`${cure} The volume controller retries automatically within a few minutes.`, [])]);
}
