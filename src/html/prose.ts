import { html } from './markup.ts';
import type { Part } from './markup.ts';

/** A browser breaks lines after every hyphen; a longer word than this is broken in any case. */
const hyphenated = /[\p{L}\p{N}]-[\p{L}\p{N}]/u;
const longestWord = 60;

/** A sentence whose names are not broken in the middle, as long as they fit in a line. */
export function prose(text: string): Part {
  if (!hyphenated.test(text)) return text;
  return text
    .split(/(\s+)/)
    .map((word) => (word.length <= longestWord && hyphenated.test(word) ? html`<span class="w">${word}</span>` : word));
}
