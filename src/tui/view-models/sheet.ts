import type { ObjectRef } from '../../core/report/report.ts';
import { displayWidth, hangWithin } from '../../terminal/wrap.ts';
import { plainText } from '../spans.ts';
import { objectKey } from '../state/answers.ts';
import type { Position } from '../state/state.ts';
import { searchedText, textRows } from './rows.ts';
import type { CellRow, Row } from './rows.ts';

/** What is on a line that the cursor can rest on. */
export type Item =
  | {
      readonly type: 'object';
      readonly id: string;
      readonly target: ObjectRef;
      /** The sentence about it, where the verdict does not have it. */
      readonly said?: string;
      /** The cause that the list shows for it. */
      readonly cause?: string;
    }
  | { readonly type: 'fold'; readonly id: string; readonly fold: string; readonly target: ObjectRef }
  /** No value: all of them. */
  | { readonly type: 'choice'; readonly id: string; readonly value: string | undefined };

/** The lines of a list or a text. Only those on the screen are created: there may be ten thousand. */
export interface Sheet {
  /** The text above the lines. Like the titles it stays when they scroll. */
  readonly notes: readonly Row[];
  /** The titles of the columns of a table. */
  readonly titles?: CellRow | undefined;
  readonly count: number;
  readonly rowAt: (index: number) => Row;
  /** The lines of a list where the cursor can rest, in order; a text has no cursor. */
  readonly stops?: readonly number[];
  readonly itemAt?: (index: number) => Item | undefined;
  /** The text if there are no lines. */
  readonly empty: string;
  /** Lines may be wider than the screen, and scroll sideways. */
  readonly isWide?: boolean;
}

/** `about` distinguishes several lines about the same object. */
export function objectItem(target: ObjectRef, about = '', said?: string): Item {
  return { type: 'object', id: `${objectKey(target)}|${about}`, target, ...(said !== undefined && { said }) };
}

export function textSheet(lines: readonly string[], empty = ''): Sheet {
  const rows = textRows(lines);
  return { notes: [], count: rows.length, rowAt: rowIn(rows), empty };
}

/** A list in which some lines lead somewhere. */
export function listSheet(
  lines: readonly { readonly row: Row; readonly item?: Item | undefined }[],
  rest: { readonly empty: string; readonly notes?: readonly Row[] },
): Sheet {
  return {
    notes: rest.notes ?? [],
    count: lines.length,
    rowAt: (index) => lines[index]?.row ?? noRow,
    stops: lines.flatMap(({ item }, index) => (item === undefined ? [] : [index])),
    itemAt: (index) => lines[index]?.item,
    empty: rest.empty,
  };
}

export const noRow: Row = { type: 'text', text: '' };

export function rowIn(rows: readonly Row[]): (index: number) => Row {
  return (index) => rows[index] ?? noRow;
}

/** Creates each row when it is first shown, and keeps it: a row that did not change is not drawn again. */
export function rowsOnDemand(make: (index: number) => Row): (index: number) => Row {
  const known = new Map<number, Row>();
  return (index) => {
    const row = known.get(index) ?? make(index);
    known.set(index, row);
    return row;
  };
}

/** Nothing of a text is cut off: what the reports keep on one line for copying continues below, indented. */
export function wrapLong(lines: readonly string[], width: number): string[] {
  return lines.map(withKeyForFlag).flatMap((line) => {
    const plain = plainText(line);
    if (displayWidth(plain) <= width) return [line];
    const indent = /^ */.exec(plain)?.[0] ?? '';
    return hangWithin(indent, plain.trim(), width, Math.min(indent.length + 4, width - 10));
  });
}

/** A report names the flag that shows more; on the screen it is a key. */
function withKeyForFlag(line: string): string {
  return line.replace(/(with |\()-o wide\b/, (_all, before: string) => `${before}w`);
}

/** The line under the cursor: where the same item is now, or else near where it was; -1 where there is no cursor. */
export function cursorOf({ stops = [], itemAt }: Sheet, position: Position): number {
  const isHere = (index: number): boolean => itemAt?.(index)?.id === position.id;
  const hasMoved = position.id !== undefined && !isHere(position.cursor);
  const found = hasMoved ? stops.find(isHere) : undefined;
  return found ?? stops.find((stop) => stop >= position.cursor) ?? stops.at(-1) ?? -1;
}

/** The first line to show, so that the cursor is on the screen and the screen is full. */
export function topOf({ stops = [], count }: Sheet, { top: wanted }: Position, cursor: number, height: number): number {
  const last = Math.max(0, count - height);
  const top = Math.min(Math.max(0, wanted), last);
  if (cursor < 0) return top;
  // The title above the first item is shown with it.
  if (cursor < top) return cursor === stops[0] ? 0 : cursor;
  return cursor >= top + height ? Math.min(last, cursor - height + 1) : top;
}

/** The next line with the word in that direction, around the end; undefined when no line has it. */
export function findLine(sheet: Sheet, word: string, from: number, step: 1 | -1): number | undefined {
  const wanted = word.toLowerCase();
  if (wanted === '') return undefined;
  for (let turn = 1; turn <= sheet.count; turn += 1) {
    const index = (from + step * turn + sheet.count * 2) % sheet.count;
    if (searchedText(sheet.rowAt(index)).toLowerCase().includes(wanted)) return index;
  }
  return undefined;
}
