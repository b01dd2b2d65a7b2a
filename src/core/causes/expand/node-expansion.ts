import { componentOf, lastSeen, messageOf } from '../../graph/events.ts';
import type { KubeEvent, Pod } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { eventSaid, field } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { hasCondition, isForNode, mountingPods, nodesTurnSince, resizeStateOf } from '../../journey/claim-growth.ts';
import { changePodFix } from '../lib/pod-change.ts';
import { rpcWordsOf } from '../lib/driver-error/resize-error.ts';
import type { RpcWords } from '../lib/driver-error/resize-error.ts';
import { nodeExpandText } from '../lib/driver-error/sentences/resizer.ts';
import { readPluginLog } from '../mount/plugin-fixes.ts';
import { resizerOf } from './expansion.ts';

const mostPods = 3;

/** The storage has grown, nothing has failed, and the kubelet has not begun its part. */
export function isFileSystemPending({ claim }: PresentClaim): boolean {
  if (!isForNode(claim) || hasCondition(claim, 'NodeResizeError')) return false;
  const state = resizeStateOf(claim);
  return state === '' || state === 'NodeResizePending';
}

export function pendingEvidence(c: PresentClaim): Evidence[] {
  const condition = conditionOf(c.claim.status?.conditions, 'FileSystemResizePending');
  if (!condition) return [];
  const value = condition.message ?? condition.status;
  return [field(c.claim, 'status.conditions[FileSystemResizePending]', value, condition.lastTransitionTime)];
}

/** Whether every one of the pods mounts the claim read-only. An ephemeral volume never is, and has no such source. */
export function areReadOnly(c: PresentClaim, pods: readonly Pod[]): boolean {
  const sources = pods
    .flatMap((pod) => pod.spec?.volumes ?? [])
    .filter(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === c.name);
  return (
    c.consumers.complete &&
    sources.length >= pods.length &&
    sources.every(({ persistentVolumeClaim }) => persistentVolumeClaim?.readOnly === true)
  );
}

/** An error of NodeExpandVolume. */
interface NodeError extends RpcWords {
  readonly evidence: Evidence;
  /**
   * A condition of the claim holds it (MarkNodeExpansionFailedCondition, 1.31 and later); otherwise only an event
   * reports it.
   */
  readonly isKept: boolean;
}

export function nodeErrorOf(c: PresentClaim): NodeError | undefined {
  const condition = conditionOf(c.claim.status?.conditions, 'NodeResizeError');
  if (condition?.status === 'True') {
    const message = condition.message ?? '';
    const path = 'status.conditions[NodeResizeError].message';
    return {
      ...rpcWordsOf(message),
      isKept: true,
      evidence: field(c.claim, path, message, condition.lastTransitionTime),
    };
  }
  const since = nodesTurnSince(c) ?? 0;
  for (const pod of mountingPods(c).slice(0, mostPods)) {
    const said = newestNodeFailure(c.ask.eventsOf(pod).items);
    // Events and conditions are written by different clocks: five seconds of tolerance.
    if (said && lastSeen(said) >= since - 5000)
      return { ...rpcWordsOf(messageOf(said)), isKept: false, evidence: eventSaid(pod, said) };
  }
  return undefined;
}

function newestNodeFailure(events: readonly KubeEvent[]): KubeEvent | undefined {
  const sorted = [...events].sort((a, b) => lastSeen(a) - lastSeen(b));
  const failed = sorted.findLast(
    (event) =>
      event.reason === 'VolumeResizeFailed' &&
      (componentOf(event) === 'kubelet' || nodeExpandText.test(messageOf(event))),
  );
  const succeeded = sorted.findLast(({ reason }) => reason === 'FileSystemResizeSuccessful');
  return failed && succeeded && lastSeen(succeeded) > lastSeen(failed) ? undefined : failed;
}

/** What the driver logged on the node when it was asked to grow the volume there. */
export function nodeLogFix(c: PresentClaim, pod: Pod | undefined, text: (where: string) => string): Fix[] {
  const node = pod?.spec?.nodeName;
  if (node === undefined) return [];
  return [readPluginLog(c.ask, resizerOf(c).driver, node, text(`${resizerOf(c).driver ?? 'the driver'} on ${node}`))];
}

/** A pod whose volume has to be writable, so that its file system can grow. */
export function mountReadWrite(c: PresentClaim, pod: Pod): Fix {
  const volumes = (pod.spec?.volumes ?? [])
    .filter(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === c.name)
    .map(({ name }) => ({ name, persistentVolumeClaim: { claimName: c.name, readOnly: false } }));
  return changePodFix(
    pod,
    { volumes },
    (where) =>
      `Mount the claim read-write once: set readOnly to false ${where}. ` +
      'The kubelet grows the file system when the volume is mounted; afterwards readOnly can be set again.',
  );
}

/** `the kubelet of node-a` */
export function kubeletWords(pod: Pod | undefined): string {
  return pod?.spec?.nodeName ? `the kubelet of ${pod.spec.nodeName}` : 'the kubelet';
}
