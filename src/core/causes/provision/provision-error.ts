import { componentOf, lastSeen, messageOf } from '../../graph/events.ts';
import type { KubeEvent } from '../../kube/kinds.ts';
import { parseTime } from '../../kube/time.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { volumeController } from './provisioner.ts';
import { dataSourceOf, isPopulated } from './data-source.ts';
import { classifyError } from '../lib/driver-error/provision-failure.ts';
import type { ErrorClass, ErrorKind } from '../lib/driver-error/provision-failure.ts';

/** What the driver, or another provisioner, last reported about the claim. */
export interface ProvisionError extends ErrorClass {
  readonly event: KubeEvent;
  /** How often this was reported, as far as the events show. */
  readonly count: number;
  /** When it was first said, ms. */
  readonly firstSeen: number;
  /** The last report, where it says less than this one. */
  readonly latest: KubeEvent | undefined;
  /**
   * What the storage says to the retries of a request that failed half way: it knows the name by now. The volume that
   * it speaks of is the one of this claim.
   */
  readonly echo: string | undefined;
}

/** Retries come at most five minutes apart: what was said longer ago than this before the last word is over. */
const windowMs = 15 * 60_000;

/**
 * How informative an error is: a refusal states what is wrong; a timeout only that something is; "still pending" and
 * "cancelled" are the echo of an attempt that hangs.
 */
function weightOf({ kind, code }: ErrorClass): number {
  if (kind !== 'background') return 2;
  return code === 'Aborted' || code === 'Canceled' ? 0 : 1;
}

/** Found once for each claim, since every rule of this room looks at it. */
export function provisionErrorOf(c: ClaimCase): ProvisionError | undefined {
  return c.once(findError);
}

function findError(c: ClaimCase): ProvisionError | undefined {
  if (!c.events.items.some(isFailure)) return undefined;
  const source = dataSourceOf(c);
  const hasSource = source !== undefined && !isPopulated(source);
  const { items } = c.events;
  const success = Math.max(0, ...items.filter(({ reason }) => reason === 'ProvisioningSucceeded').map(lastSeen));
  const errors = items
    .filter(isFailure)
    .filter((event) => lastSeen(event) > success || success === 0)
    .map((event) => ({
      event,
      ...classifyError(messageOf(event), {
        hasSource,
        reason: event.reason ?? '',
        modes: c.claim?.spec?.accessModes ?? [],
        isBlock: c.claim?.spec?.volumeMode === 'Block',
      }),
    }));
  const newest = Math.max(...errors.map(({ event }) => lastSeen(event)));
  const first = newestOf(errors.filter(({ kind }) => isFirstRefusal(kind)));
  const echo = newestOf(errors.filter(({ kind }) => kind === 'alreadyExists'));
  if (first && echo && lastSeen(echo.event) > lastSeen(first.event))
    return {
      ...first,
      count: timesSeen(first.event),
      firstSeen: firstSeen(first.event),
      latest: echo.event,
      echo: echo.text,
    };
  const recent = errors.filter(({ event }) => newest - lastSeen(event) <= windowMs);
  const [best] = recent.sort(
    (a, b) =>
      weightOf(b) - weightOf(a) ||
      lastSeen(b.event) - lastSeen(a.event) ||
      (messageOf(a.event) < messageOf(b.event) ? -1 : 1),
  );
  if (!best || best.kind === 'elsewhere') return undefined;
  // The volume controller's own failures are no driver's; they count only if their text says more.
  if (best.kind === 'internal' && componentOf(best.event) === volumeController) return undefined;
  const alike = recent.filter(({ kind }) => kind === best.kind);
  return {
    ...best,
    count: alike.reduce((sum, { event }) => sum + timesSeen(event), 0),
    firstSeen: Math.min(...alike.map(({ event }) => firstSeen(event))),
    latest: lastSeen(best.event) < newest ? recent.find(({ event }) => lastSeen(event) === newest)?.event : undefined,
    echo: undefined,
  };
}

/** An error of the storage about the request itself, after which it may keep the name of the volume. */
function isFirstRefusal(kind: ErrorKind): boolean {
  return kind === 'internal' || kind === 'credentials' || kind === 'exhausted' || kind === 'invalidArgument';
}

function newestOf<E extends { readonly event: KubeEvent }>(errors: readonly E[]): E | undefined {
  return [...errors].sort((a, b) => lastSeen(b.event) - lastSeen(a.event))[0];
}

function isFailure({ reason }: KubeEvent): boolean {
  return reason === 'ProvisioningFailed' || reason === 'ProvisioningCleanupFailed';
}

export function timesSeen(event: KubeEvent): number {
  return Math.max(1, event.count ?? 0, event.deprecatedCount ?? 0, event.series?.count ?? 0);
}

function firstSeen(event: KubeEvent): number {
  const times = [event.firstTimestamp, event.deprecatedFirstTimestamp, event.eventTime]
    .map((time) => parseTime(time))
    .filter((time) => time !== undefined);
  return Math.min(lastSeen(event), ...times);
}
