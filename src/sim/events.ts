import type { RawObject } from '../core/kube/snapshot.ts';

/** The same event under its two names: [core/v1, events.k8s.io/v1]. */
const renamed = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
] as const;

/** Events are kept in the form of core/v1; a dump may hold either. */
export function toCoreEvent(event: RawObject): RawObject {
  if (
    event['regarding'] === undefined &&
    event['note'] === undefined &&
    !event.apiVersion?.startsWith('events.k8s.io/')
  )
    return event;
  return rename(event, 'v1', (core, other) => [other, core]);
}

export function toNewEvent(event: RawObject): RawObject {
  return rename(event, 'events.k8s.io/v1', (core, other) => [core, other]);
}

function rename(
  event: RawObject,
  apiVersion: string,
  direction: (core: string, other: string) => readonly [string, string],
): RawObject {
  const result: Record<string, unknown> = { ...event, apiVersion };
  for (const [core, other] of renamed) {
    const [from, to] = direction(core, other);
    if (result[from] === undefined) continue;
    result[to] ??= result[from];
    delete result[from];
  }
  return result as RawObject;
}
