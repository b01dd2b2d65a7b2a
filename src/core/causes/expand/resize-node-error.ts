import type { Pod } from '../../kube/kinds.ts';
import { ageText } from '../../kube/time.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { hasCondition, isForNode, mountingPods, nodesTurnSince, resizeStateOf } from '../../journey/claim-growth.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { sentence } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import { diskErrorTexts } from '../lib/driver-error/senses/file-system.ts';
import type { RpcWords } from '../lib/driver-error/resize-error.ts';
import { driverWords, growthEvidence } from './expansion.ts';
import { checkFileSystem, correctOnNode } from './file-system-fixes.ts';
import { fileSystemTexts } from '../lib/driver-error/node-program.ts';
import { kubeletWords, nodeErrorOf, nodeLogFix } from './node-expansion.ts';
import { nodeGrowthSense } from './node-growth-fixes.ts';
import { restartPods } from './pod-restart.ts';
import { answerWords, targetOf } from './resize-controller-error.ts';
import { changeSenseOf } from './storage-fixes.ts';

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
    return {
      confidence: error.isKept ? 'certain' : 'likely',
      summary: summarize(c, error),
      evidence: [...growthEvidence(c), error.evidence],
      fix: adviceFor(c, error),
    };
  },
});

function summarize(c: PresentClaim, error: RpcWords): string {
  const [pod] = mountingPods(c);
  const meaning =
    (diskErrorTexts.test(error.words) && 'The disk returns input/output errors.') ||
    (isInUse(error) || fileSystemTexts.test(error.words)
      ? undefined
      : (nodeGrowthSense(c, pod, error.words)?.meaning ?? changeSenseOf(error.words)?.meaning));
  const where = pod?.spec?.nodeName ?? 'the node';
  return [
    `The storage of pvc/${c.name} has grown to ${targetOf(c)}, but its file system has not.`,
    sentence(
      `${driverWords(c)} cannot grow it on ${where}${isInUse(error) ? ' while it is in use' : ''}: ${answerWords(error)}`,
    ),
    ...(meaning === undefined || meaning === '' ? [] : [meaning]),
  ].join(' ');
}

/** CSI NodeExpandVolume: FAILED_PRECONDITION for a volume that is in use. */
function isInUse({ code }: RpcWords): boolean {
  return code === 'FailedPrecondition';
}

function adviceFor(c: PresentClaim, error: RpcWords): Fix[] {
  const pods = mountingPods(c);
  const [pod] = pods;
  const log = nodeLogFix(c, pod, (where) => `Read what ${where} logged around the error.`);
  if (isInUse(error))
    return [
      ...(pod
        ? [restartPods(pods, `Restart ${podsWords(pods)}: the file system grows before the volume is mounted again.`)]
        : []),
      ...log,
    ];
  if (diskErrorTexts.test(error.words))
    return [
      steps(
        'Ask your storage team to check the health of the volume: the disk fails to read or write. Back up ' +
          'the data while it can be read. The kubelet retries within a few minutes.',
        [],
      ),
      ...log,
    ];
  if (fileSystemTexts.test(error.words)) return [...checkFileSystem(c, pod), ...log];
  const known = nodeGrowthSense(c, pod, error.words);
  if (known) return [...known.fixes, ...log];
  const [read] = nodeLogFix(
    c,
    pod,
    (where) =>
      `Read what ${where} logged around the error, and correct what it names. The kubelet retries within a few minutes.`,
  );
  return [
    read ?? correctOnNode(c),
    ...(pod
      ? [
          restartPods(
            pods,
            `If the kubelet does not continue once the reason is gone, restart ${podsWords(pods)}: the ` +
              'volume is then mounted anew and grows.',
          ),
        ]
      : []),
  ];
}

function podsWords(pods: readonly Pod[]): string {
  return pods.length === 1 ? `pod/${pods[0]?.metadata.name ?? ''}` : `the ${pods.length} pods that use it`;
}

/** The kubelet has begun and not finished: errors that may pass leave neither a condition nor an event. */
function explainSilence(c: PresentClaim): Explanation | undefined {
  const since = nodesTurnSince(c);
  const [pod] = mountingPods(c);
  if (resizeStateOf(c.claim) !== 'NodeResizeInProgress' || !pod) return undefined;
  if (since !== undefined && (c.now - since) / 1000 < silenceSeconds) return undefined;
  const waited = since === undefined ? '' : ` for ${ageText(since, c.now)}`;
  return {
    confidence: 'likely',
    summary:
      `The storage of pvc/${c.name} has grown to ${targetOf(c)}. ` +
      `${sentence(`${capitalise(kubeletWords(pod))} has been growing its file system${waited} without a result or an error`)}`,
    evidence: growthEvidence(c),
    fix: [
      restartPods(
        [pod],
        `Restart pod/${pod.metadata.name}: the volume is then mounted anew and the kubelet tries again.`,
      ),
      ...nodeLogFix(c, pod, (where) => `If it stays, read what ${where} logged when it was asked to grow the volume.`),
    ],
  };
}

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
