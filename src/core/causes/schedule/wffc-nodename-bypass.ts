import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';

/** A pod that has a node is never scheduled (findNonScheduledPodsByPVC leaves it out), and only the scheduler writes selected-node. */
export const wffcNodenameBypass = claimRule({
  cause: 'wffc-nodename-bypass',
  stage: 'schedule',
  severity: 'blocking',
  explain(c) {
    if (!c.isDelayed || c.isBound || c.selectedNode !== undefined) return undefined;
    const pod = c.consumers.items.find((consumer) => consumer.spec?.nodeName);
    const node = pod?.spec?.nodeName;
    if (!pod || !node) return undefined;
    const { name } = pod.metadata;
    return {
      confidence: c.consumers.items.every((consumer) => consumer.spec?.nodeName) ? 'certain' : 'likely',
      summary: `pod/${name} names node ${node} itself and so bypasses the scheduler: nobody chooses a node for pvc/${c.name}, and its volume is never made`,
      evidence: [
        field(pod, 'spec.nodeName'),
        field(c.claim, 'metadata.annotations[volume.kubernetes.io/selected-node]', 'not set'),
        ...(c.storageClassObject ? [field(c.storageClassObject, 'volumeBindingMode')] : []),
      ],
      fix: [
        fix(
          `see what makes the pod, and let it use a nodeSelector (kubernetes.io/hostname: ${node}) in place of spec.nodeName: the pod has to be made again`,
          `kubectl ${inNamespace(c.namespace)}get pod ${shellWord(name)} -o jsonpath='{.spec.nodeName}{"\\n"}{.metadata.ownerReferences}'`,
          'disruptive',
        ),
        fix(
          'or look for a class with volumeBindingMode Immediate: that one needs no scheduler',
          'kubectl get storageclass',
        ),
      ],
    };
  },
});
