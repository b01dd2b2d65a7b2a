import { textOfValue, valuesAt } from '../../core/kube/field-path.ts';
import type { FieldPath } from '../../core/kube/field-path.ts';
import type { Row, RowKind } from '../../core/report/rows.ts';
import { cellText, context, labels, namespace, nothing, notKnown } from './column.ts';
import type { CellView, Column } from './column.ts';
import type { ObjectOfRow } from './sort.ts';
import { columnsOf } from './tables.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { nameLine, qualifiedKind } from '../../terminal/structured.ts';
import { alignColumns } from '../../terminal/columns.ts';
import type { Cell } from '../../terminal/columns.ts';
import { createTheme } from '../../terminal/theme.ts';

export interface RowTableOptions {
  readonly view: CellView;
  readonly colour: boolean;
  readonly ascii: boolean;
  readonly withHeaders: boolean;
  readonly withNamespace: boolean;
  readonly withLabels: boolean;
  /** Names as TYPE/NAME, for tables of several kinds. */
  readonly withKind: boolean;
  /** The column widths of the table that these rows continue. */
  readonly widths?: readonly number[];
  /** Rows of deleted objects, shown as they were read last. */
  readonly gone?: ReadonlySet<Row>;
  /** Only these columns. */
  readonly titles?: ReadonlySet<string>;
}

export interface RowTable {
  readonly lines: readonly string[];
  readonly widths: readonly number[];
}

/** One line for each row, as kubectl prints it: nothing is cut, and a narrow terminal wraps the lines. */
export function renderRowTable(kind: RowKind, rows: readonly Row[], options: RowTableOptions): RowTable {
  const { view, gone } = options;
  const theme = createTheme(options);
  const isMeasured = rows.some((row) => 'usage' in row || row.unknown?.includes('usage') === true);
  const own = columnsOf(kind).filter(
    (column) => (view.isWide || column.isWide !== true) && (isMeasured || column.isMeasured !== true),
  );
  const all: readonly Column[] = [
    ...(rows.some((row) => row.context !== undefined) ? [context] : []),
    ...(options.withNamespace ? [namespace] : []),
    ...own,
    ...(options.withLabels ? [labels] : []),
  ];
  const columns = options.titles === undefined ? all : all.filter(({ title }) => options.titles?.has(title) === true);
  const cellOf = (column: Column, row: Row): Cell => {
    if (column.title === 'AGE' && gone?.has(row) === true) return { text: '<deleted>' };
    const plain = theme.prose(sanitise(cellText(column, row, viewIn(view, row))));
    const text = options.withKind && column.field === 'name' ? `${qualifiedKind(kind)}/${plain}` : plain;
    const style = row.unknown?.includes(column.field) === true ? 'unknown' : column.style?.(row);
    return style === undefined ? { text } : { text, paint: (shown) => theme.paint(style, shown) };
  };
  const headers = options.withHeaders ? [columns.map(({ title }) => ({ text: title }))] : [];
  return alignColumns([...headers, ...rows.map((row) => columns.map((column) => cellOf(column, row)))], options.widths);
}

/** Ages count from when the cluster of the row was read. */
function viewIn(view: CellView, { context: home }: Row): CellView {
  const now = home === undefined ? undefined : view.clocks?.get(home);
  return now === undefined ? view : { ...view, now };
}

interface CustomColumn {
  readonly title: string;
  readonly path: FieldPath;
}

/** Each path is read from the row as -o json prints it, or else from the object behind it. */
export function renderCustomColumns(
  kind: RowKind,
  rows: readonly Row[],
  columns: readonly CustomColumn[],
  options: { readonly withHeaders: boolean; readonly objectOf: ObjectOfRow; readonly widths?: readonly number[] },
): RowTable {
  const textOf = (row: Row, { path }: CustomColumn): string => {
    const own = valuesAt(row, path);
    const values = own.length > 0 ? own : valuesAt(options.objectOf(kind, row), path);
    const isOpen = row.unknown?.includes(String(path[0])) === true;
    return sanitise([...values.map(textOfValue), ...(isOpen ? [notKnown] : [])].join(',')) || nothing;
  };
  const headers = options.withHeaders ? [columns.map(({ title }) => ({ text: sanitise(title) }))] : [];
  return alignColumns(
    [...headers, ...rows.map((row) => columns.map((column) => ({ text: textOf(row, column) })))],
    options.widths,
  );
}

export function renderRowNames(kind: RowKind, rows: readonly Row[]): string[] {
  return rows.map((row) =>
    nameLine({ kind, name: row.name, ...(row.context !== undefined && { context: row.context }) }),
  );
}
