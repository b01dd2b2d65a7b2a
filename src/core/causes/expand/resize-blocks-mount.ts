import { lastSeen, messageOf, newestMatch } from '../../graph/events.ts';
import type { Condition, KubeEvent } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { isPresent } from '../../facts/claim/claim-case.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { podRule } from '../lib/rule.ts';
import { sentence } from '../lib/sentence.ts';
import { growthEvidence } from './expansion.ts';
import { checkFileSystem, correctOnNode } from './file-system-fixes.ts';
import { fileSystemTexts } from '../lib/driver-error/node-program.ts';
import { nodeLogFix } from './node-expansion.ts';
import { nodeGrowthSense } from './node-growth-fixes.ts';
import { saysCode } from '../lib/driver-error/grpc-codes.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import { rpcWordsOf } from '../lib/driver-error/resize-error.ts';
import { anyMountFailureText, mountWhileExpandingText } from '../lib/driver-error/sentences/resizer.ts';

const reasons = ['FailedMount', 'FailedMapVolume'];
const retrySeconds = 300;

/**
 * operation_generator: a volume that must still grow is expanded before the pod gets it, and an error there ends the
 * mount.
 */
export const resizeBlocksMount = podRule({
  cause: 'resize-blocks-mount',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const blocked = findBlockedMount(p);
    if (!blocked) return undefined;
    const { claim, event } = blocked;
    const { words } = rpcWordsOf(errorText(blocked));
    const known = nodeGrowthSense(claim, p.pod, words);
    return {
      confidence: event ? 'likely' : 'possible',
      summary: `${sentence(
        `pod/${p.pod.metadata.name} cannot start before the file system of pvc/${claim.name} has grown to ` +
          `${claim.request ?? 'its new size'}, and that fails on ` +
          `${p.pod.spec?.nodeName ?? 'the node'}${words === '' ? '' : `: ${quoteWords(words)}`}`,
      )}${known && known.meaning !== '' ? ` ${known.meaning}` : ''}`,
      evidence: [...growthEvidence(claim), ...conditionEvidence(claim), ...(event ? [eventSaid(p.pod, event)] : [])],
      fix: [
        ...(known?.fixes ?? (fileSystemTexts.test(words) ? checkFileSystem(claim, p.pod) : [correctOnNode(claim)])),
        ...nodeLogFix(claim, p.pod, (where) => `Read what ${where} logged around the error.`),
      ],
    };
  },
});

interface BlockedMount {
  readonly claim: PresentClaim;
  /** The latest event about a failed expansion, however old. */
  readonly said: KubeEvent | undefined;
  /** The same event, if the kubelet has reported nothing newer since. */
  readonly event: KubeEvent | undefined;
}

function findBlockedMount(p: PodCase): BlockedMount | undefined {
  const claims = p.claims.filter(isPresent);
  const said = newestMatch(p.events.items, reasons, mountWhileExpandingText);
  const last = newestMatch(p.events.items, reasons, anyMountFailureText);
  const isFresh = said && last && lastSeen(said.event) >= lastSeen(last.event) - retrySeconds * 1000;
  const failing = claims.find(endsMount);
  if (!isFresh && !failing) return undefined;
  const named = claims.find(({ volumeName }) => volumeName !== '' && volumeName === said?.match[1]);
  const claim = named ?? failing ?? claims[0];
  return claim && { claim, said: said?.event, event: isFresh ? said.event : undefined };
}

/** FailedPrecondition does not end the mount (node_expander, IsFailedPreconditionError). */
function endsMount(claim: PresentClaim): boolean {
  const condition = nodeErrorCondition(claim);
  return condition?.status === 'True' && !saysCode(condition.message ?? '', ['FailedPrecondition']);
}

function nodeErrorCondition({ claim }: PresentClaim): Condition | undefined {
  return conditionOf(claim.status?.conditions, 'NodeResizeError');
}

function errorText({ claim, said }: BlockedMount): string {
  const condition = nodeErrorCondition(claim);
  if (condition?.status === 'True') return condition.message ?? '';
  return said ? messageOf(said) : '';
}

function conditionEvidence(claim: PresentClaim): Evidence[] {
  const condition = nodeErrorCondition(claim);
  if (!condition) return [];
  const path = 'status.conditions[NodeResizeError].message';
  return [field(claim.claim, path, condition.message ?? '', condition.lastTransitionTime)];
}
