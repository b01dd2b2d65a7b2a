import type { Command } from '../keys.ts';
import type { Position } from '../state/state.ts';
import { fullWidth } from '../view-models/rows.ts';
import { findLine, topOf } from '../view-models/sheet.ts';
import type { Shown } from '../view-models/shown.ts';

/** How far one step sideways goes. */
const columnsAStep = 16;

const moves = [
  'down',
  'up',
  'top',
  'bottom',
  'halfDown',
  'halfUp',
  'pageDown',
  'pageUp',
  'left',
  'right',
] as const satisfies readonly Command[];
export type Move = (typeof moves)[number];

export function isMove(command: Command | undefined): command is Move {
  return moves.some((move) => move === command);
}

export function movedPosition(shown: Shown, move: Move): Position {
  const { position } = shown;
  if (move === 'left') return { ...position, left: Math.max(0, position.left - columnsAStep) };
  if (move === 'right') return { ...position, left: Math.min(position.left + columnsAStep, hiddenColumns(shown)) };
  const lines = linesOf(move, shown);
  return shown.cursor < 0 ? scrolledBy(shown, lines) : withCursorAt(shown, stopNear(shown, lines));
}

function linesOf(move: Exclude<Move, 'left' | 'right'>, { height, sheet }: Shown): number {
  const half = Math.floor(height / 2);
  return {
    down: 1,
    up: -1,
    halfDown: half,
    halfUp: -half,
    pageDown: height,
    pageUp: -height,
    top: -sheet.count,
    bottom: sheet.count,
  }[move];
}

function scrolledBy({ sheet, position, top, height }: Shown, lines: number): Position {
  const last = Math.max(0, sheet.count - height);
  return { ...position, top: Math.min(Math.max(0, top + lines), last) };
}

/** How much of the widest line on the screen does not fit. */
function hiddenColumns({ sheet, position, top, height, width }: Shown): number {
  if (sheet.isWide !== true) return position.left;
  const count = Math.min(height, sheet.count - top);
  const rows = Array.from({ length: count }, (_, row) => sheet.rowAt(top + row));
  const titles = sheet.titles === undefined ? [] : [sheet.titles];
  return Math.max(0, ...[...titles, ...rows].map((row) => fullWidth(row) - width));
}

/** Where the cursor rests after so many lines; a line where it cannot rest is passed over. */
function stopNear({ sheet, cursor }: Shown, lines: number): number {
  const { stops = [], count } = sheet;
  const aimed = Math.min(Math.max(0, cursor + lines), count - 1);
  const below = stops.find((stop) => stop >= aimed);
  const above = stops.findLast((stop) => stop <= aimed);
  const [ahead, behind] = lines > 0 ? [below, above] : [above, below];
  return ahead ?? behind ?? cursor;
}

function withCursorAt({ sheet, position, top, height }: Shown, cursor: number): Position {
  const next = { ...position, top, cursor, id: sheet.itemAt?.(cursor)?.id };
  return { ...next, top: topOf(sheet, next, cursor, height) };
}

/** The position with the next line on the screen that has the wanted word; undefined when no line has it. */
export function foundPosition(shown: Shown, wanted: string, from: number, step: 1 | -1): Position | undefined {
  const { sheet, position, top, height } = shown;
  const line = findLine(sheet, wanted, from, step);
  if (line === undefined) return undefined;
  const isOnScreen = line >= top && line < top + height;
  return { ...position, wanted, cursor: line, top: isOnScreen ? top : Math.max(0, line - 2) };
}
