import { sanitise } from '../terminal/sanitise.ts';

/** What was left out of a document so that it fits. */
export interface LeftOut {
  /** Where, such as `items` or `items[].findings[].evidence`. */
  readonly path: string;
  /** How many entries are shown, of how many. Where there are several such lists, all of them together. */
  readonly shown: number;
  readonly total: number;
}

interface Fitted {
  readonly document: object;
  readonly leftOut: readonly LeftOut[];
  /** Texts that were cut. */
  readonly cutTexts: number;
}

interface Caps {
  /** Entries of a list at the top level of the document. */
  readonly list: number;
  /** Entries of a list inside an entry. No schema has more than two levels. */
  readonly nested: number;
  readonly text: number;
}

const all = Number.POSITIVE_INFINITY;
/** From a little less to very little: the first that fits is taken. */
const steps: readonly Caps[] = [
  { list: all, nested: all, text: 8000 },
  { list: all, nested: 50, text: 4000 },
  { list: 100, nested: 20, text: 2000 },
  { list: 50, nested: 20, text: 2000 },
  { list: 25, nested: 12, text: 1000 },
  { list: 12, nested: 10, text: 1000 },
  { list: 8, nested: 8, text: 600 },
  { list: 5, nested: 5, text: 400 },
  { list: 3, nested: 3, text: 300 },
  { list: 2, nested: 2, text: 200 },
  { list: 1, nested: 2, text: 200 },
];

/** How many more entries a list keeps that sums up the others. */
const essentialFactor = 8;

/**
 * The document with all that fits into so many characters of JSON, and what was left out; undefined if not even one
 * entry fits. `essential` is the list that sums up the others: it is cut last.
 */
export function fitDocument(document: object, most: number, essential?: string): Fitted | undefined {
  for (const caps of steps) {
    const cutter = new Cutter(caps, essential);
    const fitted = cutter.cut(document, '', 0) as object;
    if (JSON.stringify(fitted).length <= most) return { document: fitted, ...cutter.result() };
  }
  return undefined;
}

/** Copies a document without control characters, with shorter lists and texts, and counts what it leaves out. */
class Cutter {
  readonly #caps: Caps;
  readonly #essential: string | undefined;
  readonly #lists = new Map<string, { shown: number; total: number }>();
  #cutTexts = 0;

  constructor(caps: Caps, essential: string | undefined) {
    this.#caps = caps;
    this.#essential = essential;
  }

  cut(value: unknown, path: string, depth: number): unknown {
    if (typeof value === 'string') return this.#cutText(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return this.#cutList(value, path, depth);
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, entry]) => entry !== undefined)
        .map(([key, entry]) => [sanitise(key), this.cut(entry, path === '' ? key : `${path}.${key}`, depth)]),
    );
  }

  result(): Omit<Fitted, 'document'> {
    const leftOut = [...this.#lists].flatMap(([path, { shown, total }]) =>
      shown < total ? [{ path, shown, total }] : [],
    );
    return { leftOut, cutTexts: this.#cutTexts };
  }

  #cutList(list: readonly unknown[], path: string, depth: number): unknown[] {
    const top = path === this.#essential ? this.#caps.list * essentialFactor : this.#caps.list;
    const cap = depth === 0 ? top : this.#caps.nested;
    const shown = list.slice(0, cap);
    const count = this.#lists.get(path) ?? { shown: 0, total: 0 };
    this.#lists.set(path, { shown: count.shown + shown.length, total: count.total + list.length });
    return shown.map((entry) => this.cut(entry, `${path}[]`, depth + 1));
  }

  #cutText(text: string): string {
    const safe = sanitise(text);
    const { text: cap } = this.#caps;
    if (safe.length <= cap) return safe;
    this.#cutTexts += 1;
    return `${safe.slice(0, cap).toWellFormed()} … (${safe.length - cap} more characters)`;
  }
}

/** The first lines that fit, and how many were left out. */
export function fitText(text: string, most: number): { readonly text: string; readonly leftOut: number } {
  if (text.length <= most) return { text, leftOut: 0 };
  const lines = text.split('\n');
  const shown: string[] = [];
  let size = 0;
  for (const line of lines) {
    size += line.length + 1;
    if (size > most) break;
    shown.push(line);
  }
  // A single line that is too long is cut inside.
  if (shown.length === 0) shown.push((lines[0] ?? '').slice(0, most).toWellFormed());
  return { text: shown.join('\n'), leftOut: lines.length - shown.length };
}
