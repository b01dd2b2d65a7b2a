import type { Node } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
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
  // Controllers annotate every node (node.alpha.kubernetes.io/ttl): without any, the dump was stripped of them.
  if (Object.keys(lookup.object.metadata.annotations ?? {}).length === 0) return undefined;
  return {
    confidence,
    about: `node ${node}`,
    summary:
      `${lead}: the node lacks the annotation ${managedAnnotation}, so the attach-detach controller ignores ` +
      'it, and a kubelet cannot attach CSI volumes on its own.',
    evidence: [
      field(lookup.object, `metadata.annotations[${managedAnnotation}]`, 'not set'),
      ...attachmentEvidence(trouble),
    ],
    fix: [enableFix(lookup.object)],
  };
}

/** The path is that of kubeadm and most distributions; the kubelet's option --config names another. */
function enableFix(node: Node): Fix {
  const { name } = node.metadata;
  const text =
    `Set enableControllerAttachDetach to true in the configuration of the kubelet on ${name}, which is the ` +
    'default, and restart it';
  if (isWindows(node)) return steps(`${text} (Restart-Service kubelet). Containers keep running.`, [], 'disruptive');
  return steps(
    `${text}. Containers keep running. The kubelet then sets the annotation, and the volume is attached ` +
      'within about 2 minutes. If the kubelet has another --config file or sets this as a flag, change it ' +
      'there. Delete the debug pod afterwards.',
    [
      onNode(
        name,
        "sh -c \"sed -i 's/enableControllerAttachDetach: false/enableControllerAttachDetach: true/' " +
          '/var/lib/kubelet/config.yaml && systemctl restart kubelet"',
      ),
    ],
    'disruptive',
  );
}
