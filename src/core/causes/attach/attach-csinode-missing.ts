import type { Fix } from '../../report/report.ts';
import { absent, field, shellWord } from '../../facts/evidence.ts';
import { csiNodeMissingText } from '../lib/driver-error/senses/kubernetes.ts';
import { isWindows, onNode } from '../lib/node-commands.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import type { Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import type { CsiNode } from '../../kube/kinds.ts';
import { isTouched } from './attacher-health.ts';
import { onAttachment, saveAttachment } from './attachment-commands.ts';
import type { AttachError } from './attach-error.ts';
import { explainOver, isRecent, retryText } from './attach-retry.ts';
import { attachmentEvidence, attachRules, someEvidence } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';

/** external-attacher getNodeID: the id of the node comes from the CSINode object, and there is none. */
export const attachCsiNodeMissing = attachRules('attach-csinode-missing', 'blocking', (trouble) => {
  const { ask, node, error, lead } = trouble;
  const said = error && csiNodeMissingText.test(error.raw) ? error : undefined;
  if (!said && trouble.attachment.state !== 'found') return undefined;
  const csiNode = ask.get('CSINode', undefined, node, `which drivers are registered on ${node}`);
  if (csiNode.state === 'found') return said && explainReturned(trouble, said, csiNode.object);
  if (csiNode.state === 'unknown' && !said) return undefined;
  const isMissing = csiNode.state === 'missing';
  const isGone = ask.get('Node', undefined, node, `whether node ${node} still exists`).state === 'missing';
  const evidence = someEvidence([
    ...(isGone ? [absent('Node', node)] : []),
    ...(isMissing ? [absent('CSINode', node)] : []),
    ...(said ? [said.evidence] : []),
    ...attachmentEvidence(trouble),
  ]);
  if (!evidence) return undefined;
  return {
    confidence: isMissing ? 'certain' : 'likely',
    about: `node ${node}`,
    summary: isGone
      ? `${lead}: the node does not exist any more.`
      : `${lead}: the node has no CSINode object, so the attacher has no id for it.`,
    evidence,
    fix: isGone ? [leaveNodeFix(trouble)] : [restoreFix(trouble)],
  };
});

/** The kubelet has created the object since the attacher's last try. */
function explainReturned(trouble: AttachTrouble, said: AttachError, csiNode: CsiNode): Explanation | undefined {
  if (!isRecent(trouble, said)) return undefined;
  return explainOver(trouble, `Node ${trouble.node} has its CSINode object again.`, [
    field(csiNode, 'metadata.creationTimestamp'),
    said.evidence,
  ]);
}

/** An attachment with the attacher's finalizer is left to the controller: without the node its deletion could hang. */
function leaveNodeFix({ use, attachment, node }: AttachTrouble): Fix {
  const pod = use?.p.pod;
  if (pod)
    return steps(
      `Recreate the pod, so that the scheduler chooses another node. If its template sets nodeName ${node}, remove it there.`,
      restartPodCommands(pod),
    );
  if (attachment.state !== 'found' || isTouched(attachment.object.metadata))
    return steps(
      `Wait: the attach-detach controller removes the attachment about 6 minutes after the last pod of ${node} is gone.`,
      [],
    );
  return steps('Save the attachment and delete it: the node is gone, and nothing was attached through it.', [
    saveAttachment(attachment.object),
    onAttachment('delete', attachment.object),
  ]);
}

/** The kubelet creates the object when it starts; containers keep running meanwhile. */
function restoreFix(trouble: AttachTrouble): Fix {
  const { ask, node } = trouble;
  const text =
    `Restart the kubelet of ${node}: it then creates the object, and the drivers register from their ` +
    `sockets. Containers keep running. ${retryText(trouble)}`;
  if (isWindows(ask.graph.find('Node', undefined, node)))
    return steps(`${text} The node runs Windows (Restart-Service kubelet).`, [], 'disruptive');
  return steps(
    `${text} The second line shows whether a driver is still missing. Delete the debug pod afterwards.`,
    [onNode(node, 'systemctl restart kubelet'), `kubectl csi why node/${shellWord(node)}`],
    'disruptive',
  );
}
