import { quoteWords } from '../lib/driver-error/quote.ts';
import { recycleFailedTexts } from '../lib/driver-error/sentences/volume-controller.ts';
import { objectRule } from '../lib/rule.ts';
import { retainFix } from './data-first.ts';
import { sourceOf, stateEvidence } from './failed-volume.ts';
import { policyOf } from './reclaim-policy.ts';
import { forgetFix, reuseFix } from './volume-words.ts';

/** pv_controller recycleVolumeOperation: only NFS and hostPath volumes can be recycled, by a pod that wipes them. */
export const pvFailedRecycle = objectRule('PersistentVolume', {
  cause: 'pv-failed-recycle',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const { spec, status } = v.object;
    const isSaid = recycleFailedTexts.test(status?.message ?? '');
    if (status?.phase !== 'Failed' || (policyOf(v.object) !== 'Recycle' && !isSaid)) return undefined;
    const canRecycle = spec?.nfs !== undefined || spec?.hostPath !== undefined;
    const reason = status.message ? `: ${quoteWords(status.message)}` : '';
    return {
      summary: canRecycle
        ? `pv/${v.name} has policy Recycle, and wiping it failed${reason}.`
        : `pv/${v.name} has policy Recycle, but ${sourceOf(v.object)} volumes cannot be recycled: only NFS and hostPath volumes can.`,
      evidence: stateEvidence(v),
      fix: [
        reuseFix(v) ?? retainFix(v.name, 'Set the policy to Retain, which keeps the data: Recycle is deprecated.'),
        forgetFix(
          v,
          'Remove only the object and keep the data. Delete it in the storage by hand when it is no longer needed.',
        ),
      ],
    };
  },
});
