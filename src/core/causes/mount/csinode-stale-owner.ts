import { field, fix, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Fix } from '../../report/report.ts';
import { objectRule, podRule } from '../lib/rule.ts';
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
    summary: `the CSINode of ${name} belongs to an earlier node of that name, so what it says of drivers and node ids may be wrong`,
    evidence: [field(csiNode, 'metadata.ownerReferences[Node].uid', owner.uid), field(node, 'metadata.uid')],
    fix: adviceFor(name),
  };
}

function adviceFor(node: string): Fix[] {
  return [
    fix('see whether the node ids in it are those of the machine', `kubectl get csinode ${shellWord(node)} -o yaml`),
    fix(
      'if not, delete it, then restart the kubelet and the node plugins there: they write it anew',
      `kubectl delete csinode ${shellWord(node)}`,
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
