import type { KubeEvent } from '../kube/kinds.ts';
import { parseTime } from '../kube/time.ts';

/** The message in either event API: core/v1 and events.k8s.io/v1 name the same fields differently. */
export function messageOf(event: KubeEvent): string {
  return event.message ?? event.note ?? '';
}

export function componentOf(event: KubeEvent): string {
  return (
    event.source?.component ||
    event.deprecatedSource?.component ||
    event.reportingComponent ||
    event.reportingController ||
    ''
  );
}

/** When the event was last seen, in ms. Scheduler events carry only eventTime, repeated events a series. */
export function lastSeen(event: KubeEvent): number {
  return parseTime(lastTimeOf(event)) ?? 0;
}

export function lastSeenText(event: KubeEvent): string | undefined {
  const text = lastTimeOf(event);
  if (text === undefined || usualForm.test(text)) return text;
  return new Date(parseTime(text) ?? 0).toISOString().replace('.000Z', 'Z');
}

/** The form in which times are shown, and in which nearly all are written. */
const usualForm = /T(?:[01]\d|2[0-3]):\d\d:\d\dZ$/;

/** The latest of the times at which the event was seen. */
function lastTimeOf({
  series,
  lastTimestamp,
  deprecatedLastTimestamp,
  eventTime,
  metadata,
}: KubeEvent): string | undefined {
  let latest: string | undefined;
  let latestMs = 0;
  for (const text of [
    series?.lastObservedTime,
    lastTimestamp,
    deprecatedLastTimestamp,
    eventTime,
    metadata.creationTimestamp,
  ]) {
    const time = text === latest ? undefined : parseTime(text);
    if (time === undefined || time <= latestMs) continue;
    latest = text;
    latestMs = time;
  }
  return latest;
}

export interface EventMatch {
  readonly event: KubeEvent;
  readonly match: RegExpExecArray;
}

/** The latest event with this reason (or one of them) whose message fits. */
export function newestMatch(
  events: readonly KubeEvent[],
  reasons: string | readonly string[],
  pattern: RegExp,
): EventMatch | undefined {
  let best: EventMatch | undefined;
  for (const event of events) {
    const { reason = '' } = event;
    if (typeof reasons === 'string' ? reason !== reasons : !reasons.includes(reason)) continue;
    const match = pattern.exec(messageOf(event));
    if (match && (!best || lastSeen(event) >= lastSeen(best.event))) best = { event, match };
  }
  return best;
}

export function hasReason(events: readonly KubeEvent[], reason: string): boolean {
  return events.some((event) => event.reason === reason);
}
