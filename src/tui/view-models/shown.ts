import type { Position } from '../state/state.ts';
import { cursorOf, topOf } from './sheet.ts';
import type { Row } from './rows.ts';
import type { Item, Sheet } from './sheet.ts';

/** The list or text that the keys move in, and the part of it that is on the screen. */
export interface Shown {
  readonly sheet: Sheet;
  readonly position: Position;
  /** The line under the cursor; -1 where there is no cursor. */
  readonly cursor: number;
  readonly item: Item | undefined;
  /** The first line on the screen. */
  readonly top: number;
  /** The notes that the screen has room for. */
  readonly notes: readonly Row[];
  /** Lines that the screen has room for, below the notes and titles. */
  readonly height: number;
  readonly width: number;
}

export function shownPart(sheet: Sheet, position: Position, width: number, lines: number): Shown {
  const room = lines - (sheet.titles === undefined ? 0 : 1);
  // On a very low screen one line of the list matters more than the notes.
  const notes = sheet.notes.slice(0, Math.max(0, room - 1));
  const height = room - notes.length;
  const cursor = cursorOf(sheet, position);
  const item = cursor < 0 ? undefined : sheet.itemAt?.(cursor);
  return { sheet, position, cursor, item, top: topOf(sheet, position, cursor, height), notes, height, width };
}

/** A list has lines to choose from; a text has not. */
export function isList({ sheet }: Shown): boolean {
  return sheet.stops !== undefined;
}

/** `3/40`, or how far down a text is. */
export function whereabouts({ sheet, cursor, top, height }: Shown): string {
  const { count, stops } = sheet;
  if (count === 0 || (stops === undefined && count <= height)) return '';
  if (stops !== undefined && cursor >= 0) return `${stops.indexOf(cursor) + 1}/${stops.length}`;
  return `${Math.min(100, Math.round(((top + height) / count) * 100))}%`;
}
