import { componentOf, lastSeen, messageOf } from '../../graph/events.ts';
import type { KubeEvent, Pod } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { eventSaid, field, fix, shellWord } from '../../facts/evidence.ts';
import { hasCondition, isForNode, mountingPods, nodesTurnSince, resizeStateOf } from '../../journey/claim-growth.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { claimRule } from '../lib/rule.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { senseOf } from '../lib/driver-error/storage-sense.ts';
import { growthEvidence, lowerRequest, resizerOf } from './expansion.ts';
import { quote } from '../lib/driver-error/quote.ts';
import { rpcWordsOf } from '../lib/driver-error/resize-error.ts';
import type { RpcWords } from '../lib/driver-error/resize-error.ts';
import { restartFix } from './workload-of.ts';

interface NodeError extends RpcWords {
  readonly evidence: Evidence;
  readonly isKept: boolean;
}

/** What the kubelet wrote down (MarkNodeExpansionFailedCondition, ≥1.31), or said on a pod. */
function nodeErrorOf(c: PresentClaim): NodeError | undefined {
  const condition = conditionOf(c.claim.status?.conditions, 'NodeResizeError');
  if (condition?.status === 'True')
    return {
      ...rpcWordsOf(condition.message ?? ''),
      isKept: true,
      evidence: field(
        c.claim,
        'status.conditions[NodeResizeError].message',
        condition.message ?? '',
        condition.lastTransitionTime,
      ),
    };
  const since = nodesTurnSince(c) ?? 0;
  for (const pod of mountingPods(c).slice(0, 3)) {
    const said = newestNodeFailure(c.ask.eventsOf(pod).items);
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
      (componentOf(event) === 'kubelet' || /NodeExpandVolume/.test(messageOf(event))),
  );
  const done = sorted.findLast(({ reason }) => reason === 'FileSystemResizeSuccessful');
  return failed && done && lastSeen(done) > lastSeen(failed) ? undefined : failed;
}

/** node_expander expandOnPlugin: NodeExpandVolume failed for good; the kubelet tries again. */
export const resizeNodeError = claimRule({
  cause: 'resize-node-error',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    if (!isForNode(c.claim) && !hasCondition(c.claim, 'NodeResizeError')) return undefined;
    const error = nodeErrorOf(c);
    if (!error) return explainSilence(c);
    const [pod] = mountingPods(c);
    const driver = resizerOf(c).driver ?? 'the driver';
    const isBusy = error.code === 'FailedPrecondition';
    const sense = senseOf(error.words);
    return {
      confidence: error.isKept ? 'certain' : 'likely',
      summary: `${driver} has grown the storage, but cannot grow the volume on ${pod?.spec?.nodeName ?? 'the node'}: ${isBusy ? `not while it is in use, ${quote(error.words)}` : sense ? `${sense.meaning} (${quote(error.words)})` : quote(error.words)}`,
      evidence: [...growthEvidence(c), error.evidence],
      fix: [
        ...nodeLog(pod),
        ...(pod
          ? [
              restartFix(
                pod,
                isBusy
                  ? 'restart the pod: the volume grows before it is mounted again'
                  : 'when the reason is gone, restart the pod if the kubelet does not go on by itself',
              ),
            ]
          : []),
        ...(isBusy ? [] : [undo(c, error)]),
      ],
    };
  },
});

/** The newer name, and that of 1.28 to 1.30. */
const states = ['NodeResizeInfeasible', 'NodeResizeFailed'];

/** node_expander MarkNodeExpansionInfeasible: the resizer has to set the size right before the kubelet tries again. */
export const resizeNodeInfeasible = claimRule({
  cause: 'resize-node-infeasible',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    if (!states.includes(resizeStateOf(c.claim))) return undefined;
    const error = nodeErrorOf(c);
    const [pod] = mountingPods(c);
    return {
      summary: `${resizerOf(c).driver ?? 'the driver'} cannot grow the volume on ${pod?.spec?.nodeName ?? 'the node'} to ${c.request ?? 'the new size'}${error?.words ? `: ${quote(error.words)}` : ''}`,
      evidence: [...growthEvidence(c), ...(error ? [error.evidence] : [])],
      fix: [lowerRequest(c, error?.words ?? ''), ...nodeLog(pod)],
    };
  },
});

const silenceSeconds = 600;

/** The kubelet has begun, and errors that may pass are written down nowhere. */
function explainSilence(c: PresentClaim) {
  const since = nodesTurnSince(c);
  const [pod] = mountingPods(c);
  if (
    resizeStateOf(c.claim) !== 'NodeResizeInProgress' ||
    !pod ||
    (since !== undefined && (c.now - since) / 1000 < silenceSeconds)
  )
    return undefined;
  return {
    confidence: 'likely' as const,
    summary: `the kubelet on ${pod.spec?.nodeName ?? 'the node'} has begun to grow the volume and does not come to an end`,
    evidence: growthEvidence(c),
    fix: [...nodeLog(pod), restartFix(pod, 'restart the pod: the kubelet then tries again')],
  };
}

export function nodeLog(pod: Pod | undefined) {
  const node = pod?.spec?.nodeName;
  return [
    fix(
      'read the log of the node plugin of the driver, and of the kubelet, on that node',
      node
        ? `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)} | grep -i csi`
        : 'kubectl get pods -A -o wide | grep -i csi',
    ),
  ];
}

function undo(c: PresentClaim, error: NodeError) {
  const { text, ...rest } = lowerRequest(c, error.words);
  return { text: `if it cannot be mended: ${text}`, ...rest };
}
