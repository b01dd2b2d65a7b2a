import { mountingPods, resizeStateOf } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import { growthEvidence, lowerRequest, resizerOf } from './expansion.ts';
import { nodeErrorOf, nodeLogFix } from './node-expansion.ts';
import { quote } from '../lib/driver-error/quote.ts';

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
    return {
      summary: `${resizerOf(c).driver ?? 'the driver'} cannot grow the volume on ${pod?.spec?.nodeName ?? 'the node'} to ${c.request ?? 'the new size'}${error?.words ? `: ${quote(error.words)}` : ''}`,
      evidence: [...growthEvidence(c), ...(error ? [error.evidence] : [])],
      fix: [lowerRequest(c, error?.words ?? ''), nodeLogFix(pod)],
    };
  },
});
