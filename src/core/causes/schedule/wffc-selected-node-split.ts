import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { delayedClaims, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { podRule } from '../lib/rule.ts';
import { removeSelectedNode, selectedNodeEvidence } from './selected-node.ts';

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
      summary: `pvc/${first.claim.name} was promised to node ${first.node} and pvc/${second.claim.name} to node ${second.node}, so pod/${p.pod.metadata.name} fits on neither`,
      evidence: [selectedNodeEvidence(first.claim), selectedNodeEvidence(second.claim), ...schedulerSaid(p)],
      fix: split.map(({ claim }) => removeSelectedNode(claim)),
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
