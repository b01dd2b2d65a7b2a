import type { Lease } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import { staleManagerLease } from '../../facts/driver/manager-lease.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { deletionEvidence, inTreeFinalizer, removeFinalizerFix } from './finalizers.ts';
import { isHeldBy, policyOf, retainFix, secondsTerminating } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

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
      summary: `pv/${v.name} is being deleted and still has ${inTreeFinalizer}: ${reasonWords(v, lease)}`,
      evidence: [
        ...deletionEvidence(v.object),
        field(v.object, 'status.phase'),
        ...(v.object.status?.message ? [field(v.object, 'status.message')] : []),
        ...(lease ? [field(lease, 'spec.renewTime')] : []),
      ],
      fix: fixesFor(v),
    };
  },
});

function reasonWords(v: VolumeSubject, lease: Lease | undefined): string {
  if (lease)
    return `the kube-controller-manager has not renewed its lease for ${ageText(parseTime(lease.spec?.renewTime) ?? v.now, v.now)}`;
  const { message } = v.object.status ?? {};
  return message ? `the volume controller says: ${message}` : 'the volume controller has not deleted it in the backend';
}

function fixesFor(v: VolumeSubject): Fix[] {
  return [
    fix('see what the volume controller says', `kubectl describe pv ${shellWord(v.name)}`),
    ...(policyOf(v.object) === 'Delete'
      ? [
          retainFix(
            v.name,
            'or keep what is in the backend: with policy Retain the controller takes its finalizer off; clean the backend by hand afterwards',
          ),
        ]
      : []),
    removeFinalizerFix(
      v.object,
      inTreeFinalizer,
      'only if the backend no longer holds the volume, take the finalizer off by hand',
    ),
  ];
}
