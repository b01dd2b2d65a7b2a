import type { Fix } from '../../report/report.ts';
import { absent, fix, shellWord } from '../../facts/evidence.ts';
import { attachmentEvidence, attachRules, someEvidence } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { csiNodeMissingText } from '../lib/driver-error/senses/kubernetes.ts';

/** external-attacher getNodeID: the id of the node comes from the CSINode object, and there is none. */
export const attachCsiNodeMissing = attachRules('attach-csinode-missing', 'blocking', (trouble) => {
  const { ask, node, error, lead } = trouble;
  const said = error && csiNodeMissingText.test(error.raw) ? error : undefined;
  if (!said && trouble.attachment.state !== 'found') return undefined;
  const csiNode = ask.get('CSINode', undefined, node, `which drivers are registered on ${node}`);
  // The attacher retries only after minutes: an error from before the object came back is stale.
  if (csiNode.state === 'found' || (csiNode.state === 'unknown' && !said)) return undefined;
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
      ? `${lead}: the node does not exist any more, nor its CSINode object`
      : `${lead}: there is no CSINode object for ${node}, so that the attacher does not know the node`,
    evidence,
    fix: isGone ? [leaveNodeFix(trouble)] : restoreFixes(trouble),
  };
});

function leaveNodeFix({ node }: AttachTrouble): Fix {
  return fix(
    'nothing can be attached there: the pod must go to another node, and the attachment is then removed by itself',
    `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)}`,
  );
}

function restoreFixes({ node }: AttachTrouble): Fix[] {
  return [
    fix(
      'see whether the node is there and its kubelet runs: the kubelet makes the CSINode object when it starts',
      `kubectl get node,csinode ${shellWord(node)}`,
    ),
    fix(
      'restart the kubelet on the node if the object does not come back by itself',
      'systemctl restart kubelet',
      'disruptive',
    ),
  ];
}
