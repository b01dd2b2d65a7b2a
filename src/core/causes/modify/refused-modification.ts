import { messageOf, newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { Condition } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { eventSaid, field } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { rpcWordsOf as readRpcWords } from '../lib/driver-error/resize-error.ts';
import type { RpcWords } from '../lib/driver-error/resize-error.ts';
import { rpcErrorText } from '../lib/driver-error/grpc-codes.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import { modifyFailedText, waitsForRetryText } from '../lib/driver-error/sentences/resizer.ts';

/** external-resizer markControllerModifyVolumeStatus ends the words of the driver with its own. */
function rpcWordsOf(text: string): RpcWords {
  return readRpcWords(text.replace(waitsForRetryText, ''));
}

/** What the driver answered to ControllerModifyVolume. */
export interface ModifyRefusal {
  readonly code: string;
  readonly words: string;
  readonly evidence: Evidence;
}

/**
 * The condition that still holds the error: ModifyVolumeError, or ModifyingVolume once the change was given up
 * (external-resizer v1.14.0).
 */
export function keptRefusal({ claim }: PresentClaim): Condition | undefined {
  const failed = conditionOf(claim.status?.conditions, 'ModifyVolumeError');
  if (failed?.status === 'True') return failed;
  const working = conditionOf(claim.status?.conditions, 'ModifyingVolume');
  return working?.status === 'True' && rpcErrorText.test(working.message ?? '') ? working : undefined;
}

/** The condition keeps the code as its reason and the driver's words as its message; the event has both in one text. */
export function refusalOf(c: PresentClaim): ModifyRefusal | undefined {
  const condition = keptRefusal(c);
  const said = newestMatch(c.events.items, 'VolumeModifyFailed', rpcErrorText);
  // A condition that only reports a failure shows less than the event with the driver's words.
  if (condition && !(said && isEmpty(condition))) return refusalInCondition(c, condition, said);
  if (!said) return undefined;
  const { code, words } = rpcWordsOf(messageOf(said.event));
  return { code: code ?? '', words, evidence: eventSaid(c.claim, said.event) };
}

/** external-resizer markControllerModifyVolumeStatus writes this sentence, in some releases with nothing between. */
function isEmpty({ message = '' }: Condition): boolean {
  return modifyFailedText.test(message);
}

function refusalInCondition(c: PresentClaim, condition: Condition, said: EventMatch | undefined): ModifyRefusal {
  const { type, reason, message, lastTransitionTime } = condition;
  const kept = rpcWordsOf(message ?? '');
  const heard = said && rpcWordsOf(messageOf(said.event));
  return {
    code: reason || (kept.code ?? heard?.code ?? ''),
    words: kept.words || (heard?.words ?? ''),
    evidence: field(
      c.claim,
      `status.conditions[${type ?? ''}]`,
      [reason, message].filter(Boolean).join(': '),
      lastTransitionTime,
    ),
  };
}

/** The words of the driver; where it gave none, its code. */
export function refusalWords({ code, words }: ModifyRefusal): string {
  return words === '' ? `"code = ${code || 'Unknown'}", without a description` : quoteWords(words);
}
