import { html } from './markup.ts';
import type { Markup } from './markup.ts';

/** A page that is attached to a ticket stays below this, for clusters of any size. */
const mostCharacters = 1_500_000;
const mostRows = 200;
const longestText = 4000;

/** The first of a list, and how many are left out. */
export function cutList<T>(
  list: readonly T[],
  most = mostRows,
): { readonly shown: readonly T[]; readonly left: number } {
  const shown = list.length <= most ? list : list.slice(0, most);
  return { shown, left: list.length - shown.length };
}

/** What is left out, and where it is: a list that is cut without a word would look complete. */
export function leftOut(left: number, what: string): Markup | undefined {
  if (left <= 0) return undefined;
  return html`<p class="note">
    ${left} more ${what} ${left === 1 ? 'is' : 'are'} left out to keep this page small; -o json has
    ${left === 1 ? 'it' : 'them'}.
  </p>`;
}

/** Renders entries until the page is full. */
export function fill<T>(
  list: readonly T[],
  render: (entry: T, index: number) => Markup,
): { readonly shown: readonly Markup[]; readonly left: number } {
  const shown: Markup[] = [];
  let size = 0;
  for (const [index, entry] of list.entries()) {
    const next = render(entry, index);
    size += next.text.length;
    if (size > mostCharacters && shown.length > 0) break;
    shown.push(next);
  }
  return { shown, left: list.length - shown.length };
}

/** The same document in which no text is longer than a page has room for. */
export function cutTexts<Document extends object>(document: Document): Document {
  return cutValue(document) as Document;
}

function cutValue(value: unknown): unknown {
  if (typeof value === 'string')
    return value.length <= longestText
      ? value
      : `${value.slice(0, longestText).toWellFormed()}… (${value.length - longestText} more characters)`;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(cutValue);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutValue(item)]));
}
