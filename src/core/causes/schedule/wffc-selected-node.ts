import type { Evidence } from '../../report/report.ts';
import { selectedNodeAnnotations } from '../../facts/claim/claim-case.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { absent, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import { PodCase } from '../../facts/pod/pod-case.ts';
import { delayedClaims, otherReasonsText, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { claimRule, podRule } from '../lib/rule.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';

/** binder FindPodVolumes: a claim with a selected node is refused on every other node without another look. */
export const wffcSelectedNodeSplit = podRule({
  cause: 'wffc-selected-node-split',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    if (p.isScheduled) return undefined;
    const chosen = delayedClaims(p).flatMap((claim) =>
      claim.selectedNode === undefined ? [] : [{ claim, node: claim.selectedNode }],
    );
    const [first, ...rest] = chosen;
    const second = rest.find(({ node }) => node !== first?.node);
    if (!first || !second) return undefined;
    return {
      summary: `pvc/${first.claim.name} was promised to node ${first.node} and pvc/${second.claim.name} to node ${second.node}, so pod/${p.pod.metadata.name} fits on neither`,
      evidence: [annotationOf(first.claim), annotationOf(second.claim), ...schedulerSaid(p)],
      fix: [first, second].map(({ claim }) => dropAnnotation(claim)),
    };
  },
});

export const wffcSelectedNodeStale = claimRule({
  cause: 'wffc-selected-node-stale',
  stage: 'schedule',
  severity: 'blocking',
  explain(c) {
    const name = c.selectedNode;
    if (name === undefined || c.isBound || !c.isDelayed) return undefined;
    const pods = c.consumers.items.filter((pod) => !pod.spec?.nodeName).map((pod) => new PodCase(c.ask, pod, [c]));
    const refused = pods.find((pod) => storageTexts.nothingToBind.test(pod.schedulingMessage?.raw ?? ''));
    const trouble = troubleWith(c, name, refused ?? pods[0]);
    if (!trouble && !refused) return undefined;
    const others = refused ? otherReasonsText(refused) : '';
    return {
      confidence: trouble ? 'certain' : 'likely',
      summary: `pvc/${c.name} is promised to node ${name}, ${trouble?.text ?? `which refuses the pod for another reason${others ? ` (${others})` : ''}`}; until that is taken back, no other node is considered`,
      evidence: [annotationOf(c), ...(trouble ? [trouble.evidence] : []), ...(refused ? schedulerSaid(refused) : [])],
      fix: [
        dropAnnotation(c),
        fix(
          'see how old the provisioner is: from version 6 on, and mostly from 3.6, it takes the annotation back by itself when the node is gone',
          'kubectl get deployments -A -o wide | grep -i provisioner',
        ),
      ],
    };
  },
});

function troubleWith(
  c: ClaimCase,
  name: string,
  p: PodCase | undefined,
): { readonly text: string; readonly evidence: Evidence } | undefined {
  const lookup = c.ask.get('Node', undefined, name, `whether node ${name}, chosen for pvc/${c.name}, still exists`);
  if (lookup.state === 'unknown') return undefined;
  if (lookup.state === 'missing') return { text: 'which does not exist any more', evidence: absent('Node', name) };
  const node = lookup.object;
  // A node that is merely cordoned or down matters only to a pod that is turned away.
  if (!p?.schedulingMessage) return undefined;
  if (node.spec?.unschedulable === true)
    return { text: 'which is cordoned', evidence: field(node, 'spec.unschedulable') };
  const ready = conditionOf(node.status?.conditions, 'Ready');
  if (ready && ready.status !== 'True')
    return {
      text: 'which is not ready',
      evidence: field(node, 'status.conditions[Ready]', ready.status ?? 'Unknown', ready.lastTransitionTime),
    };
  const refusal = fitNodes(p).items.find((fit) => fit.node.metadata.name === name)?.refusal;
  return refusal && { text: `which ${refusal.text}`, evidence: refusal.evidence };
}

function annotationName(claim: ClaimCase): string {
  return (
    selectedNodeAnnotations.find((annotation) => claim.annotation(annotation)) ?? 'volume.kubernetes.io/selected-node'
  );
}

function annotationOf(claim: ClaimCase): Evidence {
  const object = claim.claim ?? {
    kind: 'PersistentVolumeClaim',
    metadata: { name: claim.name, namespace: claim.namespace },
  };
  return field(object, `metadata.annotations[${annotationName(claim)}]`, claim.selectedNode ?? 'not set');
}

function dropAnnotation(claim: ClaimCase): ReturnType<typeof fix> {
  return fix(
    `take the promise of pvc/${claim.name} back: the scheduler then chooses anew`,
    `kubectl ${inNamespace(claim.namespace)}annotate pvc ${shellWord(claim.name)} ${annotationName(claim)}-`,
  );
}
