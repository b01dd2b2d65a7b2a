import type { CsiNode } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { parseTime } from '../../kube/time.ts';
import { absent, field, fix, shellWord } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';
import type { AttachError } from './attach-error.ts';
import { attachmentEvidence, attachRules } from './attach-trouble.ts';
import type { AttachTrouble } from './attach-trouble.ts';
import { csiNodeMissingText, driverNotOnNodeText } from './error-texts.ts';

/** external-attacher getNodeID: the id of the node comes from the CSINode object, and there is none. */
export const attachCsiNodeMissing = attachRules('attach-csinode-missing', 'blocking', (trouble) => {
  const { ask, node, error, lead } = trouble;
  const said = error && csiNodeMissingText.test(error.raw) ? error : undefined;
  if (!said && trouble.attachment.state !== 'found') return undefined;
  const csiNode = ask.get('CSINode', undefined, node, `which drivers are registered on ${node}`);
  // The attacher tries again only after minutes: what it said before the object came back is stale.
  if (csiNode.state === 'found' || (csiNode.state === 'unknown' && !said)) return undefined;
  const evidence: readonly Evidence[] = [
    ...(csiNode.state === 'missing' ? [absent('CSINode', node)] : []),
    ...(said ? [said.evidence] : []),
    ...attachmentEvidence(trouble),
  ];
  const isGone = ask.get('Node', undefined, node, `whether node ${node} still exists`).state === 'missing';
  return {
    confidence: csiNode.state === 'missing' ? 'certain' : 'likely',
    about: `node ${node}`,
    summary: isGone
      ? `${lead}: the node does not exist any more, nor its CSINode object`
      : `${lead}: there is no CSINode object for ${node}, so that the attacher does not know the node`,
    evidence: [...(isGone ? [absent('Node', node)] : []), ...evidence] as unknown as Explanation['evidence'],
    fix: isGone
      ? [
          fix(
            'nothing can be attached there: the pod must go to another node, and the attachment is then removed by itself',
            `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)}`,
          ),
        ]
      : [
          fix(
            'see whether the node is there and its kubelet runs: the kubelet makes the CSINode object when it starts',
            `kubectl get node,csinode ${shellWord(node)}`,
          ),
          fix(
            'restart the kubelet on the node if the object does not come back by itself',
            'systemctl restart kubelet',
            'disruptive',
          ),
        ],
  };
});

/** The same where the object is there, but the driver has not registered itself on the node. */
export const attachCsiNodeMissingDriver = attachRules('attach-csinode-missing-driver', 'blocking', (trouble) => {
  const { ask, node, driver, error, lead } = trouble;
  const said = error && driverNotOnNodeText.test(error.raw) ? error : undefined;
  if (driver === undefined && !said) return undefined;
  if (!said && trouble.attachment.state !== 'found') return undefined;
  const name = driver ?? driverNotOnNodeText.exec(said?.raw ?? '')?.[2] ?? 'the driver';
  const csiNode = ask.get('CSINode', undefined, node, `which drivers are registered on ${node}`);
  if (csiNode.state === 'missing' || (csiNode.state === 'unknown' && !said)) return undefined;
  const drivers = csiNode.state === 'found' ? (csiNode.object.spec?.drivers ?? []) : [];
  if (csiNode.state === 'found' && drivers.some((entry) => entry.name === name))
    return said && explainOvercome(trouble, said, csiNode.object, name);
  const evidence: readonly Evidence[] = [
    ...(csiNode.state === 'found'
      ? [field(csiNode.object, 'spec.drivers', drivers.map((entry) => entry.name).join(', ') || 'none')]
      : []),
    ...(said ? [said.evidence] : []),
    ...attachmentEvidence(trouble),
  ];
  return {
    confidence: csiNode.state === 'found' ? 'certain' : 'likely',
    about: `${name} on ${node}`,
    summary: `${lead}: ${name} is not registered on ${node}, so that the attacher does not know the node`,
    evidence: evidence as Explanation['evidence'],
    fix: [
      fix(
        `see whether the node plugin of ${name} runs on ${node}: taints and node selectors keep it away, a crash unregisters it`,
        `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)}`,
      ),
      fix('compare with the nodes where it is registered', 'kubectl get csinodes'),
    ],
  };
});

const retrySeconds = 360;

/** The driver has registered since; the attacher tries again after five minutes at the latest. */
function explainOvercome(
  { ask, lead }: AttachTrouble,
  said: AttachError,
  csiNode: CsiNode,
  driver: string,
): Explanation | undefined {
  const at = parseTime(said.evidence.at);
  if (at === undefined || (ask.now - at) / 1000 > retrySeconds) return undefined;
  return {
    severity: 'info',
    summary: `${lead} yet: ${driver} was not registered there when the attacher last tried, and is now; the next try comes within five minutes`,
    evidence: [said.evidence, field(csiNode, 'spec.drivers', driver)],
    fix: [],
  };
}

/** Whether the attachment's error is about the node, and not about the storage. */
export function isAboutNode({ error }: AttachTrouble): boolean {
  return error !== undefined && (csiNodeMissingText.test(error.raw) || driverNotOnNodeText.test(error.raw));
}
