import { field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Fix } from '../../report/report.ts';
import { onNode } from '../lib/node-commands.ts';
import { objectRule, podRule } from '../lib/rule.ts';
import { kubectl, steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { findCsiNode, findCsiNodeOfPod } from './csinode.ts';
import type { NodeWithCsiNode } from './csinode.ts';

const cause = 'csinode-stale-owner';
const severity = 'warning';

/** A CSINode that outlived its node is taken over by the next node of that name, with the old node ids. */
function explainStaleOwner({ csiNode, node }: NodeWithCsiNode): Explanation | undefined {
  const owner = csiNode.metadata.ownerReferences?.find(({ kind }) => kind === 'Node');
  if (!owner?.uid || !node.metadata.uid || owner.uid === node.metadata.uid) return undefined;
  const { name } = node.metadata;
  return {
    about: name,
    summary: `CSINode ${name} belongs to an earlier node of that name, so the drivers and node ids in it may be wrong.`,
    evidence: [field(csiNode, 'metadata.ownerReferences[Node].uid', owner.uid), field(node, 'metadata.uid')],
    fix: adviceFor(name),
  };
}

function adviceFor(node: string): Fix[] {
  return [
    steps(
      'If the node ids in it are not those of the machine, delete the CSINode and restart the kubelet of ' +
        `${node}: it writes the object anew, and the drivers register again.`,
      [kubectl('delete', { kind: 'CSINode', metadata: { name: node } }), onNode(node, 'systemctl restart kubelet')],
      'disruptive',
    ),
  ];
}

function explainPod(p: PodCase): Explanation | undefined {
  const found = findCsiNodeOfPod(p);
  return found && explainStaleOwner(found);
}

export const csinodeStaleOwner = {
  atMount: [
    objectRule('Node', {
      cause,
      stage: 'mount',
      severity,
      explain(n) {
        const found = findCsiNode(n.ask, n.name);
        return found && explainStaleOwner(found);
      },
    }),
    podRule({ cause, stage: 'mount', severity, explain: explainPod }),
  ],
  atAttach: [podRule({ cause, stage: 'attach', severity, explain: explainPod })],
};
