import type { Node, Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import { absent, field, fix, shellWord } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation, Rule } from '../lib/rule.ts';
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
  const { object, isLate } = stranded;
  const { node, lead, ask } = detach;
  const state = object ? `which ${downWords(object, ask.now)}` : 'which does not exist any more';
  return {
    severity: isLate ? 'blocking' : 'info',
    about: `node ${node}`,
    summary: `${lead}, ${state}; ${nextWords(stranded)}`,
    evidence: [...nodeEvidence(detach, stranded), ...detachEvidence(detach)],
    fix: object ? downNodeFixes(object) : deletedNodeFixes(detach),
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

function nextWords({ object, leaving, isLate }: StrandedVolume): string {
  if (object && taintOutOfService(object))
    return 'it is marked as out of service, on which its pods are removed and its volumes detached at once, and that has not happened yet';
  const [pod] = leaving;
  if (pod)
    return `pod/${pod.metadata.name} is being deleted there, but a dead node never confirms that, and until then nothing is detached`;
  if (isLate) return 'the six minutes after which it is detached by force are over';
  return 'it is detached by force six minutes after its last pod there is gone';
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

function deletedNodeFixes({ node, attachment }: DetachCase): Fix[] {
  return [
    fix(
      'wait for the six minutes, and see that the kube-controller-manager runs',
      'kubectl -n kube-system get lease kube-controller-manager -o yaml',
    ),
    fix(
      `data-loss: delete the attachment once the machine of ${node} is certainly off; two writers destroy a file system`,
      `kubectl delete volumeattachment ${shellWord(attachment.metadata.name)}`,
      'data-loss',
    ),
  ];
}

function downNodeFixes(node: Node): Fix[] {
  const { name } = node.metadata;
  return [
    fix(
      `bring ${name} back if it can be: its kubelet then unmounts the volume and everything goes on by itself`,
      `kubectl describe node ${shellWord(name)}`,
    ),
    taintOutOfService(node)
      ? fix(
          'the node is marked as out of service: its pods are deleted and its volumes detached at once; remove the mark when it is back',
          `kubectl taint nodes ${shellWord(name)} node.kubernetes.io/out-of-service-`,
        )
      : fix(
          `data-loss: mark the node as out of service only if the machine is certainly off (its pods are then deleted and its volumes detached at once); two writers destroy a file system`,
          `kubectl taint nodes ${shellWord(name)} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`,
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
      summary: `node ${n.name} ${downWords(n.object, n.now)} and still holds ${volumesWords(attached.length)}${leavingWords(leaving)}`,
      evidence: [
        field(n.object, 'status.conditions[Ready]', readyText, ready?.lastTransitionTime),
        field(n.object, 'status.volumesAttached', names.join(', ')),
        ...leaving.slice(0, 3).map((pod) => field(pod, 'metadata.deletionTimestamp')),
        ...taintEvidence(n.object),
      ],
      fix: nodeFixes(n),
    };
  },
});

function volumesWords(count: number): string {
  return count === 1
    ? `${count} volume, which no other node can have until it is detached`
    : `${count} volumes, which no other node can have until they are detached`;
}

function leavingWords(leaving: readonly Pod[]): string {
  const [pod] = leaving;
  if (!pod) return '';
  return leaving.length === 1
    ? `; pod/${pod.metadata.name} waits there for its deletion to be confirmed`
    : `; ${leaving.length} of its pods wait there for their deletion to be confirmed`;
}

function nodeFixes({ name, object }: ObjectCase<'Node'>): Fix[] {
  const back = fix('bring the node back if it can be', `kubectl describe node ${shellWord(name)}`);
  if (taintOutOfService(object)) return [back];
  return [
    back,
    fix(
      'data-loss: mark the node as out of service only if the machine is certainly off; its pods are then deleted and its volumes detached at once',
      `kubectl taint nodes ${shellWord(name)} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`,
      'data-loss',
    ),
  ];
}

export const detachNodeNotReady: readonly Rule[] = [...volumeOnDownNode, nodeHoldsVolumes];
