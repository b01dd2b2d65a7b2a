import type { Unread } from '../../core/report/report.ts';
import type { Screen } from '../../terminal/screen.ts';
import { displayWidth, wrapText } from '../../terminal/wrap.ts';

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

/** At most so many lines of the text; only where `-o wide` shows the whole. */
export function firstLines(text: string, lines: number, width: number, screen: Screen): string[] {
  const wrapped = wrapText(text, Math.max(10, width));
  if (wrapped.length <= lines) return wrapped;
  return [...wrapped.slice(0, lines - 1), cutLine(wrapped.slice(lines - 1).join(' '), width, screen)];
}

/** One line of at most so many columns. */
export function cutLine(text: string, width: number, screen: Screen): string {
  if (displayWidth(text) <= width) return text;
  const more = screen.theme.prose('…');
  const room = Math.max(10, width) - displayWidth(more);
  let cut = text.slice(0, room);
  while (displayWidth(cut) > room) cut = cut.slice(0, -1);
  const space = cut.lastIndexOf(' ');
  return `${(space > room - 16 ? cut.slice(0, space) : cut).trimEnd()}${more}`;
}

/** `3 nodes`, `1 node`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
