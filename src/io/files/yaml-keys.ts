import { checkPlain, closingQuote, giveUp, unescape } from './yaml-scalars.ts';

/** The position of the `:` that ends a key, or -1 if the line is no `key: value`. */
export function keyEnd(line: string, start: number): number {
  const first = line.charCodeAt(start);
  let from = start;
  if (first === 34 || first === 39) {
    const end = closingQuote(line.slice(start + 1), first === 34 ? '"' : "'");
    if (end < 0) return -1;
    from = start + 1 + end + 1;
    return line.charCodeAt(from) === 58 && (from + 1 === line.length || line.charCodeAt(from + 1) === 32) ? from : -1;
  }
  // A block scalar or a flow collection may contain a colon; in this style neither begins a key.
  if (first === 124 || first === 62 || first === 123 || first === 91) return -1;
  for (;;) {
    const colon = line.indexOf(':', from);
    if (colon < 0) return -1;
    if (colon + 1 === line.length || line.charCodeAt(colon + 1) === 32) return colon;
    from = colon + 1;
  }
}

/** A dump has millions of keys, but only a few hundred different ones. */
const keys = new Map<string, string>();
const mostKeys = 5000;

export function knownKey(text: string): string {
  let key = keys.get(text);
  if (key === undefined) {
    key = readKey(text);
    if (keys.size >= mostKeys) keys.clear();
    keys.set(text, key);
  }
  return key;
}

function readKey(text: string): string {
  const first = text.charCodeAt(0);
  if (first === 34) return unescape(text.slice(1, -1));
  if (first === 39) return text.slice(1, -1).replaceAll("''", "'");
  const key = text.trimEnd();
  if (key === '' || key === '<<') throw giveUp;
  checkPlain(key, true);
  return key;
}
