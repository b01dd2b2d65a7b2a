import { open } from 'node:fs/promises';
import { listKeys } from './document.ts';
import type { KeepsKind, ParsedDocument } from './document.ts';

/** Large enough that each piece goes straight to the old objects, small enough that its text is soon forgotten. */
const pieceSize = 512 * 1024;
const openingSize = 4096;
const openBracket = 0x5b;
const closeBracket = 0x5d;

interface Opening {
  /** The text before the first item. */
  readonly text: string;
  readonly key: string;
  /** What stands before each item. */
  readonly indent: string;
}

/**
 * A list as `kubectl get -o json` prints it, read in pieces so that neither its bytes nor its text ever stand in memory as a whole.
 * A line break inside a JSON string is always escaped, so the lines between two items can be told by their look; and pieces
 * that are sound JSON each by itself are so together. Undefined for whatever else the file is.
 */
export async function readJsonInPieces(path: string, keeps: KeepsKind): Promise<ParsedDocument | undefined> {
  await using file = await open(path);
  let buffer = Buffer.allocUnsafeSlow(pieceSize);
  let filled = 0;
  const readOn = async (): Promise<boolean> => {
    if (filled === buffer.length) buffer = Buffer.concat([buffer], buffer.length * 2);
    const { bytesRead } = await file.read(buffer, filled, buffer.length - filled);
    filled += bytesRead;
    return bytesRead > 0;
  };
  await readOn();
  const opening = openingOf(buffer.toString('latin1', 0, Math.min(filled, openingSize)));
  if (!opening) return undefined;
  const items: unknown[] = [];
  let itemCount = 0;
  const take = (list: readonly unknown[]): void => {
    for (const item of list) {
      if (typeof item !== 'object' || item === null) continue;
      itemCount += 1;
      const { kind } = item as { readonly kind?: unknown };
      if (typeof kind !== 'string' || kind === '' || keeps(kind)) items.push(item);
    }
  };
  const ending = `\n${opening.indent}}`;
  const between = Buffer.from(`${ending},\n${opening.indent}{`);
  let start = opening.text.length;
  do {
    const found = buffer.subarray(0, filled).lastIndexOf(between);
    if (found < start) continue;
    const end = found + ending.length;
    const next = found + between.length - 1;
    // The brackets take the place of what separates this piece from those beside it.
    buffer[start - 1] = openBracket;
    buffer[end] = closeBracket;
    take(JSON.parse(buffer.toString('utf8', start - 1, end + 1)) as unknown[]);
    buffer.copyWithin(1, next, filled);
    filled -= next - 1;
    start = 1;
  } while (await readOn());
  const { [opening.key]: last, ...head } = JSON.parse(
    Buffer.from(opening.text, 'latin1').toString('utf8') + buffer.toString('utf8', start, filled),
  ) as Record<string, unknown>;
  take(last as unknown[]);
  return { head, items, itemCount };
}

/** Where the list of a document begins that has one directly below its top. */
function openingOf(text: string): Opening | undefined {
  const match = /^\{\n(?:.*\n)*? +"(\w+)": \[\n( +)(?=\{\n)/.exec(text);
  const [all, key, indent] = match ?? [];
  if (all === undefined || key === undefined || indent === undefined || !listKeys.has(key)) return undefined;
  const closed = JSON.parse(`${all}]}`) as Readonly<Record<string, unknown>>;
  return Array.isArray(closed[key]) ? { text: all, key, indent } : undefined;
}
