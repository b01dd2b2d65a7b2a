import type { Frame, Place } from '../ports.ts';
import type { State, Want, Wanted } from './state.ts';

/** Something that happened. */
export type Happened =
  | { readonly type: 'key'; readonly name: string }
  | { readonly type: 'resized'; readonly columns: number; readonly rows: number }
  | { readonly type: 'frame'; readonly frame: Frame }
  | { readonly type: 'failed'; readonly trouble: string }
  | { readonly type: 'answered'; readonly want: Want; readonly value: Wanted[keyof Wanted]; readonly frame: number }
  | { readonly type: 'unanswered'; readonly want: Want; readonly trouble: string; readonly frame: number }
  | { readonly type: 'said'; readonly text: string; readonly isTrouble: boolean };

/** Something that is to be done outside. */
export type Order =
  | { readonly type: 'quit'; readonly how: 'quit' | 'interrupted' }
  | { readonly type: 'open'; readonly place: Place }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'capture'; readonly path: string };

export interface Step {
  readonly state: State;
  readonly orders: readonly Order[];
}

export function stay(state: State): Step {
  return { state, orders: [] };
}
