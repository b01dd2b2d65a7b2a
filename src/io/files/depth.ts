import { lineAt } from './broken-input.ts';
import { deepest, harmlessSize, tooDeep } from './limits.ts';

const quote = 0x22;
const backslash = 0x5c;

/** Refuses JSON whose nesting would exhaust the memory of a parser. Strings are skipped; small texts are harmless. */
export function checkJsonDepth(bytes: Uint8Array): void {
  if (bytes.length <= harmlessSize) return;
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === quote) {
      do {
        at += 1;
        if (bytes[at] === backslash) at += 2;
      } while (at < bytes.length && bytes[at] !== quote);
      // `[` and `{`, `]` and `}` differ in one bit.
    } else if ((byte | 0x20) === 0x7b) {
      depth += 1;
      if (depth > deepest) throw tooDeep(lineAt(bytes, at));
    } else if ((byte | 0x20) === 0x7d) depth -= 1;
  }
}

/** The same for YAML that only the full parser reads: brackets that stay open, and `- - -` or `? ? ?` in one line. */
export function checkYamlDepth(text: string): void {
  const stacked = /^ *(?:[-?:] +){200}/m.exec(text);
  if (stacked) throw tooDeep(lineOf(text, stacked.index));
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at) | 0x20;
    if (code === 0x7b) {
      depth += 1;
      // Quoted text may hold brackets too, so much more is allowed than objects need.
      if (depth > 5 * deepest) throw tooDeep(lineOf(text, at));
    } else if (code === 0x7d && depth > 0) depth -= 1;
  }
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/** Whether an object is nested deeper than a recursive reader should follow. */
export function isTooDeep(value: object, depth = 0): boolean {
  if (depth > deepest) return true;
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[])
      if (typeof item === 'object' && item !== null && isTooDeep(item, depth + 1)) return true;
    return false;
  }
  for (const key in value) {
    const item = (value as Readonly<Record<string, unknown>>)[key];
    if (typeof item === 'object' && item !== null && isTooDeep(item, depth + 1)) return true;
  }
  return false;
}
