import type { KubeEvent } from '../model/kinds.ts';
import { parseTime } from '../model/time.ts';

/** Both event APIs in one form: core/v1 and events.k8s.io/v1 name the same things differently. */
export function messageOf(event: KubeEvent): string {
  return event.message ?? event.note ?? '';
}

export function componentOf(event: KubeEvent): string {
  return event.source?.component || event.deprecatedSource?.component || event.reportingComponent || event.reportingController || '';
}

/** When it was last seen, ms. Scheduler events carry only eventTime, repeated ones a series. */
export function lastSeen(event: KubeEvent): number {
  const times = [event.series?.lastObservedTime, event.lastTimestamp, event.deprecatedLastTimestamp, event.eventTime, event.metadata.creationTimestamp];
  return Math.max(0, ...times.map((time) => parseTime(time) ?? 0));
}

export function lastSeenText(event: KubeEvent): string | undefined {
  const time = lastSeen(event);
  return time > 0 ? new Date(time).toISOString().replace('.000Z', 'Z') : undefined;
}

export interface EventMatch {
  readonly event: KubeEvent;
  readonly match: RegExpExecArray;
}

/** The newest event with this reason (or one of them) whose message fits. */
export function newestMatch(events: readonly KubeEvent[], reasons: string | readonly string[], pattern: RegExp): EventMatch | undefined {
  const wanted = typeof reasons === 'string' ? [reasons] : reasons;
  let best: EventMatch | undefined;
  for (const event of events) {
    if (!wanted.includes(event.reason ?? '')) continue;
    const match = pattern.exec(messageOf(event));
    if (match && (!best || lastSeen(event) >= lastSeen(best.event))) best = { event, match };
  }
  return best;
}

export function hasReason(events: readonly KubeEvent[], reason: string): boolean {
  return events.some((event) => event.reason === reason);
}
