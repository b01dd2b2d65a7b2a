import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { deletedWords, isProtected, policyEvidence } from './claim-deletion.ts';
import { holdersOf, isFinished, nextHolderWords, podNames } from './claim-holders.ts';
import { releaseFix } from './claim-release.ts';
import { rescueFix } from './claim-rescue.ts';
import { deletionEvidence } from './finalizers.ts';

/** pvc_protection_controller does not check whether a pod still runs, only whether it exists. */
export const pvcTerminatingCompletedPod = claimRule({
  cause: 'pvc-terminating-completed-pod',
  stage: 'delete',
  severity: 'blocking',
  explain(c) {
    if (!isProtected(c)) return undefined;
    const { items: pods } = holdersOf(c);
    if (pods.length === 0 || !pods.every(isFinished)) return undefined;
    const holders = pods.length === 1 ? 'a pod that has ended' : `${pods.length} pods that have ended`;
    return {
      summary:
        `${deletedWords(c)} and is still held by ${holders}: ${podNames(pods)}. ` +
        `A finished pod counts until it is deleted.${nextHolderWords(c)}`,
      evidence: [
        ...deletionEvidence(c.claim),
        ...pods.slice(0, 5).map((pod) => field(pod, 'status.phase')),
        ...policyEvidence(c),
      ],
      fix: fixesFor(c, pods),
    };
  },
});

function fixesFor(c: PresentClaim, pods: readonly Pod[]): Fix[] {
  const isOfJob = pods.some((pod) => pod.metadata.ownerReferences?.some(({ kind }) => kind === 'Job'));
  const note = isOfJob ? ' Set ttlSecondsAfterFinished in the jobs, so that their pods do not hold claims again.' : '';
  return [releaseFix(c, pods, note), rescueFix(c, pods)].filter((fix) => fix !== undefined);
}
