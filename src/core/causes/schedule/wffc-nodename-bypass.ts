import type { Pod } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';

/** The scheduler skips a pod that has a node (findNonScheduledPodsByPVC leaves it out), and only the scheduler writes selected-node. */
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
      confidence: c.consumers.items.every((consumer) => consumer.spec?.nodeName) ? 'certain' : 'likely',
      summary: `pod/${pod.metadata.name} names node ${node} itself and so bypasses the scheduler: nobody chooses a node for pvc/${c.name}, and its volume is never made`,
      evidence: evidenceOf(c, pod),
      fix: adviceFor(c, pod.metadata.name, node),
    };
  },
});

function evidenceOf(c: PresentClaim, pod: Pod): EvidenceList {
  return [
    field(pod, 'spec.nodeName'),
    field(c.claim, 'metadata.annotations[volume.kubernetes.io/selected-node]', 'not set'),
    ...(c.storageClassObject ? [field(c.storageClassObject, 'volumeBindingMode')] : []),
  ];
}

function adviceFor(c: PresentClaim, podName: string, node: string): Fix[] {
  return [
    fix(
      `see what makes the pod, and let it use a nodeSelector (kubernetes.io/hostname: ${node}) in place of spec.nodeName: the pod has to be made again`,
      `kubectl ${inNamespace(c.namespace)}get pod ${shellWord(podName)} -o jsonpath='{.spec.nodeName}{"\\n"}{.metadata.ownerReferences}'`,
      'disruptive',
    ),
    fix(
      'or look for a class with volumeBindingMode Immediate: that one needs no scheduler',
      'kubectl get storageclass',
    ),
  ];
}
