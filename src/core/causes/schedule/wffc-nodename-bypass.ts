import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { claimRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';

const defaultScheduler = 'default-scheduler';

/**
 * The scheduler skips a pod that has a node (findNonScheduledPodsByPVC leaves it out), and only the scheduler writes
 * selected-node.
 */
export const wffcNodenameBypass = claimRule({
  cause: 'wffc-nodename-bypass',
  stage: 'schedule',
  severity: 'blocking',
  explain(c) {
    if (!c.isDelayed || c.isBound || c.selectedNode !== undefined) return undefined;
    const pod = c.consumers.items.find((consumer) => consumer.spec?.nodeName);
    const node = pod?.spec?.nodeName;
    if (!pod || !node) return undefined;
    return {
      confidence:
        !otherScheduler(pod) && c.consumers.items.every((consumer) => consumer.spec?.nodeName) ? 'certain' : 'likely',
      summary: summaryOf(c, pod, node),
      evidence: evidenceOf(c, pod),
      fix: adviceFor(c, pod, node),
    };
  },
});

/** Such a scheduler may have given the pod its node: one that does not handle volumes chooses none for the claim. */
function otherScheduler({ spec }: Pod): string | undefined {
  const name = spec?.schedulerName;
  return name === defaultScheduler ? undefined : name;
}

function summaryOf(c: PresentClaim, pod: Pod, node: string): string {
  const waits = `pvc/${c.name} can never bind: StorageClass "${c.class.name}" waits until the scheduler selects a node, and`;
  const scheduler = otherScheduler(pod);
  return scheduler
    ? `${waits} pod/${pod.metadata.name} has node "${node}" without that: its scheduler "${scheduler}" selects no nodes for claims, or spec.nodeName was set by hand.`
    : `${waits} pod/${pod.metadata.name} sets spec.nodeName "${node}", which skips the scheduler.`;
}

function evidenceOf(c: PresentClaim, pod: Pod): EvidenceList {
  return [
    field(pod, 'spec.nodeName'),
    ...(otherScheduler(pod) ? [field(pod, 'spec.schedulerName')] : []),
    field(c.claim, 'metadata.annotations[volume.kubernetes.io/selected-node]', 'not set'),
    ...(c.storageClassObject ? [field(c.storageClassObject, 'volumeBindingMode')] : []),
  ];
}

function adviceFor(c: PresentClaim, pod: Pod, node: string): Fix[] {
  if (otherScheduler(pod))
    return [
      changePodFix(
        pod,
        { nodeName: null, schedulerName: defaultScheduler },
        (where) =>
          `Let the default scheduler place the pod: set schedulerName to ${defaultScheduler} ${where}, without spec.nodeName. It selects a node for the claim, too, and the volume is created and bound.`,
      ),
    ];
  const host = c.ask.graph.find('Node', undefined, node)?.metadata.labels?.['kubernetes.io/hostname'];
  // The label may differ from the name of the node; matchFields takes the name itself.
  const [what, place] =
    host === undefined
      ? (['a required node affinity for this node', { affinity: affinityTo(node) }] as const)
      : ([
          `nodeSelector kubernetes.io/hostname=${host}`,
          { nodeSelector: { 'kubernetes.io/hostname': host } },
        ] as const);
  return [
    changePodFix(
      pod,
      { nodeName: null, ...place },
      (where) =>
        `Replace spec.nodeName with ${what} ${where}. The scheduler then places the pod on ${node}, and the volume is created and bound.`,
    ),
  ];
}

function affinityTo(node: string): object {
  const matchFields = [{ key: 'metadata.name', operator: 'In', values: [node] }];
  return {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchFields }] } },
  };
}
