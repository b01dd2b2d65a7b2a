import type { Unread } from '../../core/report/report.ts';
import { whyUnread } from '../../core/report/why-unread.ts';
import type { Screen } from '../screen.ts';

/** A longer list of names is cut; `-o wide` shows all. */
const enough = 5;

export function nameList(names: readonly string[], screen: Screen): string {
  if (screen.wide || names.length <= enough + 1) return names.join(', ');
  return `${names.slice(0, enough).join(', ')} and ${names.length - enough} more`;
}

/** Why a kind was not read. */
export function unreadText(unread: readonly Unread[], resource: string, screen: Screen): string {
  const entry = unread.find((one) => one.resource === resource);
  const { paint, glyph } = screen.theme;
  const failure = `could not be read${entry?.reason === 'forbidden' ? ' (forbidden)' : ''}`;
  return `${paint('unknown', glyph.unknown)} ${entry?.reason === 'not in the dump' ? whyUnread(entry) : failure}`;
}

/** `3 nodes`, `1 node`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
