import type { Node } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { absent, field } from '../../facts/evidence.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import { PodCase } from '../../facts/pod/pod-case.ts';
import { otherReasonsText, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { claimRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { isPlaceRefused } from '../provision/provision-topology-not-allowed.ts';
import { openNodeFixes } from './open-node.ts';
import { orElse } from './remedy.ts';
import { removeSelectedNodeCommand, selectedNodeEvidence } from './selected-node.ts';

/** binder FindPodVolumes refuses every other node as long as the annotation exists, even if the chosen node is gone. */
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
    if (!trouble && (!refused || isPlaceRefused(c))) return undefined;
    return {
      confidence: trouble ? 'certain' : 'likely',
      summary:
        `${name} is selected for pvc/${c.name}, and ${trouble?.text ?? otherReasonText(refused)}. ` +
        'As long as the selection stays, the scheduler considers no other node.',
      evidence: [
        selectedNodeEvidence(c),
        ...(trouble ? [trouble.evidence] : []),
        ...(refused ? schedulerSaid(refused) : []),
      ],
      fix: adviceFor(c, name, trouble, refused ?? pods[0]),
    };
  },
});

/** The claim has no volume yet, so nothing is lost when another node is selected. */
function adviceFor(c: PresentClaim, name: string, trouble: NodeTrouble | undefined, pod: PodCase | undefined): Fix[] {
  const fits = pod && trouble?.node ? fitNodes(pod).items.filter(({ node }) => node.metadata.name === name) : [];
  const next = pod
    ? `The scheduler then selects another node that takes pod/${pod.pod.metadata.name}, and the volume is created there.`
    : 'The scheduler selects a node again as soon as a pod uses the claim.';
  return [
    steps(`Remove the selection: pvc/${c.name} has no volume yet. ${next}`, [removeSelectedNodeCommand(c)]),
    ...(pod ? openNodeFixes(pod, fits).slice(0, 1).map(orElse) : []),
  ];
}

/** Why the chosen node cannot take the pod: `it is cordoned`. */
interface NodeTrouble {
  readonly text: string;
  readonly evidence: Evidence;
  /** Undefined where the node does not exist. */
  readonly node?: Node;
}

function findNodeTrouble(c: PresentClaim, name: string, p: PodCase | undefined): NodeTrouble | undefined {
  const lookup = c.ask.get('Node', undefined, name, `whether node ${name}, chosen for pvc/${c.name}, still exists`);
  if (lookup.state === 'missing') return { text: 'that node does not exist any more', evidence: absent('Node', name) };
  // A cordoned or unready node matters only to a pod that the scheduler has refused.
  return lookup.state === 'found' && p?.schedulingMessage ? findRefusal(lookup.object, p) : undefined;
}

function findRefusal(node: Node, p: PodCase): NodeTrouble | undefined {
  if (node.spec?.unschedulable === true)
    return { text: 'that node is cordoned', evidence: field(node, 'spec.unschedulable'), node };
  const ready = conditionOf(node.status?.conditions, 'Ready');
  if (ready && ready.status !== 'True')
    return {
      text: 'that node is not ready',
      evidence: field(node, 'status.conditions[Ready]', ready.status ?? 'Unknown', ready.lastTransitionTime),
      node,
    };
  const refusal = fitNodes(p).items.find((fit) => fit.node.metadata.name === node.metadata.name)?.refusal;
  return refusal && { text: `that node ${refusal.text}`, evidence: refusal.evidence, node };
}

function otherReasonText(refused: PodCase | undefined): string {
  const others = refused ? otherReasonsText(refused) : '';
  return `the scheduler rejects the pod there for another reason${others ? ` ("${others}")` : ''}`;
}
