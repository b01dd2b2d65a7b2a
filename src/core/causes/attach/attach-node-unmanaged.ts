import type { Node } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation, Rule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { attachmentEvidence, firstOf, troublesOf } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { confidenceThatUnmade } from './unmade-attachment.ts';

const managedAnnotation = 'volumes.kubernetes.io/controller-managed-attach-detach';

/** attach-detach controller addNodeToDswp: it attaches only to nodes whose kubelet asked for it with the annotation. */
export const attachNodeUnmanaged = unmanagedRule(explainUnmanaged);

/**
 * A kubelet attaches volumes itself only if it is configured to; for CSI volumes the API server refuses that (volume
 * manager reconciler, node authorizer).
 */
export const attachByKubelet = unmanagedRule(explainByKubelet);

function unmanagedRule(explain: (trouble: AttachTrouble) => Explanation | undefined): Rule {
  return podRule({
    cause: 'attach-node-unmanaged',
    stage: 'attach',
    severity: 'blocking',
    explain: (p) => firstOf(troublesOf(p), explain),
  });
}

function explainUnmanaged(trouble: AttachTrouble): Explanation | undefined {
  const { node, lead } = trouble;
  const confidence = confidenceThatUnmade(trouble);
  if (!confidence) return undefined;
  const object = nodeOf(trouble);
  if (object?.metadata.annotations?.[managedAnnotation] !== undefined || !object) return undefined;
  // Controllers annotate every node (node.alpha.kubernetes.io/ttl): without any, the dump was stripped of them.
  if (Object.keys(object.metadata.annotations ?? {}).length === 0) return undefined;
  return {
    confidence,
    about: `node ${node}`,
    summary:
      `${lead}: the node lacks the annotation ${managedAnnotation}, so the attach-detach controller ignores ` +
      'it, and a kubelet cannot attach CSI volumes on its own.',
    evidence: [unset(object), ...attachmentEvidence(trouble)],
    fix: [enableFix(node, object)],
  };
}

function explainByKubelet(trouble: AttachTrouble): Explanation | undefined {
  const { node, lead, kubeletEvent, driver, attachment } = trouble;
  if (!kubeletEvent || driver === undefined || attachment.state === 'found') return undefined;
  const object = nodeOf(trouble);
  // The annotation shows that the kubelet has been reconfigured since.
  if (object?.metadata.annotations?.[managedAnnotation] !== undefined) return undefined;
  return {
    confidence: object ? 'certain' : 'likely',
    about: `node ${node}`,
    summary:
      `${lead}: the kubelet of ${node} tries to attach the volume itself, which the API server does not allow. CSI ` +
      `volumes are attached by the attach-detach controller, and that is switched off on this node` +
      `${object ? `: it lacks the annotation ${managedAnnotation}` : ''}.`,
    evidence: [kubeletEvent, ...(object ? [unset(object)] : [])],
    fix: [enableFix(node, object)],
  };
}

function nodeOf({ ask, node }: AttachTrouble): Node | undefined {
  const lookup = ask.get('Node', undefined, node, `whether volumes are attached to ${node} by the controller`);
  return lookup.state === 'found' ? lookup.object : undefined;
}

function unset(node: Node): Evidence {
  return field(node, `metadata.annotations[${managedAnnotation}]`, 'not set');
}

/** The path is that of kubeadm and most distributions; the kubelet's option --config names another. */
function enableFix(name: string, node: Node | undefined): Fix {
  const text =
    `Set enableControllerAttachDetach to true in the configuration of the kubelet on ${name}, which is the ` +
    'default, and restart it';
  if (isWindows(node)) return steps(`${text} (Restart-Service kubelet). Containers keep running.`, [], 'disruptive');
  return steps(
    `${text}. Containers keep running. The kubelet then sets the annotation, and the volume is attached ` +
      'within about 2 minutes. If the kubelet has another --config file or sets this as a flag, change it ' +
      'there. The second line must print "true". Delete the debug pod afterwards.',
    [
      onNode(
        name,
        "sh -c \"sed -i 's/enableControllerAttachDetach: false/enableControllerAttachDetach: true/' " +
          '/var/lib/kubelet/config.yaml && systemctl restart kubelet"',
      ),
      `kubectl get node ${shellWord(name)} -o jsonpath='{.metadata.annotations.volumes\\.kubernetes\\.io/controller-managed-attach-detach}{"\\n"}'`,
    ],
    'disruptive',
  );
}
