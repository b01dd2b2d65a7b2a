import type { Unread } from '../../core/report/report.ts';
import type { Screen } from '../../terminal/screen.ts';

/** Names that fit a line or two; `-o wide` lists them all. */
const enough = 5;

export function nameList(names: readonly string[], screen: Screen): string {
  if (screen.wide || names.length <= enough + 1) return names.join(', ');
  return `${names.slice(0, enough).join(', ')} and ${names.length - enough} more`;
}

/** Why nothing is known of a kind, in a word or two. */
export function unreadText(unread: readonly Unread[], resource: string, screen: Screen): string {
  const reason = unread.find((entry) => entry.resource === resource)?.reason;
  const { paint, glyph } = screen.theme;
  return `${paint('unknown', glyph.unknown)} ${reason === 'not in the dump' ? reason : `could not be read${reason === 'forbidden' ? ' (forbidden)' : ''}`}`;
}

/** `3 nodes`, `1 node`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
