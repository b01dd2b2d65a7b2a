import type { KubeEvent } from '../../kube/kinds.ts';
import { componentOf, lastSeen, messageOf } from '../../graph/events.ts';
import type { Evidence } from '../../report/report.ts';
import { eventSaid, field } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { parseTime } from '../../kube/time.ts';
import { growthSince } from '../../journey/claim-growth.ts';
import { parseDriverError } from '../lib/driver-error/parse.ts';
import type { DriverError } from '../lib/driver-error/parse.ts';
import type { GrpcCode } from '../lib/driver-error/grpc-codes.ts';
import { nodeExpandText } from '../lib/driver-error/sentences/resizer.ts';

/** An error of ControllerExpandVolume. */
export interface ControllerError {
  /** The code that the resizer acts upon. */
  readonly code: GrpcCode | undefined;
  /** The innermost words, on one line. */
  readonly words: string;
  /** The author of the words: the driver, the resizer, or the API server. */
  readonly speaker: DriverError['speaker'];
  readonly text: string;
  readonly evidence: Evidence;
  /** A condition holds it (1.31 and later); otherwise only an event reports it. */
  readonly isKept: boolean;
  /** In milliseconds; 0 when unknown. */
  readonly time: number;
}

export function controllerErrorOf(c: PresentClaim): ControllerError | undefined {
  const condition = conditionOf(c.claim.status?.conditions, 'ControllerResizeError');
  if (condition?.status === 'True') {
    const text = condition.message ?? '';
    return {
      ...answerIn(condition, text),
      isKept: true,
      time: Date.parse(condition.lastTransitionTime ?? '') || 0,
      evidence: field(c.claim, 'status.conditions[ControllerResizeError].message', text, condition.lastTransitionTime),
    };
  }
  const said = newestFailure(c);
  if (!said) return undefined;
  const text = messageOf(said);
  return { ...answerIn(said, text), isKept: false, time: lastSeen(said), evidence: eventSaid(c.claim, said) };
}

function answerIn(
  said: Parameters<typeof parseDriverError>[0],
  text: string,
): Pick<ControllerError, 'code' | 'words' | 'speaker' | 'text'> {
  const { outerCode, words, speaker } = parseDriverError(said);
  return { code: outerCode, words, speaker, text };
}

/**
 * The latest failure event, unless a later event reports success. The kubelet uses the same reason for its own
 * failures.
 */
function newestFailure(c: PresentClaim): KubeEvent | undefined {
  const events = [...c.events.items].sort((a, b) => lastSeen(a) - lastSeen(b));
  const failed = events.findLast(
    (event) =>
      event.reason === 'VolumeResizeFailed' &&
      componentOf(event) !== 'kubelet' &&
      !nodeExpandText.test(messageOf(event)),
  );
  const overcome = events.findLast(
    (event) =>
      (event.reason === 'VolumeResizeSuccessful' && !isUntrueSuccess(c, event)) ||
      event.reason === 'FileSystemResizeRequired' ||
      event.reason === 'FileSystemResizeSuccessful',
  );
  if (!failed || (overcome && lastSeen(overcome) > lastSeen(failed))) return undefined;
  const asked = growthSince(c);
  return asked !== undefined && lastSeen(failed) < asked - 5000 ? undefined : failed;
}

/** The latest report of success that the claim itself contradicts. */
export function untrueSuccess(c: PresentClaim): KubeEvent | undefined {
  return c.events.items
    .filter((event) => event.reason === 'VolumeResizeSuccessful' && isUntrueSuccess(c, event))
    .sort((a, b) => lastSeen(a) - lastSeen(b))
    .at(-1);
}

/**
 * A success ends condition Resizing. external-resizer also reports one after a call that was repeated and had no result
 * (kubernetes-csi/external-resizer#474), and then the condition from before it stays.
 */
function isUntrueSuccess({ claim }: PresentClaim, event: KubeEvent): boolean {
  const resizing = conditionOf(claim.status?.conditions, 'Resizing');
  const since = resizing?.status === 'True' ? parseTime(resizing.lastTransitionTime) : undefined;
  return since !== undefined && since < lastSeen(event);
}
