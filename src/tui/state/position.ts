import { widest } from '../../terminal/wrap.ts';
import type { Command } from '../keys.ts';
import { plainText } from '../theme.ts';
import { currentPosition, currentSheet, divisionOf, topView } from '../view-models/current.ts';
import { cursorOf, keyOfPick, stopBeside, topOf } from '../view-models/sheet.ts';
import type { Sheet } from '../view-models/sheet.ts';
import type { Position, State } from './state.ts';

/** A screen's width is gone through in so many steps. */
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

export function moved(state: State, move: Move): State {
  const sheet = currentSheet(state);
  const position = currentPosition(state);
  const height = Math.max(1, divisionOf(state).height - sheet.head.length);
  if (move === 'left') return withPosition(state, { ...position, left: Math.max(0, position.left - columnsAStep) });
  if (move === 'right')
    return sheet.isWide === true
      ? withPosition(state, {
          ...position,
          left: Math.min(position.left + columnsAStep, hiddenColumns(state, sheet, position, height)),
        })
      : state;
  const lines = {
    down: 1,
    up: -1,
    halfDown: Math.floor(height / 2),
    halfUp: -Math.floor(height / 2),
    pageDown: height,
    pageUp: -height,
    top: -sheet.count,
    bottom: sheet.count,
  }[move];
  const top = topOf(sheet, position, height);
  if (sheet.pickAt === undefined)
    return withPosition(state, {
      ...position,
      top: Math.min(Math.max(0, top + lines), Math.max(0, sheet.count - height)),
    });
  return withPosition(
    state,
    restingAt(sheet, { ...position, top }, stopNear(sheet, cursorOf(sheet, position), lines), height),
  );
}

/** How much of the widest line on the screen does not fit. */
function hiddenColumns(state: State, sheet: Sheet, position: Position, height: number): number {
  const top = topOf(sheet, position, height);
  const lines = [
    ...sheet.head,
    ...Array.from({ length: Math.min(height, sheet.count - top) }, (_, row) => sheet.lineAt(top + row)),
  ];
  return Math.max(0, widest(lines.map(plainText)) - divisionOf(state).width);
}

function stopNear(sheet: Sheet, from: number, lines: number): number {
  if (from < 0) return from;
  const step = lines < 0 ? -1 : 1;
  if (Math.abs(lines) === 1) return stopBeside(sheet, from, step);
  const aimed = Math.min(Math.max(0, from + lines), sheet.count - 1);
  if (sheet.pickAt?.(aimed) !== undefined) return aimed;
  const onwards = stopBeside(sheet, aimed, step);
  return onwards === aimed ? stopBeside(sheet, aimed, step === 1 ? -1 : 1) : onwards;
}

/** The position with the cursor on that line, and the line on the screen. */
export function restingAt(sheet: Sheet, position: Position, cursor: number, height: number): Position {
  const pick = sheet.pickAt?.(cursor);
  const next = { ...position, cursor: Math.max(0, cursor), key: pick === undefined ? undefined : keyOfPick(pick) };
  return { ...next, top: topOf(sheet, next, height) };
}

/** The same state with the current list or text at this position. */
export function withPosition(state: State, position: Position): State {
  if (state.chooser !== undefined) return { ...state, chooser: { ...state.chooser, position } };
  const view = topView(state);
  if (view === undefined) return { ...state, positions: { ...state.positions, [state.tab]: position } };
  const changed =
    view.type === 'object'
      ? { ...view, positions: { ...view.positions, [view.pane]: position } }
      : { ...view, position };
  return { ...state, views: [...state.views.slice(0, -1), changed] };
}
