import type { TraceGap } from '../../report/trace.ts';
import type { Fact } from './fact.ts';
import { timeText } from './reckoning.ts';
import type { Charged } from './reckoning.ts';

const longSeconds = 30;
const shortSeconds = 5;
/** A shorter gap counts if it is this share of the whole time. */
const largeShare = 0.25;

/** The spans without any record that are longer than expected. */
export function gapsBetween(facts: readonly Fact[], charged: readonly Charged[], now: number): TraceGap[] {
  const shown = facts.filter(({ isMinor }) => !isMinor);
  const first = shown[0];
  const last = shown.at(-1);
  if (!first || !last) return [];
  const open = charged.find(({ isOpen }) => isOpen);
  const end = open ? now : last.at;
  const isLong = (seconds: number): boolean =>
    seconds >= longSeconds || (seconds >= shortSeconds && seconds >= (largeShare * (end - first.at)) / 1000);
  const gaps: TraceGap[] = [];
  const moments = [...shown.map(({ at }) => at), ...(open ? [now] : [])];
  for (let index = 1; index < moments.length; index += 1) {
    const [from = 0, to = 0] = [moments[index - 1], moments[index]];
    const seconds = Math.floor((to - from) / 1000);
    if (!isLong(seconds)) continue;
    const waitedFor = mainCharge(charged, from, to);
    const isNoisy = facts.some(({ at, until }) => until !== undefined && until > at && until > from && at < to);
    const isOpen = open !== undefined && index === moments.length - 1;
    // While a volume is in use no component has to act.
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

/** The component that had to act for most of the time; undefined where the volume was in use already. */
function mainCharge(charged: readonly Charged[], from: number, to: number): string | undefined {
  const shares = charged
    .map((span) => ({ span, share: Math.min(to, span.to) - Math.max(from, span.from) }))
    .filter(({ share }) => share > (to - from) / 2);
  return shares.sort((a, b) => b.share - a.share)[0]?.span.waitsFor;
}
