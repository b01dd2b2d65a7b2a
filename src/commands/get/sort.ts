import { UserError } from '../../core/kube/errors.ts';
import { parseFieldPath, textOfValue, valuesAt } from '../../core/kube/field-path.ts';
import { compareQuantities, isQuantity } from '../../core/kube/quantity.ts';
import type { ObjectName, Row, RowKind } from '../../core/report/rows.ts';
import { parseTime } from '../../core/kube/time.ts';
import { context, namespace } from './column.ts';
import type { CellView, Column } from './column.ts';
import { columnsOf } from './tables.ts';

/** The object behind a row, as it was read. */
export type ObjectOfRow = (kind: RowKind, row: ObjectName) => unknown;

/** Created on first use: loading the collation tables takes a few milliseconds. */
let textOrder: Intl.Collator | undefined;
function compareTexts(a: string, b: string): number {
  textOrder ??= new Intl.Collator('en', { numeric: true });
  return textOrder.compare(a, b);
}

/**
 * Sorts by a column, or by a path into the row or its object. Sizes, times and numbers are compared by value; rows
 * without a value come last.
 */
export function sortRows(
  kind: RowKind,
  rows: readonly Row[],
  sortBy: string,
  view: CellView,
  objectOf: ObjectOfRow,
): readonly Row[] {
  const keyOf = keyReader(kind, sortBy, view, objectOf);
  const keyed = rows.map((row) => ({ row, key: keyOf(row) }));
  if (rows.length > 0 && findColumn(kind, sortBy) === undefined && keyed.every(({ key }) => key === undefined)) {
    throw new UserError(
      `no object has the field "${sortBy}"`,
      `Sort by a column (${columnsOf(kind)
        .map(({ title }) => title)
        .join(', ')}) or by a path such as .createdAt`,
    );
  }
  return keyed.sort((a, b) => compareValues(a.key, b.key)).map(({ row }) => row);
}

function keyReader(kind: RowKind, sortBy: string, view: CellView, objectOf: ObjectOfRow): (row: Row) => unknown {
  const column = findColumn(kind, sortBy);
  if (column?.sortValue) return (row) => column.sortValue?.(row, view);
  if (column) return (row) => valueOf((row as unknown as Record<string, unknown>)[column.field]);
  const path = parseFieldPath(sortBy);
  return (row) => {
    const own = valuesAt(row, path);
    return valueOf((own.length > 0 ? own : valuesAt(objectOf(kind, row), path))[0]);
  };
}

function findColumn(kind: RowKind, sortBy: string): Column | undefined {
  const wanted = sortBy.toUpperCase();
  if (wanted === context.title) return context;
  return wanted === namespace.title ? namespace : columnsOf(kind).find(({ title }) => title === wanted);
}

/** Lists and records are compared as they are written. */
function valueOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value ?? undefined;
  return Object.keys(value).length === 0 ? undefined : textOfValue(value);
}

function compareValues(a: unknown, b: unknown): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const left = String(a);
  const right = String(b);
  if (isQuantity(left) && isQuantity(right)) return compareQuantities(left, right);
  const [from, to] = [parseTime(left), parseTime(right)];
  return from !== undefined && to !== undefined ? from - to : compareTexts(left, right);
}
