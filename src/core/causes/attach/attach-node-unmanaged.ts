import { field, fix, shellWord } from '../../facts/evidence.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { attachmentEvidence, firstOf, troublesOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { confidenceThatUnmade } from './unmade-attachment.ts';

const managedAnnotation = 'volumes.kubernetes.io/controller-managed-attach-detach';

/** attach-detach controller addNodeToDswp: it attaches only to nodes whose kubelet asked for it with the annotation. */
export const attachNodeUnmanaged = podRule({
  cause: 'attach-node-unmanaged',
  stage: 'attach',
  severity: 'blocking',
  explain: (p) => firstOf(troublesOf(p), explainUnmanaged),
});

function explainUnmanaged(trouble: AttachTrouble): Explanation | undefined {
  const { ask, node, lead } = trouble;
  const confidence = confidenceThatUnmade(trouble);
  if (!confidence) return undefined;
  const lookup = ask.get('Node', undefined, node, `whether volumes are attached to ${node} by the controller`);
  if (lookup.state !== 'found' || lookup.object.metadata.annotations?.[managedAnnotation] !== undefined)
    return undefined;
  return {
    confidence,
    about: `node ${node}`,
    summary: `${lead}: the node lacks the annotation ${managedAnnotation}, so that the attach-detach controller leaves it alone, and a kubelet cannot attach CSI volumes itself`,
    evidence: [
      field(lookup.object, `metadata.annotations[${managedAnnotation}]`, 'not set'),
      ...attachmentEvidence(trouble),
    ],
    fix: [
      fix(
        `set enableControllerAttachDetach: true in the configuration of the kubelet on ${node} (it is the default) and restart it`,
        `kubectl get --raw ${shellWord(`/api/v1/nodes/${node}/proxy/configz`)}`,
        'disruptive',
      ),
    ],
  };
}
