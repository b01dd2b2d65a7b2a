import type { Fix } from '../../report/report.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { objectRule } from '../lib/rule.ts';
import { dataFirst } from './data-first.ts';
import { stateEvidence } from './failed-volume.ts';
import { provisionerFinalizer } from './finalizers.ts';
import { policyOf } from './reclaim-policy.ts';
import type { VolumeSubject } from './volume-deletion.ts';
import { forgetFix } from './volume-words.ts';

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
      summary: `pv/${v.name} is Failed and is never retried: ${spec.csi.driver ?? 'its driver'} deletes only volumes that are Released.`,
      evidence: stateEvidence(v),
      fix: fixesFor(v),
    };
  },
});

function fixesFor(v: VolumeSubject): Fix[] {
  const { driver = 'the driver', volumeHandle = '' } = v.object.spec?.csi ?? {};
  const forget = forgetFix(
    v,
    `Remove only the object and keep volume "${volumeHandle}" in the backend. Delete it there by hand when it is no longer needed.`,
  );
  // With Retain the phase does not matter: nothing is to be deleted.
  if (policyOf(v.object) !== 'Delete') return [forget];
  const back = steps(`Set the phase back to Released: ${driver} then deletes the volume within 5 minutes.`, [
    kubectl('patch', v.object, `--subresource=status --type=merge -p '{"status":{"phase":"Released"}}'`),
  ]);
  return [...dataFirst(v.object, [back]), forget];
}
