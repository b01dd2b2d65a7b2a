import { displayWidth, padEnd } from '../terminal/wrap.ts';
import type { SpanStyle } from './theme.ts';

/** A piece of a line in one style. Text of the reports may already contain colours of its own. */
export interface Span {
  readonly text: string;
  readonly style?: SpanStyle | undefined;
}

const colourCode = /\u001b\[[\d;]*m/g;
const endOfColour = '\u001b[0m';

/** The text without its colours. */
export function plainText(text: string): string {
  return text.replace(colourCode, '');
}

export function plainSpans(spans: readonly Span[]): string {
  return spans.map(({ text }) => plainText(text)).join('');
}

/** The spans within so many columns, with an ellipsis where something was cut off. */
export function cutSpans(spans: readonly Span[], width: number, ellipsis: string): readonly Span[] {
  if (displayWidth(plainSpans(spans)) <= width) return spans;
  const kept: Span[] = [];
  let room = width - displayWidth(ellipsis);
  if (room < 0) return [{ text: ellipsis.slice(0, width) }];
  for (const span of spans) {
    const columns = displayWidth(plainText(span.text));
    if (columns > room) return [...kept, { ...span, text: cutEnd(span.text, room) + ellipsis }];
    kept.push(span);
    room -= columns;
  }
  return kept;
}

/** The start of the text, in so many columns; colours that are open at the cut are closed. */
function cutEnd(text: string, width: number): string {
  let kept = '';
  let used = 0;
  let isColoured = false;
  for (const part of text.split(/(\u001b\[[\d;]*m)/)) {
    if (part.startsWith('\u001b')) {
      kept += part;
      isColoured = part !== endOfColour;
      continue;
    }
    for (const character of part) {
      used += displayWidth(character);
      if (used > width) return kept + (isColoured ? endOfColour : '');
      kept += character;
    }
  }
  return kept;
}

/** Plain text in exactly so many columns: cut with an ellipsis, or padded. */
export function fitText(text: string, width: number, ellipsis: string): string {
  return padEnd(plainSpans(cutSpans([{ text }], width, ellipsis)), width);
}

/** The end of a long text, for paths and contexts, whose end says more than their start. */
export function cutStart(text: string, width: number, ellipsis: string): string {
  if (displayWidth(text) <= width) return text;
  const characters = Array.from(text);
  while (characters.length > 0 && displayWidth(characters.join('')) > width - displayWidth(ellipsis))
    characters.shift();
  return ellipsis + characters.join('');
}
