import Table from 'cli-table3';
import { columnGap } from './columns.ts';

const noBorders = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
};

/**
 * The lines of a table without borders. Cells are sanitised and may be painted; one with line breaks takes several
 * lines. For short tables only: see columns.ts.
 */
export function renderTable(rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const table = new Table({
    chars: noBorders,
    style: { 'padding-left': 0, 'padding-right': columnGap, head: [], border: [], compact: true },
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd());
}
