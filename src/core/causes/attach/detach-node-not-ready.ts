import type { Node, Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { absent, field } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation, Rule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { awaitDetach, onAttachment } from './attachment-commands.ts';
import {
  detachEvidence,
  detachRules,
  isLeaving,
  isNodeReady,
  leavingHolders,
  nodeOf,
  stayingHolders,
  taintOutOfService,
} from './detach-case.ts';
import type { DetachCase } from './detach-case.ts';
import { downNodeFixes } from './lost-node-fixes.ts';

/** The attach-detach controller detaches by force after this time (maxWaitForUnmountDuration). */
const forceSeconds = 360;
/** The same, with some time for the detach itself. */
const lateSeconds = 480;
/** How long a pod of a dead node may be on its way out before that counts as stuck. */
const confirmSeconds = 60;

/** A volume on a node that is down or deleted, with no pod that keeps using it there. */
interface StrandedVolume {
  /** Undefined: the node does not exist any more. */
  readonly object: Node | undefined;
  /** Pods there whose deletion only the kubelet of the node could confirm. */
  readonly leaving: readonly Pod[];
  readonly isLate: boolean;
}

/**
 * attach-detach reconciler: a volume on an unhealthy node is detached by force, but only six minutes after its last pod
 * there is gone.
 */
const volumeOnDownNode = detachRules('detach-node-not-ready', 'info', (detach) => {
  const stranded = findStrandedVolume(detach);
  if (!stranded) return undefined;
  const { object, isLate, leaving } = stranded;
  const { node, lead, ask } = detach;
  const state = object ? downWords(object, ask.now) : 'does not exist any more';
  return {
    severity: isLate ? 'blocking' : 'info',
    about: `node ${node}`,
    summary: `${lead}. ${node} ${state}. ${nextText(stranded)}`,
    evidence: [...nodeEvidence(detach, stranded), ...detachEvidence(detach)],
    fix: object ? downNodeFixes(ask, object, leaving) : deletedNodeFixes(detach, isLate),
  };
});

function findStrandedVolume(detach: DetachCase): StrandedVolume | undefined {
  const { node, seenFrom, attachment, ask } = detach;
  if (seenFrom === 'same node' || isLeaving(detach) || node === '') return undefined;
  const lookup = nodeOf(detach);
  if (lookup.state === 'unknown' || (lookup.state === 'found' && isNodeReady(lookup.object))) return undefined;
  if (stayingHolders(detach).length > 0 || (seenFrom === 'attachment' && attachment.status?.attached !== true))
    return undefined;
  const object = lookup.state === 'found' ? lookup.object : undefined;
  const leaving = leavingHolders(detach);
  const waited = Math.min(detach.waitedSeconds, object ? downSeconds(object, ask.now) : Number.POSITIVE_INFINITY);
  return { object, leaving, isLate: waited > (leaving.length > 0 ? confirmSeconds : lateSeconds) };
}

function downSeconds(node: Node, now: number): number {
  const since = parseTime(conditionOf(node.status?.conditions, 'Ready')?.lastTransitionTime);
  return since === undefined ? Number.POSITIVE_INFINITY : (now - since) / 1000;
}

function downWords(node: Node, now: number): string {
  const seconds = downSeconds(node, now);
  return Number.isFinite(seconds) ? `has not been ready for ${ageText(now - seconds * 1000, now)}` : 'is not ready';
}

function nextText({ object, leaving, isLate }: StrandedVolume): string {
  if (object && taintOutOfService(object))
    return 'It is marked as out of service, upon which its pods are removed and its volumes detached at once. That has not happened yet.';
  const [pod] = leaving;
  if (pod)
    return (
      `pod/${pod.metadata.name} is being deleted there, but no kubelet confirms that it has stopped, and until ` +
      'then nothing is detached.'
    );
  if (isLate) return 'The six minutes after which the volume is detached by force are over.';
  return 'The volume is detached by force six minutes after its last pod there is gone.';
}

function nodeEvidence({ node }: DetachCase, { object, leaving }: StrandedVolume): [Evidence, ...Evidence[]] {
  const deletions = leaving.slice(0, 3).map((pod) => field(pod, 'metadata.deletionTimestamp'));
  if (!object) return [absent('Node', node), ...deletions];
  const ready = conditionOf(object.status?.conditions, 'Ready');
  return [
    field(object, 'status.conditions[Ready]', ready?.status ?? 'not set', ready?.lastTransitionTime),
    ...deletions,
    ...taintEvidence(object),
  ];
}

function taintEvidence(node: Node): Evidence[] {
  const taint = taintOutOfService(node);
  return taint ? [field(node, 'spec.taints', `${taint.key ?? ''}:${taint.effect ?? ''}`)] : [];
}

/** Until the forced detach is due, deleting the attachment gains minutes and risks the data. */
function deletedNodeFixes(detach: DetachCase, isLate: boolean): Fix[] {
  const { node, attachment } = detach;
  const remove = [onAttachment('delete', attachment)];
  if (!isLate)
    return [
      steps(
        'Wait: the volume is detached by force six minutes after the last pod there is gone, and then attached. ' +
          `If it is not after ten minutes, make sure that the machine of ${node} is off or deleted, and delete the attachment.`,
        [awaitDetach(attachment, '10m')],
      ),
    ];
  return [
    steps(
      `Make sure that the machine of ${node} is off or deleted, then delete the attachment: the attacher detaches ` +
        'the volume. If the machine still runs, two writers destroy the file system.',
      remove,
      'data-loss',
    ),
  ];
}

/** For `why node/NAME`: the volumes that are still attached to it. */
const nodeHoldsVolumes = objectRule('Node', {
  cause: 'detach-node-not-ready',
  stage: 'mount',
  severity: 'info',
  explain(n): Explanation | undefined {
    const attached = n.object.status?.volumesAttached ?? [];
    const ready = conditionOf(n.object.status?.conditions, 'Ready');
    if (ready?.status === 'True' || attached.length === 0) return undefined;
    const leaving = n.ask.podsOnNode(n.name).items.filter((pod) => pod.metadata.deletionTimestamp !== undefined);
    const isLate = n.secondsSince(ready?.lastTransitionTime) > forceSeconds || leaving.length > 0;
    const readyText = [ready?.status ?? 'not set', ready?.reason].filter(Boolean).join(', ');
    const names = attached.slice(0, 5).map(({ name }) => name);
    return {
      severity: isLate ? 'blocking' : 'info',
      summary: `Node ${n.name} ${downWords(n.object, n.now)} and still holds ${volumesText(attached.length)}.${leavingText(leaving)}`,
      evidence: [
        field(n.object, 'status.conditions[Ready]', readyText, ready?.lastTransitionTime),
        field(n.object, 'status.volumesAttached', names.join(', ')),
        ...leaving.slice(0, 3).map((pod) => field(pod, 'metadata.deletionTimestamp')),
        ...taintEvidence(n.object),
      ],
      fix: downNodeFixes(n.ask, n.object, leaving),
    };
  },
});

function volumesText(count: number): string {
  return count === 1
    ? `${count} volume, which no other node can use until it is detached`
    : `${count} volumes, which no other node can use until they are detached`;
}

function leavingText(leaving: readonly Pod[]): string {
  const [pod] = leaving;
  if (!pod) return '';
  return leaving.length === 1
    ? ` pod/${pod.metadata.name} is being deleted there, and no kubelet confirms that it has stopped.`
    : ` ${leaving.length} of its pods are being deleted, and no kubelet confirms that they have stopped.`;
}

export const detachNodeNotReady: readonly Rule[] = [...volumeOnDownNode, nodeHoldsVolumes];
