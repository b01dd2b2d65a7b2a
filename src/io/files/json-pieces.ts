import { open } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { listKeys } from './document.ts';
import type { KeepsKind, ParsedDocument } from './document.ts';

/**
 * Large enough that V8 does not copy each piece's text during collections of young objects, small enough to be freed
 * soon.
 */
const pieceSize = 512 * 1024;
const mostWindow = 4_000_000;
const openingSize = 4096;
const openBracket = 0x5b;
const closeBracket = 0x5d;

interface Opening {
  /** The text before the first item. */
  readonly text: string;
  readonly key: string;
  /** The indentation of each item. */
  readonly indent: string;
}

/**
 * Reads a list as `kubectl get -o json` prints it in pieces, so that neither its bytes nor its text are in memory as a
 * whole. A line break inside a JSON string is always escaped, so the lines between two items are found by their text;
 * and pieces that are valid JSON one by one are so together. Undefined for any other file.
 */
export async function readJsonInPieces(path: string, keeps: KeepsKind): Promise<ParsedDocument | undefined> {
  await using file = await open(path);
  const window = new FileWindow(file);
  await window.readMore();
  const opening = openingOf(window.text(0, openingSize, 'latin1'));
  if (!opening) return undefined;
  const kept = new KeptItems(keeps);
  const ending = `\n${opening.indent}}`;
  const between = Buffer.from(`${ending},\n${opening.indent}{`);
  let start = opening.text.length;
  do {
    const found = window.lastIndexOf(between);
    if (found < start) continue;
    const end = found + ending.length;
    kept.add(JSON.parse(window.textInBrackets(start, end)) as unknown[]);
    window.drop(found + between.length - 1);
    start = 1;
  } while (await window.readMore());
  const { [opening.key]: last, ...head } = JSON.parse(
    Buffer.from(opening.text, 'latin1').toString('utf8') + window.text(start),
  ) as Record<string, unknown>;
  kept.add(last as unknown[]);
  return { head, items: kept.items, itemCount: kept.count };
}

class KeptItems {
  readonly items: unknown[] = [];
  count = 0;
  readonly #keeps: KeepsKind;

  constructor(keeps: KeepsKind) {
    this.#keeps = keeps;
  }

  add(list: readonly unknown[]): void {
    for (const item of list) {
      if (typeof item !== 'object' || item === null) continue;
      this.count += 1;
      const { kind } = item as { readonly kind?: unknown };
      if (typeof kind !== 'string' || kind === '' || this.#keeps(kind)) this.items.push(item);
    }
  }
}

/** The part of a file that is in memory. */
class FileWindow {
  readonly #file: FileHandle;
  #buffer = Buffer.allocUnsafeSlow(pieceSize);
  #filled = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async readMore(): Promise<boolean> {
    // No object of Kubernetes has this size: the careful reading finds out what it is.
    if (this.#filled > mostWindow) throw new Error('no item ends within the window');
    if (this.#filled === this.#buffer.length) this.#buffer = Buffer.concat([this.#buffer], this.#buffer.length * 2);
    const { bytesRead } = await this.#file.read(this.#buffer, this.#filled, this.#buffer.length - this.#filled);
    this.#filled += bytesRead;
    return bytesRead > 0;
  }

  lastIndexOf(bytes: Buffer): number {
    return this.#buffer.subarray(0, this.#filled).lastIndexOf(bytes);
  }

  text(start: number, end = this.#filled, encoding: BufferEncoding = 'utf8'): string {
    return this.#buffer.toString(encoding, start, Math.min(end, this.#filled));
  }

  /**
   * The text of a range as a JSON list; the brackets overwrite the bytes around it, which only separate it from its
   * neighbours.
   */
  textInBrackets(start: number, end: number): string {
    this.#buffer[start - 1] = openBracket;
    this.#buffer[end] = closeBracket;
    return this.#buffer.toString('utf8', start - 1, end + 1);
  }

  /** Drops what is before `next`, but for one byte that `textInBrackets` may overwrite. */
  drop(next: number): void {
    this.#buffer.copyWithin(1, next, this.#filled);
    this.#filled -= next - 1;
  }
}

/** The beginning of a document up to its list, if that is directly below the top. */
function openingOf(text: string): Opening | undefined {
  const match = /^\{\n(?:.*\n)*? +"(\w+)": \[\n( +)(?=\{\n)/.exec(text);
  const [all, key, indent] = match ?? [];
  if (all === undefined || key === undefined || indent === undefined || !listKeys.has(key)) return undefined;
  const closed = JSON.parse(`${all}]}`) as Readonly<Record<string, unknown>>;
  return Array.isArray(closed[key]) ? { text: all, key, indent } : undefined;
}
