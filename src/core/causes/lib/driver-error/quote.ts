import { cutWords } from '../../../kube/cut-words.ts';
import { tidyWords } from './tidy-words.ts';

const longestQuote = 200;
const leastQuote = 20;

/** Request ids and the like that clouds add at the end: only the cloud's support can use them. */
const receipt = /(?:[\s,]*(?:status code: \d+, request id: \S*|Encoded authorization failure message: \S*))+\s*$/i;

const longAddress = /(https?:\/\/[^\s/"']+)\/[^\s"']{20,}/g;

/**
 * A driver's words, short enough for a summary. Errors are wrapped from the outside
 * (`could not create: request failed: quota exceeded`), so words that are too long lose their first parts, but never
 * the decisive words where they are known.
 */
export function quoteWords(text: string, decisive?: string): string {
  const line = tidyWords(text.replace(receipt, '')).replace(longAddress, '$1/…').replace(/\s+/g, ' ').trim();
  const telling = decisive === undefined ? undefined : tidyWords(decisive).replace(/\s+/g, ' ');
  const inner = line.length > longestQuote ? jsonMessage.exec(line) : null;
  const fault = goFault.exec(line)?.[1];
  if (fault !== undefined) return `"${cutWords(fault, longestQuote)}"`;
  if (inner?.[1] !== undefined) return quoteJson(line.slice(0, inner.index), inner[1], telling);
  const short = cutWords(
    line.length > longestQuote ? tidyWords(innerPart(line, telling)) : line,
    longestQuote + '…'.length,
    telling,
  );
  // Quotation marks inside others are hard to read; a quote without any cannot be told from the sentence around it.
  return `"${short.replace(/\\*"/g, "'")}"`;
}

/**
 * Where an API answered in JSON, its own message says the most: `{"error":"x","error_description":"what happened"}`.
 */
const jsonMessage = /"(?:error_description|errorMessage|message)"\s*:\s*"((?:[^"\\]|\\.){3,})"/i;
const longestStart = 80;
/** At least two words in a row, and not only what HTTP says of every error. */
const tellsMore = /^(?!.*\bHTTP)(?!.*\bBad request with\b).*[a-z]{2,} [a-z]{2,}/i;
/** vSphere faults are printed as Go structures, in which one field has the words for people. */
const goFault = /LocalizedMessage: \(string\) (?:\(len=\d+\) )?\\*"([^"\\]{3,})\\*"/;

function quoteJson(start: string, message: string, decisive: string | undefined): string {
  const from = decisive === undefined ? 0 : Math.max(0, start.indexOf(decisive));
  const intro = start
    .slice(from)
    .replace(/[{["\\][^]*$/, '')
    .replace(/ (?:for request )?to https?:\/\/[^]*$/, '')
    .replace(/[\s:,-]+$/, '');
  const words = cutWords(message.replace(/\\+"/g, "'"), longestQuote);
  // An introduction that would have to be cut is the call that was repeated, with its long ids: the message says what
  // happened.
  return intro.length > longestStart || !tellsMore.test(intro) ? `"${words}"` : `"${intro} … ${words}"`;
}

/** `User: x is not authorized to perform: y` is one part. */
const partEnd = /(?<!\b(?:to perform|User|on resource)): (?=\S)|(?<=\w)\. (?=\S)/g;

function innerPart(line: string, decisive: string | undefined): string {
  const at = decisive === undefined ? -1 : line.indexOf(decisive);
  const last = at >= 0 ? at : line.length - leastQuote;
  let start = 0;
  for (const {
    index,
    0: { length },
  } of line.matchAll(partEnd)) {
    if (index + length > last || line.length - start <= longestQuote) break;
    start = index + length;
  }
  return line.slice(start);
}

/** The words in quotation marks, cut at the end. */
export function quote(words: string, longest = 140): string {
  return `"${cutWords(words, longest)}"`;
}

/** The text without what differs from volume to volume, so that the same problem of many claims folds. */
export function skeletonOf(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{20,}/gi, '*')
    .replace(/\b(?=\w*\d)\w{8,}\b/g, '*')
    .replace(/\d+/g, '#');
}

const wordsOfAnyError = /^(?:rpc|error|err|code|desc|unknown|internal|fail(?:ed|ure)?|occurred)$/i;

/** An error that only numbers, codes or nothing at all describe: `E-4471`. */
export function isOpaque(words: string): boolean {
  const telling = (words.match(/[a-z]{3,}/gi) ?? []).filter((word) => !wordsOfAnyError.test(word));
  return telling.length < 2;
}
