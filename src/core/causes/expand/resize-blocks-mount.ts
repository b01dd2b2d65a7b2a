import { lastSeen, newestMatch } from '../../graph/events.ts';
import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { hasCondition } from '../../journey/claim-growth.ts';
import { isPresent } from '../../facts/claim/claim-case.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { podRule } from '../lib/rule.ts';
import { growthEvidence, lowerRequest } from './expansion.ts';
import { quote } from '../lib/driver-error/quote.ts';
import { rpcWordsOf } from '../lib/driver-error/resize-error.ts';
import { nodeLog } from './resize-node-error.ts';

const reasons = ['FailedMount', 'FailedMapVolume'];
const retrySeconds = 300;

/** operation_generator: a volume that must still grow grows before it is handed to the pod, and an error there ends the mount. */
export const resizeBlocksMount = podRule({
  cause: 'resize-blocks-mount',
  stage: 'mount',
  severity: 'blocking',
  explain(p) {
    const claims = p.claims.filter(isPresent);
    const said = newestMatch(p.events.items, reasons, /failed while expanding volume (?:for volume )?"?([^" ]*)"?/);
    const last = newestMatch(
      p.events.items,
      reasons,
      /failed (?!while expanding).*for volume|failed while expanding volume/s,
    );
    const isFresh = said && last && lastSeen(said.event) >= lastSeen(last.event) - retrySeconds * 1000;
    // FailedPrecondition does not end the mount (node_expander, IsFailedPreconditionError).
    const failing = claims.find(
      ({ claim }) =>
        hasCondition(claim, 'NodeResizeError') &&
        !/code = FailedPrecondition/.test(conditionOf(claim.status?.conditions, 'NodeResizeError')?.message ?? ''),
    );
    const claim =
      (said && claims.find(({ volumeName }) => volumeName !== '' && volumeName === said.match[1])) ??
      failing ??
      (isFresh ? claims[0] : undefined);
    if (!claim || (!isFresh && !failing)) return undefined;
    const condition = conditionOf(claim.claim.status?.conditions, 'NodeResizeError');
    const text =
      condition?.status === 'True'
        ? (condition.message ?? '')
        : said
          ? (said.event.message ?? said.event.note ?? '')
          : '';
    const { words } = rpcWordsOf(text);
    return {
      confidence: isFresh ? 'likely' : 'possible',
      summary: `pod/${p.pod.metadata.name} cannot start until pvc/${claim.name} has grown to ${claim.request ?? 'its new size'}, and that fails on ${p.pod.spec?.nodeName ?? 'the node'}: ${quote(words)}`,
      evidence: [
        ...growthEvidence(claim),
        ...(condition
          ? [
              field(
                claim.claim,
                'status.conditions[NodeResizeError].message',
                condition.message ?? '',
                condition.lastTransitionTime,
              ),
            ]
          : []),
        ...(isFresh ? [eventSaid(p.pod, said.event)] : []),
      ],
      fix: [
        fix('see why it cannot grow', `kubectl csi why ${inNamespace(claim.namespace)}pvc/${shellWord(claim.name)}`),
        ...nodeLog(p.pod),
        lowerRequest(claim, words),
      ],
    };
  },
});
