import { objectRule } from '../lib/rule.ts';
import { forgetFix, sourceOf, stateEvidence } from './failed-volume.ts';
import { policyOf, retainFix } from './volume-deletion.ts';

/** pv_controller recycleVolumeOperation: only NFS and hostPath volumes can be recycled, by a pod that wipes them. */
export const pvFailedRecycle = objectRule('PersistentVolume', {
  cause: 'pv-failed-recycle',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const { spec, status } = v.object;
    const isSaid = /No recycler plugin found for the volume!|Recycle failed: /.test(status?.message ?? '');
    if (status?.phase !== 'Failed' || (policyOf(v.object) !== 'Recycle' && !isSaid)) return undefined;
    const canRecycle = spec?.nfs !== undefined || spec?.hostPath !== undefined;
    return {
      summary: canRecycle
        ? `pv/${v.name} has policy Recycle, and wiping it failed: ${status.message ?? 'no message'}`
        : `pv/${v.name} has policy Recycle, and ${sourceOf(v.object)} volumes cannot be recycled: only NFS and hostPath can`,
      evidence: stateEvidence(v),
      fix: [
        retainFix(v.name, 'keep the data: Recycle is deprecated, set Retain (or Delete, with a driver that can)'),
        forgetFix(v),
      ],
    };
  },
});
