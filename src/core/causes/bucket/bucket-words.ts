import { cutWords } from '../../kube/cut-words.ts';
import { parseDriverError } from '../lib/driver-error/parse.ts';

const longestQuote = 200;

/** The innermost words of an error, short enough for a summary. */
export function quotable(text: string): string {
  return cutWords(parseDriverError(text).words, longestQuote);
}
