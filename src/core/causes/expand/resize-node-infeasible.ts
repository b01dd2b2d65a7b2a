import { mountingPods, resizeStateOf } from '../../journey/claim-growth.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { atLeast } from '../../kube/version.ts';
import { claimRule } from '../lib/rule.ts';
import { sentence } from '../lib/sentence.ts';
import type { RpcWords } from '../lib/driver-error/resize-error.ts';
import { versionOf } from '../provision/in-tree.ts';
import { driverWords, growthEvidence } from './expansion.ts';
import { lowerRequest } from './lower-request.ts';
import { nodeErrorOf, nodeLogFix } from './node-expansion.ts';
import { restartPods } from './pod-restart.ts';
import { answerWords, targetOf } from './resize-controller-error.ts';

/** The state's current name, and its name in 1.28 to 1.30. */
const states = ['NodeResizeInfeasible', 'NodeResizeFailed'];

/** node_expander MarkNodeExpansionInfeasible: the kubelet does not retry until the resizer has corrected the size. */
export const resizeNodeInfeasible = claimRule({
  cause: 'resize-node-infeasible',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    if (!states.includes(resizeStateOf(c.claim))) return undefined;
    const error = nodeErrorOf(c);
    const [pod] = mountingPods(c);
    const answer = error && (error.words || error.code) ? `: ${answerWords(error)}` : '';
    return {
      summary:
        `The storage of pvc/${c.name} has grown, but ` +
        `${sentence(`${driverWords(c)} cannot grow the volume on ${pod?.spec?.nodeName ?? 'the node'} to ${targetOf(c)}${answer}`)}`,
      evidence: [...growthEvidence(c), ...(error ? [error.evidence] : [])],
      fix: adviceFor(c, error),
    };
  },
});

/**
 * The resizer lets the kubelet try the same size again (expandAndRecover, NodeResizeInfeasible); a smaller request
 * counts only for a driver that grows volumes on the node alone.
 */
function adviceFor(c: PresentClaim, error: RpcWords | undefined): Fix[] {
  const pods = mountingPods(c);
  const [pod] = pods;
  return [
    ...(pod
      ? [
          restartPods(
            pods,
            `Restart ${pods.length === 1 ? `pod/${pod.metadata.name}` : 'the pods that use it'}: ` +
              'the volume is then staged anew, so that the node sees the device in its new size, and the ' +
              'kubelet tries again.',
          ),
        ]
      : []),
    ...(atLeast(versionOf(c.ask), 1, 32) === false ? [] : [lowerOnNode(c, error)]),
    ...nodeLogFix(c, pod, (where) => `If it stays, read what ${where} logged when it was asked to grow the volume.`),
  ];
}

function lowerOnNode(c: PresentClaim, error: RpcWords | undefined): Fix {
  const { text, ...rest } = lowerRequest(c, error?.words ?? '');
  return {
    text: `For a driver that grows volumes on the node only: ${text.charAt(0).toLowerCase()}${text.slice(1)}`,
    ...rest,
  };
}
