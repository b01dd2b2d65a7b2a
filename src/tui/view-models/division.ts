import { topView } from '../state/selectors.ts';
import type { State } from '../state/state.ts';
import type { Viewport } from './viewport.ts';

/** From this many columns on, a second pane is shown: the journey next to the list, the chain next to the journey. */
const roomy = 120;
/** Columns for the cursor and a space. */
export const gutter = 2;
/** Columns for the line between the two sides. */
export const dividerWidth = 3;
/** Lines above and below the list: header, tabs and footer. */
const frameLines = 3;

/** How the screen is divided. */
export interface Division {
  /** Columns of the list or text, without the gutter. */
  readonly width: number;
  /** Columns of the second pane; 0 if there is none. */
  readonly beside: number;
  readonly height: number;
  /** Lines below the list for the sentence about what is under the cursor. */
  readonly strip: number;
}

export function divisionOf(state: State, { columns, rows }: Viewport): Division {
  const lines = Math.max(3, rows - frameLines - (isTroubled(state) ? 1 : 0));
  const beside = besideWidth(state, columns);
  const strip = beside === 0 && hasStrip(state) ? Math.min(4, Math.max(0, lines - 10)) : 0;
  const used = beside === 0 ? gutter : gutter + dividerWidth + beside;
  return { width: columns - used, beside, height: lines - strip, strip };
}

/** Old data must not pass for new: as long as it is shown, a line of its own marks it. */
export function isTroubled({ frame, failure }: State): boolean {
  return failure !== undefined || frame?.freshness.state === 'stale';
}

function besideWidth(state: State, columns: number): number {
  if (columns < roomy || state.chooser !== undefined) return 0;
  const view = topView(state);
  if (view === undefined) return state.tab === 'stuck' ? Math.floor(columns * 0.46) : 0;
  return view.type === 'object' && view.pane === 'journey' ? Math.floor(columns * 0.42) : 0;
}

function hasStrip(state: State): boolean {
  const isList = topView(state) === undefined && state.chooser === undefined;
  return isList && (state.tab === 'stuck' || state.tab === 'events');
}
