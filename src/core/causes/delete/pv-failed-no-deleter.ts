import type { Fix } from '../../report/report.ts';
import { steps } from '../lib/steps.ts';
import { objectRule } from '../lib/rule.ts';
import { retainCommand } from './data-first.ts';
import { sourceOf, stateEvidence } from './failed-volume.ts';
import { policyOf } from './reclaim-policy.ts';
import { isStaticDelete } from './static-volume.ts';
import { deleterOf } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';
import { forgetFix, reuseFix } from './volume-words.ts';
import { hostPathDeleterText, noDeleterTexts } from '../lib/driver-error/sentences/volume-controller.ts';

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
    const isSaid = noDeleterTexts.test(status.message ?? '');
    const isAssumed = !status.message && policyOf(v.object) === 'Delete' && deleterOf(v.object) === undefined;
    if (!isSaid && !isAssumed) return undefined;
    return {
      confidence: isSaid ? 'certain' : 'likely',
      summary: `pv/${v.name} has policy ${policyOf(v.object)}, but ${limitWords(v)}. It stays Failed, and its data stays where it is.`,
      evidence: stateEvidence(v),
      fix: fixesFor(v),
    };
  },
});

function limitWords(v: VolumeSubject): string {
  const { spec, status } = v.object;
  return hostPathDeleterText.test(status?.message ?? '')
    ? `Kubernetes deletes hostPath volumes only below /tmp, and this one is ${spec?.hostPath?.path ?? 'elsewhere'}`
    : `no controller can delete ${sourceOf(v.object)} volumes`;
}

function fixesFor(v: VolumeSubject): Fix[] {
  const reuse = reuseFix(v);
  return [
    forgetFix(v, `Remove the object, then delete the data by hand at ${placeOf(v)} when it is no longer needed.`),
    ...(reuse ? [reuse] : []),
    ...othersFix(v),
  ];
}

function placeOf({ object: { spec } }: VolumeSubject): string {
  if (spec?.nfs) return `${spec.nfs.server ?? ''}:${spec.nfs.path ?? ''}`;
  if (spec?.hostPath) return `${spec.hostPath.path ?? ''} on its node`;
  return 'the storage';
}

/** Other volumes that will end the same way. */
function othersFix(v: VolumeSubject): Fix[] {
  const others = v.ask
    .seen('PersistentVolume')
    .filter(
      (volume) =>
        volume.metadata.name !== v.name &&
        !volume.spec?.csi &&
        sourceOf(volume) === sourceOf(v.object) &&
        isStaticDelete(volume),
    );
  if (others.length === 0) return [];
  return [
    steps(
      `Set the other ${sourceOf(v.object)} volumes with policy Delete to Retain, before their claims are deleted.`,
      others.slice(0, 5).map(({ metadata }) => retainCommand(metadata.name)),
    ),
  ];
}
