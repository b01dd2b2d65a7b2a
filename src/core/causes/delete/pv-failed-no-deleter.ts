import { objectRule } from '../lib/rule.ts';
import { forgetFix, sourceOf, stateEvidence } from './failed-volume.ts';
import { deleterOf, policyOf, retainFix } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

const noDeleter =
  /error getting deleter volume plugin for volume "[^"]+": no (?:deletable )?volume plugin matched|no (?:deletable )?volume plugin matched|host_path deleter only supports/i;

/**
 * pv_controller findDeletablePlugin: the kube-controller-manager can delete hardly any volumes itself, and reports it
 * once.
 */
export const pvFailedNoDeleter = objectRule('PersistentVolume', {
  cause: 'pv-failed-no-deleter',
  stage: 'delete',
  severity: 'blocking',
  explain(v) {
    const { spec, status } = v.object;
    if (status?.phase !== 'Failed' || spec?.csi || policyOf(v.object) === 'Recycle') return undefined;
    const isSaid = noDeleter.test(status.message ?? '');
    const isAssumed = !status.message && policyOf(v.object) === 'Delete' && deleterOf(v.object) === undefined;
    if (!isSaid && !isAssumed) return undefined;
    return {
      confidence: isSaid ? 'certain' : 'likely',
      summary: `pv/${v.name} has policy Delete, and ${limitWords(v)}`,
      evidence: stateEvidence(v),
      fix: [
        retainFix(
          'NAME',
          'for the other volumes of this kind: set their policy to Retain before their claims are deleted',
        ),
        forgetFix(v),
      ],
    };
  },
});

function limitWords(v: VolumeSubject): string {
  const { spec, status } = v.object;
  return /host_path deleter/.test(status?.message ?? '')
    ? `of hostPath volumes Kubernetes deletes only those below /tmp (this one is ${spec?.hostPath?.path ?? 'elsewhere'})`
    : `nobody in the cluster can delete ${sourceOf(v.object)} volumes`;
}
