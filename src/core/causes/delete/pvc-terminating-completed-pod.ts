import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { isProtected } from './claim-deletion.ts';
import {
  holdersOf,
  isFinished,
  keepDataFixes,
  nameSome,
  releaseFixes,
  whatIsLeft,
  whatIsLeftFixes,
} from './claim-holders.ts';
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
    const holders =
      pods.length === 1 ? 'a pod that has ended still holds it' : `${pods.length} pods that have ended still hold it`;
    return {
      summary: `pvc/${c.name} is being deleted, and ${holders}: ${nameSome(pods.map((pod) => `pod/${pod.metadata.name}`))}; a finished pod counts until it is deleted${whatIsLeft(c)}`,
      evidence: [...deletionEvidence(c.claim), ...pods.slice(0, 5).map((pod) => field(pod, 'status.phase'))],
      fix: fixesFor(c, pods),
    };
  },
});

function fixesFor(c: PresentClaim, pods: readonly Pod[]): Fix[] {
  const isOfJob = pods.some((pod) => pod.metadata.ownerReferences?.some(({ kind }) => kind === 'Job'));
  return [
    ...keepDataFixes(c),
    ...releaseFixes(c, pods),
    ...whatIsLeftFixes(c),
    ...(isOfJob
      ? [
          fix(
            'so that it does not happen again: let finished jobs be cleaned up, with ttlSecondsAfterFinished',
            'kubectl explain job.spec.ttlSecondsAfterFinished',
          ),
        ]
      : []),
  ];
}
