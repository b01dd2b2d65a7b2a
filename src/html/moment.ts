import { ageText, parseTime } from '../core/kube/time.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';

/**
 * The age of a moment at the time of the document; undefined if either is not a time, or the moment is in the future.
 */
export type AgeOf = (moment: string | undefined) => string | undefined;

export function agesAt(takenAt: string): AgeOf {
  const now = parseTime(takenAt);
  return (moment) => {
    const from = parseTime(moment);
    // Clocks differ by a second or so; beyond that, no age is better than a wrong one.
    return from === undefined || now === undefined || from > now + 1000 ? undefined : ageText(from, now);
  };
}

/** `14m`, with the exact time for those who need it. */
export function ageCell(moment: string | undefined, ageOf: AgeOf): Markup {
  const age = ageOf(moment);
  return age === undefined ? html`-` : html`<time datetime="${moment}" title="${moment}">${age}</time>`;
}

const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/** A value that is a moment as its age and its time. */
export function valueWords(value: string, ageOf: AgeOf): string {
  const age = isMoment.test(value) ? ageOf(value) : undefined;
  return age === undefined ? value : `${value} (${age} ago)`;
}
