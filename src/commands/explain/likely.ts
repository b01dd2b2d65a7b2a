import type { MessageItem } from './answer.ts';

/** More are rarely read; -o wide has them all. */
export const mostShown = 5;

/** A symptom and what has passed add nothing if the text has the cause. */
export function likelyOf(items: readonly MessageItem[]): readonly MessageItem[] {
  const likely = items.filter(({ strength, settled }) => strength !== 'symptom' && !settled);
  return likely.length > 0 ? likely : items;
}

/** The sentence above the causes that are shown. */
export function leadOf(items: readonly MessageItem[]): string {
  const [first] = items;
  if (first?.strength === 'symptom')
    return 'The text reports a symptom: another fault causes it, which the text does not name. These causes are possible:';
  if (first?.strength === 'possible')
    return 'The text does not say which step failed. If it is about a volume, these causes are possible:';
  if (items.length === 1) return first?.when === undefined ? 'The text matches one cause:' : 'One cause is possible:';
  return first?.strength === 'exact'
    ? `The text matches ${items.length} causes. The first is the most likely:`
    : `The text can mean ${items.length} causes, the most likely first:`;
}
