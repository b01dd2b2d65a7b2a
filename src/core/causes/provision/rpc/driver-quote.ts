import { cutWords } from '../../../kube/cut-words.ts';

const longestQuote = 120;
const leastQuote = 20;

/** Figures that only the makers of the storage can use, at the end of what a cloud answers. */
const receipt = /(?:[\s,]*(?:status code: \d+, request id: \S*|Encoded authorization failure message: \S*))+\s*$/i;

const longAddress = /(https?:\/\/[^\s/"]+)\/[^\s"]{20,}/g;

/**
 * The part of a driver's words that tells something, short enough for a summary. Errors are wrapped from the outside
 * (`could not create: request failed: quota exceeded`), so what is too long loses its first parts, but never
 * the decisive words where they are known.
 */
export function quoteWords(text: string, decisive?: string): string {
  const line = text.replace(receipt, '').replace(longAddress, '$1/…').replace(/\s+/g, ' ').trim();
  const telling = decisive?.replace(/\s+/g, ' ');
  const short = cutWords(
    line.length > longestQuote ? innerPart(line, telling) : line,
    longestQuote + '…'.length,
    telling,
  );
  // Quotes around quotes help nobody.
  return short.includes('"') ? short : `"${short}"`;
}

function innerPart(line: string, decisive: string | undefined): string {
  const at = decisive === undefined ? -1 : line.indexOf(decisive);
  const last = at >= 0 ? at : line.length - leastQuote;
  let start = 0;
  for (const {
    index,
    0: { length },
  } of line.matchAll(/: (?=\S)|(?<=\w)\. (?=\S)/g)) {
    if (index + length > last || line.length - start <= longestQuote) break;
    start = index + length;
  }
  return line.slice(start);
}
