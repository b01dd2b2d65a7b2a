import type { TraceGap } from '../../report/trace.ts';
import { timeText } from './account.ts';
import type { Charged } from './account.ts';
import type { Fact } from './fact.ts';

const longSeconds = 30;
const shortSeconds = 5;
/** In a short life even a few seconds are the greater part of it. */
const telling = 0.25;

/** The times in which nothing was written, longer than one would expect. */
export function gapsBetween(facts: readonly Fact[], charged: readonly Charged[], now: number): TraceGap[] {
  const shown = facts.filter(({ isMinor }) => !isMinor);
  const first = shown[0];
  const last = shown.at(-1);
  if (!first || !last) return [];
  const open = charged.find(({ isOpen }) => isOpen);
  const end = open ? now : last.at;
  const isLong = (seconds: number): boolean =>
    seconds >= longSeconds || (seconds >= shortSeconds && seconds >= (telling * (end - first.at)) / 1000);
  const gaps: TraceGap[] = [];
  const moments = [...shown.map(({ at }) => at), ...(open ? [now] : [])];
  for (let index = 1; index < moments.length; index += 1) {
    const [from = 0, to = 0] = [moments[index - 1], moments[index]];
    const seconds = Math.floor((to - from) / 1000);
    if (!isLong(seconds)) continue;
    const waitedFor = whoHadToAct(charged, from, to);
    const isNoisy = facts.some(({ at, until }) => until !== undefined && until > at && until > from && at < to);
    const isOpen = open !== undefined && index === moments.length - 1;
    // A volume in use needs nobody to act.
    if (waitedFor === undefined && !isOpen) continue;
    gaps.push({
      from: timeText(from),
      to: timeText(to),
      seconds,
      ...(waitedFor !== undefined && { waitedFor }),
      ...(isNoisy && { isNoisy: true }),
      ...(isOpen && { isOpen: true }),
    });
  }
  return gaps;
}

/** Whoever had to act for the greater part of it; nobody, where the volume was in use already. */
function whoHadToAct(charged: readonly Charged[], from: number, to: number): string | undefined {
  const shares = charged
    .map((span) => ({ span, share: Math.min(to, span.to) - Math.max(from, span.from) }))
    .filter(({ share }) => share > (to - from) / 2);
  return shares.sort((a, b) => b.share - a.share)[0]?.span.waitsFor;
}
