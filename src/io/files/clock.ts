import { UserError } from '../../core/kube/errors.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[-+]\d\d:\d\d)$/;
const usualForm = /^[-\d]{10}T[:\d]{8}Z$/;
const usualLength = 20;
const namesTime = /(?:Time|Timestamp|At|^time)$/;
/**
 * Times that are in the future by nature; a deletion timestamp is the end of the grace period, not the moment of the
 * request.
 */
const liesAhead = /^deletionTimestamp$|expir|until|next|notafter|deadline/i;

function parseMoment(text: string): number | undefined {
  if (!rfc3339.test(text)) return undefined;
  const moment = Date.parse(text);
  return Number.isNaN(moment) ? undefined : moment;
}

/** The moment of --at. */
export function requireMoment(text: string): string {
  const moment = parseMoment(text);
  if (moment === undefined)
    throw new UserError(
      `--at ${JSON.stringify(text)} is not a time`,
      'Write it as RFC 3339, for example 2026-11-16T03:00:00Z',
    );
  return new Date(moment).toISOString();
}

/** Times that a running cluster writes all the time, so that the latest of them is about when the dump was taken. */
const pulse = /^(?:renewTime|lastHeartbeatTime|lastProbeTime|lastTimestamp|eventTime|lastObservedTime)$/;

/** When a dump was taken, if it records that. */
export interface Clock {
  /** The latest moment in the objects: the dump was not taken before it. */
  readonly newest: number | undefined;
  /**
   * Whether the cluster's own clock runs in it. If not, the latest moment may be the creation of the only object, long
   * ago.
   */
  readonly hasPulse: boolean;
}

export function readClock(objects: Iterable<RawObject>): Clock {
  let hasPulse = false;
  let newest = Number.NEGATIVE_INFINITY;
  /** The latest of those in the usual form, in which they sort as text. */
  let newestText = '';
  const tellsTime = new Map<string, boolean>();
  const visit = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null || depth > 12) return;
    if (Array.isArray(value)) {
      for (const item of value) visit(item, depth + 1);
      return;
    }
    for (const key in value) {
      const field = (value as Record<string, unknown>)[key];
      if (typeof field === 'string') {
        let tells = tellsTime.get(key);
        if (tells === undefined) tellsTime.set(key, (tells = namesTime.test(key) && !liesAhead.test(key)));
        if (!tells || (hasPulse && field.length === usualLength && field <= newestText)) continue;
        const moment = parseMoment(field);
        if (moment === undefined) continue;
        if (moment > newest) newest = moment;
        hasPulse ||= pulse.test(key);
        if (usualForm.test(field) && field > newestText) newestText = field;
      } else if (typeof field === 'object' && key !== 'fieldsV1' && key !== 'annotations' && key !== 'labels')
        visit(field, depth + 1);
    }
  };
  for (const object of objects) visit(object, 0);
  return { newest: newest === Number.NEGATIVE_INFINITY ? undefined : newest, hasPulse };
}
