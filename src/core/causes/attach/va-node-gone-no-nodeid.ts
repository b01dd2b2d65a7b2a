import type { Lookup } from '../../graph/inquiry.ts';
import type { CsiNode } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { absent, field, shellWord } from '../../facts/evidence.ts';
import type { AttachError } from './attach-error.ts';
import { someEvidence } from './attach-trouble.ts';
import { detachErrorOf, detachEvidence, detachRules, isLeaving, nodeOf, releaseFixes } from './detach-case.ts';
import { onAttachment } from './attachment-commands.ts';
import { steps } from '../lib/steps.ts';
import type { DetachCase } from './detach-case.ts';
import { csiNodeMissingText, driverNotOnNodeText, nodeMissingText } from '../lib/driver-error/senses/kubernetes.ts';

const nodeIdAnnotation = 'csi.alpha.kubernetes.io/node-id';

/** An attachment that must be detached from a node whose id is recorded nowhere. */
interface LostNodeId {
  readonly csiNode: Lookup<CsiNode>;
  readonly isNodeGone: boolean;
  readonly said: AttachError | undefined;
}

/**
 * external-attacher getNodeID: the id comes from the CSINode object, or from the annotation that the attacher set when
 * it attached.
 */
export const vaNodeGoneNoNodeId = detachRules('va-node-gone-no-nodeid', 'blocking', (detach) => {
  const lost = findLostNodeId(detach);
  const evidence = lost && someEvidence(evidenceOf(detach, lost));
  if (!evidence) return undefined;
  const { node, lead } = detach;
  return {
    confidence: lost.csiNode.state === 'unknown' && !lost.isNodeGone ? 'likely' : 'certain',
    about: `node ${node}`,
    summary: `${lead}: ${lossWords(detach, lost)}, and the attachment does not record the id that the storage has for it.`,
    evidence,
    fix: [nodeIdFix(detach), ...releaseFixes(detach)],
  };
});

/**
 * The attacher takes the id from the annotation where the CSINode is gone; another attachment to the same node may have
 * it.
 */
function nodeIdFix({ ask, attachment, node, driver }: DetachCase): Fix {
  const known = ask
    .seen('VolumeAttachment')
    .find(
      ({ spec, metadata }) =>
        spec?.nodeName === node && spec.attacher === driver && metadata.annotations?.[nodeIdAnnotation],
    );
  const id = known?.metadata.annotations?.[nodeIdAnnotation];
  const where =
    id === undefined
      ? `PLACEHOLDER_NODE_ID is the id that the storage has for the machine of ${node}, for example i-0123456789abcdef0.`
      : `Another attachment to ${node} has it.`;
  return steps(
    `Write the id of the machine to the attachment. ${where} The attacher then detaches the volume within about 5 minutes.`,
    [
      onAttachment(
        'annotate',
        attachment,
        `${nodeIdAnnotation}=${id === undefined ? 'PLACEHOLDER_NODE_ID' : shellWord(id)}`,
      ),
    ],
  );
}

function findLostNodeId(detach: DetachCase): LostNodeId | undefined {
  const { ask, attachment, node, driver } = detach;
  if (
    !isLeaving(detach) ||
    node === '' ||
    attachment.metadata.annotations?.[nodeIdAnnotation] ||
    (attachment.metadata.finalizers ?? []).length === 0
  )
    return undefined;
  const csiNode = ask.get('CSINode', undefined, node, `by what id ${driver ?? 'the driver'} knows ${node}`);
  if (csiNode.state === 'found' && csiNode.object.spec?.drivers?.some(({ name, nodeID }) => name === driver && nodeID))
    return undefined;
  const isNodeGone = nodeOf(detach).state === 'missing';
  const said = nodeErrorOf(detach);
  // Where the driver has answered, the attacher had an id to call it with.
  if (!said && detachErrorOf(detach)?.speaker === 'driver') return undefined;
  if (csiNode.state === 'unknown' && !isNodeGone && !said) return undefined;
  return { csiNode, isNodeGone, said };
}

/** The detach error, if it says that the node is unknown to Kubernetes. */
function nodeErrorOf(detach: DetachCase): AttachError | undefined {
  const error = detachErrorOf(detach);
  const texts = [csiNodeMissingText, driverNotOnNodeText, nodeMissingText];
  return error && texts.some((text) => text.test(error.raw)) ? error : undefined;
}

function lossWords({ driver }: DetachCase, { csiNode, isNodeGone }: LostNodeId): string {
  if (isNodeGone) return 'the node does not exist any more';
  if (csiNode.state === 'found') return `${driver ?? 'the driver'} is not registered there any more`;
  return 'the node has no CSINode object any more';
}

function evidenceOf(detach: DetachCase, { csiNode, isNodeGone, said }: LostNodeId): Evidence[] {
  const { attachment, node } = detach;
  return [
    ...(isNodeGone ? [absent('Node', node)] : []),
    ...(csiNode.state === 'missing' ? [absent('CSINode', node)] : []),
    ...(csiNode.state === 'found' ? [driversOf(csiNode.object)] : []),
    field(attachment, `metadata.annotations[${nodeIdAnnotation}]`, 'not set'),
    ...(said ? [said.evidence] : []),
    ...detachEvidence(detach),
  ];
}

function driversOf(csiNode: CsiNode): Evidence {
  return field(csiNode, 'spec.drivers', (csiNode.spec?.drivers ?? []).map(({ name }) => name).join(', ') || 'none');
}
