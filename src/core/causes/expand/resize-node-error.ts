import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { hasCondition, isForNode, mountingPods, nodesTurnSince, resizeStateOf } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { senseOf } from '../lib/driver-error/storage-sense.ts';
import { elseLowerRequest, growthEvidence, resizerOf } from './expansion.ts';
import { nodeErrorOf, nodeLogFix } from './node-expansion.ts';
import { restartFix } from './pod-restart.ts';
import { quote } from '../lib/driver-error/quote.ts';
import type { RpcWords } from '../lib/driver-error/resize-error.ts';

const silenceSeconds = 600;

/** node_expander expandOnPlugin: NodeExpandVolume failed with a final error, and the kubelet retries. */
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
    return {
      confidence: error.isKept ? 'certain' : 'likely',
      summary: `${driver} has grown the storage, but cannot grow the volume on ${pod?.spec?.nodeName ?? 'the node'}: ${reasonText(error)}`,
      evidence: [...growthEvidence(c), error.evidence],
      fix: adviceFor(c, error),
    };
  },
});

/** CSI NodeExpandVolume: FAILED_PRECONDITION for a volume that is in use. */
function isInUse({ code }: RpcWords): boolean {
  return code === 'FailedPrecondition';
}

function reasonText(error: RpcWords): string {
  if (isInUse(error)) return `not while it is in use, ${quote(error.words)}`;
  const sense = senseOf(error.words);
  return sense ? `${sense.meaning} (${quote(error.words)})` : quote(error.words);
}

function adviceFor(c: PresentClaim, error: RpcWords): Fix[] {
  const [pod] = mountingPods(c);
  const restart = isInUse(error)
    ? 'restart the pod: the volume grows before it is mounted again'
    : 'when the reason is gone, restart the pod if the kubelet does not go on by itself';
  return [
    nodeLogFix(pod),
    ...(pod ? [restartFix(pod, restart)] : []),
    ...(isInUse(error) ? [] : [elseLowerRequest(c, error.words)]),
  ];
}

/** The kubelet has begun and not finished: errors that may pass leave neither a condition nor an event. */
function explainSilence(c: PresentClaim): Explanation | undefined {
  const since = nodesTurnSince(c);
  const [pod] = mountingPods(c);
  if (resizeStateOf(c.claim) !== 'NodeResizeInProgress' || !pod) return undefined;
  if (since !== undefined && (c.now - since) / 1000 < silenceSeconds) return undefined;
  return {
    confidence: 'likely',
    summary: `the kubelet on ${pod.spec?.nodeName ?? 'the node'} has begun to grow the volume and does not come to an end`,
    evidence: growthEvidence(c),
    fix: [nodeLogFix(pod), restartFix(pod, 'restart the pod: the kubelet then tries again')],
  };
}
