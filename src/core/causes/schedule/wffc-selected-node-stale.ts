import type { Node } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field, fix } from '../../facts/evidence.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import { PodCase } from '../../facts/pod/pod-case.ts';
import { otherReasonsText, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { claimRule } from '../lib/rule.ts';
import { removeSelectedNode, selectedNodeEvidence } from './selected-node.ts';

/** binder FindPodVolumes refuses every other node as long as the annotation stands, even if the chosen node is gone. */
export const wffcSelectedNodeStale = claimRule({
  cause: 'wffc-selected-node-stale',
  stage: 'schedule',
  severity: 'blocking',
  explain(c) {
    const name = c.selectedNode;
    if (name === undefined || c.isBound || !c.isDelayed) return undefined;
    const pods = c.consumers.items.filter((pod) => !pod.spec?.nodeName).map((pod) => new PodCase(c.ask, pod, [c]));
    const refused = pods.find((pod) => storageTexts.nothingToBind.test(pod.schedulingMessage?.raw ?? ''));
    const trouble = findNodeTrouble(c, name, refused ?? pods[0]);
    if (!trouble && !refused) return undefined;
    return {
      confidence: trouble ? 'certain' : 'likely',
      summary: `pvc/${c.name} is promised to node ${name}, ${trouble?.text ?? otherReasonText(refused)}; until that is taken back, no other node is considered`,
      evidence: [
        selectedNodeEvidence(c),
        ...(trouble ? [trouble.evidence] : []),
        ...(refused ? schedulerSaid(refused) : []),
      ],
      fix: [
        removeSelectedNode(c),
        fix(
          'see how old the provisioner is: from version 6 on, and mostly from 3.6, it takes the annotation back by itself when the node is gone',
          'kubectl get deployments -A -o wide | grep -i provisioner',
        ),
      ],
    };
  },
});

/** Why the chosen node cannot take the pod: `which is cordoned`. */
interface NodeTrouble {
  readonly text: string;
  readonly evidence: Evidence;
}

function findNodeTrouble(c: PresentClaim, name: string, p: PodCase | undefined): NodeTrouble | undefined {
  const lookup = c.ask.get('Node', undefined, name, `whether node ${name}, chosen for pvc/${c.name}, still exists`);
  if (lookup.state === 'missing') return { text: 'which does not exist any more', evidence: absent('Node', name) };
  // A cordoned or unready node matters only to a pod that the scheduler has refused.
  return lookup.state === 'found' && p?.schedulingMessage ? findRefusal(lookup.object, p) : undefined;
}

function findRefusal(node: Node, p: PodCase): NodeTrouble | undefined {
  if (node.spec?.unschedulable === true)
    return { text: 'which is cordoned', evidence: field(node, 'spec.unschedulable') };
  const ready = conditionOf(node.status?.conditions, 'Ready');
  if (ready && ready.status !== 'True')
    return {
      text: 'which is not ready',
      evidence: field(node, 'status.conditions[Ready]', ready.status ?? 'Unknown', ready.lastTransitionTime),
    };
  const refusal = fitNodes(p).items.find((fit) => fit.node.metadata.name === node.metadata.name)?.refusal;
  return refusal && { text: `which ${refusal.text}`, evidence: refusal.evidence };
}

function otherReasonText(refused: PodCase | undefined): string {
  const others = refused ? otherReasonsText(refused) : '';
  return `which refuses the pod for another reason${others ? ` (${others})` : ''}`;
}
