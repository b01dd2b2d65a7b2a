import type { StuckCause } from '../../core/report/status.ts';
import { columnGap } from '../../terminal/columns.ts';
import type { Style } from '../../terminal/theme.ts';
import { displayWidth } from '../../terminal/wrap.ts';
import { plainText } from '../spans.ts';

/** Nearly every age fits into this, so columns keep their place while ages grow. */
export const ageWidth = 5;

/** Widths of the columns of the list of causes. */
export interface CauseColumns {
  readonly cause: number;
  readonly age: number;
  readonly subject: number;
}

/** One cell of a table. */
export interface Cell {
  readonly text: string;
  readonly style?: Style | undefined;
}

export interface CauseRow {
  readonly type: 'cause';
  readonly status: StuckCause['status'];
  /** Absent where there is only one subject and nothing to fold. */
  readonly fold?: 'folded' | 'unfolded' | undefined;
  readonly cause: string;
  readonly age: string;
  readonly subject: string;
  readonly summary: string;
  readonly columns: CauseColumns;
}

export interface CellRow {
  readonly type: 'cells';
  readonly cells: readonly Cell[];
  readonly widths: readonly number[];
}

export interface KeyRow {
  readonly type: 'key';
  readonly names: string;
  readonly does: string;
  readonly namesWidth: number;
}

/** One line of a list, a table or a text. How it looks is the matter of the components. */
export type Row =
  | { readonly type: 'title'; readonly text: string }
  /** A line of a report, which may have colours of its own. */
  | { readonly type: 'text'; readonly text: string }
  | CauseRow
  | CellRow
  | KeyRow;

export function textRows(lines: readonly string[]): Row[] {
  return lines.map((text) => ({ type: 'text', text }));
}

/** What a search in a text looks through. */
export function searchedText(row: Row): string {
  switch (row.type) {
    case 'title':
    case 'text':
      return plainText(row.text);
    case 'cause':
      return [row.cause, row.subject, row.summary].join(' ');
    case 'cells':
      return row.cells.map(({ text }) => text).join(' ');
    case 'key':
      return `${row.names} ${row.does}`;
  }
}

/** Columns that the row takes when nothing is cut off; only rows that can be scrolled sideways are measured. */
export function fullWidth(row: Row): number {
  if (row.type === 'title' || row.type === 'text') return displayWidth(plainText(row.text));
  if (row.type !== 'cells') return 0;
  const last = row.cells.length - 1;
  return row.cells.reduce(
    (width, { text }, column) =>
      width +
      (column === last ? displayWidth(text) : Math.max(displayWidth(text), row.widths[column] ?? 0) + columnGap),
    0,
  );
}
