import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { delayedClaims, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { podRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { removeSelectedNodeCommand, selectedNodeEvidence } from './selected-node.ts';

/** binder FindPodVolumes: a claim with a selected node is refused on every other node without further checks. */
export const wffcSelectedNodeSplit = podRule({
  cause: 'wffc-selected-node-split',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const split = findSplit(p);
    if (!split) return undefined;
    const [first, second] = split;
    return {
      summary:
        `${first.node} is selected for pvc/${first.claim.name} and ${second.node} for pvc/${second.claim.name}, ` +
        `so pod/${p.pod.metadata.name}, which uses both, fits on no node.`,
      evidence: [selectedNodeEvidence(first.claim), selectedNodeEvidence(second.claim), ...schedulerSaid(p)],
      fix: [
        steps(
          'Remove both selections: neither claim has a volume yet. ' +
            'The scheduler then selects one node for both, and the volumes are created there.',
          split.map(({ claim }) => removeSelectedNodeCommand(claim)),
        ),
      ],
    };
  },
});

interface Choice {
  readonly claim: ClaimCase;
  readonly node: string;
}

/** Two claims of the pod for which different nodes are chosen. */
function findSplit(p: PodCase): readonly [Choice, Choice] | undefined {
  if (p.isScheduled) return undefined;
  const [first, ...rest] = delayedClaims(p).flatMap((claim): Choice[] =>
    claim.selectedNode === undefined ? [] : [{ claim, node: claim.selectedNode }],
  );
  const second = rest.find(({ node }) => node !== first?.node);
  return first && second && [first, second];
}
