import { fix, shellWord } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';
import { objectRule } from '../lib/rule.ts';
import { stateEvidence } from './failed-volume.ts';
import { provisionerFinalizer } from './finalizers.ts';
import { policyOf, retainFix } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

/**
 * external-provisioner deletes only Released volumes, and the volume controller never changes Failed back (provisioner
 * library shouldDelete).
 */
export const pvFailedCsiNotRetried = objectRule('PersistentVolume', {
  cause: 'pv-failed-csi-not-retried',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const { spec, status } = v.object;
    if (
      status?.phase !== 'Failed' ||
      !spec?.csi ||
      policyOf(v.object) === 'Recycle' ||
      (v.isTerminating && !v.finalizers.includes(provisionerFinalizer))
    )
      return undefined;
    return {
      summary: `pv/${v.name} is Failed, and ${spec.csi.driver ?? 'its driver'} deletes only volumes that are Released: it is never tried again`,
      evidence: stateEvidence(v),
      fix: fixesFor(v),
    };
  },
});

function fixesFor(v: VolumeSubject): Fix[] {
  return [
    retainFix(v.name, 'keep what is in the backend and let go of the object: set Retain first'),
    fix(
      `then delete the object, and clean volume ${v.object.spec?.csi?.volumeHandle ?? ''} in the backend by hand`,
      `kubectl delete pv ${shellWord(v.name)}`,
      'disruptive',
    ),
    fix(
      'data-loss: or set the phase back, and the driver deletes the volume with its data',
      `kubectl patch pv ${shellWord(v.name)} --subresource status --type merge -p '{"status":{"phase":"Released"}}'`,
      'data-loss',
    ),
  ];
}
