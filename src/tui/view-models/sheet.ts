import type { ObjectRef } from '../../core/report/report.ts';
import { displayWidth, hang } from '../../terminal/wrap.ts';
import type { Position } from '../state/state.ts';
import { plainText } from '../theme.ts';

/** What stands on a line that the cursor can rest on. */
export type Pick =
  | { readonly type: 'object'; readonly target: ObjectRef; readonly cause?: string | undefined; readonly said?: string }
  | {
      readonly type: 'fold';
      readonly key: string;
      readonly target: ObjectRef;
      readonly cause?: string | undefined;
      readonly said?: string;
    }
  | { readonly type: 'choice'; readonly value: string };

/** The lines of a list or a text. They are made one by one, when they are looked at: there may be ten thousand. */
export interface Sheet {
  /** Lines that stay when the others scroll. */
  readonly head: readonly string[];
  readonly count: number;
  readonly lineAt: (index: number) => string;
  /** A list has a cursor, a text has none. */
  readonly pickAt?: (index: number) => Pick | undefined;
  /** What is said in place of lines. */
  readonly empty: string;
  /** Lines may be wider than the screen, and go left and right. */
  readonly isWide?: boolean;
}

export function textSheet(lines: readonly string[], empty = ''): Sheet {
  return { head: [], count: lines.length, lineAt: (index) => lines[index] ?? '', empty };
}

/** In a text nothing is cut off: what the reports keep on one line for copy and paste goes on below, further in. */
export function wrapLong(lines: readonly string[], width: number): string[] {
  return lines.map(inKeys).flatMap((line) => {
    const plain = plainText(line);
    if (displayWidth(plain) <= width) return [line];
    const indent = /^ */.exec(plain)?.[0] ?? '';
    return hang(indent, plain.trim(), width, Math.min(indent.length + 4, width - 10));
  });
}

/** Where a report names the flag that shows more, here it is a key. */
function inKeys(line: string): string {
  return line.replace(/(with |\()-o wide\b/, (_all, before: string) => `${before}w`);
}

export function keyOfPick(pick: Pick): string {
  if (pick.type === 'choice') return pick.value;
  const { kind, namespace, name } = pick.target;
  return pick.type === 'fold' ? `fold|${pick.key}` : `${kind}|${namespace ?? ''}|${name}|${pick.cause ?? ''}`;
}

/** The line under the cursor: where the same thing stands now, or else near where it stood; -1 in a text or an empty list. */
export function cursorOf(sheet: Sheet, position: Position): number {
  const { pickAt, count } = sheet;
  if (pickAt === undefined || count === 0) return -1;
  const wanted = position.key;
  const isAt = (index: number): boolean => {
    const pick = pickAt(index);
    return pick !== undefined && keyOfPick(pick) === wanted;
  };
  if (wanted !== undefined && !isAt(position.cursor)) {
    for (let index = 0; index < count; index += 1) if (isAt(index)) return index;
  }
  return nearestStop(sheet, Math.min(Math.max(0, position.cursor), count - 1));
}

/** The line itself if the cursor can rest there, else the next one below, else above. */
function nearestStop(sheet: Sheet, from: number): number {
  if (sheet.pickAt?.(from) !== undefined) return from;
  const below = stopBeside(sheet, from, 1);
  return below === from ? stopBeside(sheet, from, -1) : below;
}

/** The next line in that direction where the cursor can rest; the same one when there is none. */
export function stopBeside(sheet: Sheet, from: number, step: 1 | -1): number {
  for (let index = from + step; index >= 0 && index < sheet.count; index += step)
    if (sheet.pickAt?.(index) !== undefined) return index;
  return from;
}

/** The first line to show, so that the cursor is on the screen and the screen is full. */
export function topOf(sheet: Sheet, position: Position, height: number): number {
  const last = Math.max(0, sheet.count - height);
  const cursor = cursorOf(sheet, position);
  const top = Math.min(Math.max(0, position.top), last);
  if (cursor < 0) return top;
  if (cursor < top) return stopBeside(sheet, cursor, -1) === cursor ? 0 : cursor;
  return cursor >= top + height ? Math.min(last, cursor - height + 1) : top;
}

/** The line with the word, from there on in that direction and around the end; undefined when nothing has it. */
export function findLine(sheet: Sheet, word: string, from: number, step: 1 | -1): number | undefined {
  const wanted = word.toLowerCase();
  if (wanted === '') return undefined;
  for (let turn = 1; turn <= sheet.count; turn += 1) {
    const index = (from + step * turn + sheet.count * 2) % sheet.count;
    if (plainText(sheet.lineAt(index)).toLowerCase().includes(wanted)) return index;
  }
  return undefined;
}

/** Keeps the last result: what is asked again with the same things is not made again. */
export function lastOf<Args extends readonly unknown[], Result>(
  make: (...args: Args) => Result,
): (...args: Args) => Result {
  let known: { readonly args: Args; readonly result: Result } | undefined;
  return (...args) => {
    if (
      known === undefined ||
      known.args.length !== args.length ||
      known.args.some((arg, index) => arg !== args[index])
    )
      known = { args, result: make(...args) };
    return known.result;
  };
}
