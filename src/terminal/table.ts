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

export { columnGap } from './columns.ts';

/** Lines of a table without borders. Cells are sanitised already and may be painted; a cell with line breaks takes more than one line. */
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
