import { resourceOf } from '../../core/kube/resources.ts';
import { parseTime } from '../../core/kube/time.ts';
import { rowKinds } from '../../core/report/rows.ts';
import type { Row as DataRow, RowKind } from '../../core/report/rows.ts';
import { cellText, nothing, namespace as namespaceColumn } from '../../commands/get/column.ts';
import type { CellView, Column } from '../../commands/get/column.ts';
import { columnsOf } from '../../commands/get/tables.ts';
import { columnGap } from '../../terminal/columns.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { createTheme } from '../../terminal/theme.ts';
import type { Theme } from '../../terminal/theme.ts';
import { displayWidth, widest } from '../../terminal/wrap.ts';
import { fitText } from '../spans.ts';
import { memoiseLast } from '../memoise-last.ts';
import type { KindRows } from '../ports.ts';
import type { Sort, SortKey } from '../state/state.ts';
import type { Look } from '../theme.ts';
import { ageWidth } from './rows.ts';
import type { Cell } from './rows.ts';
import { noRow, objectItem, rowsOnDemand } from './sheet.ts';
import type { Item, Sheet } from './sheet.ts';
import { unreadNotes } from './unread-notes.ts';

/** Which columns are shown first, as long as there is room. */
const priorities: Readonly<Partial<Record<RowKind, readonly string[]>>> = {
  PersistentVolumeClaim: [
    'NAMESPACE',
    'NAME',
    'STATUS',
    'AGE',
    'CAUSE',
    'CLASS',
    'ATTACHED',
    'CAPACITY',
    'PODS',
    'DRIVER',
    'MODES',
    'VOLUME',
  ],
  Pod: ['NAMESPACE', 'NAME', 'STATUS', 'AGE', 'CAUSE', 'NODE', 'CLAIMS'],
  StorageClass: ['NAME', 'DRIVER', 'NODES', 'AGE', 'CLAIMS', 'BINDING', 'RECLAIM', 'EXPANSION', 'FEATURES'],
  PersistentVolume: [
    'NAME',
    'STATUS',
    'CLAIM',
    'AGE',
    'CAPACITY',
    'REASON',
    'CLASS',
    'ATTACHED',
    'DRIVER',
    'RECLAIM',
    'MODES',
  ],
  VolumeAttachment: ['NODE', 'ATTACHED', 'CLAIM', 'AGE', 'PODS', 'ERROR', 'DRIVER', 'PV', 'NAME'],
  VolumeSnapshot: ['NAMESPACE', 'NAME', 'READY', 'AGE', 'SOURCE', 'ERROR', 'SIZE', 'CLASS', 'CONTENT'],
};

/**
 * The table of `get` with a cursor: as many columns as the screen has room for, or all of them; ages are those at `at`.
 */
export const tableSheet = memoiseLast(
  (
    kind: RowKind,
    answer: KindRows,
    at: string,
    wanted: string,
    sort: Sort,
    width: number,
    isWide: boolean,
    withNamespace: boolean,
    look: Look,
  ): Sheet => {
    const theme = createTheme(look);
    const { columns, widths } = layoutOf(kind, answer, sort, width, isWide, withNamespace, look);
    const view: CellView = { now: parseTime(at) ?? 0, isWide };
    const shown = rowsWith(sortedRows(kind, answer.rows, sort), wanted.toLowerCase());
    const titles: readonly Cell[] = columns.map(({ title }) => ({
      text: titleText(kind, title, sort, look),
      style: 'strong',
    }));
    return {
      notes: unreadNotes(answer.unread, answer.takenAt, width, look),
      titles: answer.rows.length === 0 ? undefined : { type: 'cells', cells: titles, widths },
      count: shown.length,
      rowAt: rowsOnDemand((index) => {
        const row = shown[index];
        if (row === undefined) return noRow;
        const cells = columns.map((column, index) => {
          const cell = cellOf(column, row, view, theme);
          return column.field === 'cause' ? cutCell(cell, widths[index] ?? 0, look) : cell;
        });
        return { type: 'cells', cells, widths };
      }),
      stops: everyIndex(shown),
      itemAt: (index) => itemOn(kind, shown[index]),
      empty: wanted === '' ? noRows(kind, answer) : `No ${rowKinds[kind].noun} match "${wanted}".`,
      isWide,
    };
  },
);

function cutCell(cell: Cell, width: number, { ascii }: Look): Cell {
  if (displayWidth(cell.text) <= width) return cell;
  return { ...cell, text: fitText(cell.text, width, ascii ? '...' : '…') };
}

function cellOf(column: Column, row: DataRow, view: CellView, { prose }: Theme): Cell {
  const isUnknown = row.unknown?.includes(column.field) === true;
  const text = cellText(column, row, view);
  return {
    // Most rows have no cause: an empty cell makes the others visible.
    text: text === nothing && column.field === 'cause' ? '' : prose(sanitise(text)),
    style: isUnknown ? 'unknown' : column.style?.(row),
  };
}

interface Layout {
  readonly columns: readonly Column[];
  readonly widths: readonly number[];
}

/** Measured on a sample: laying out ten thousand rows for the forty on the screen would make every key wait. */
const layoutOf = memoiseLast(
  (
    kind: RowKind,
    { rows, takenAt }: KindRows,
    sort: Sort,
    width: number,
    isWide: boolean,
    withNamespace: boolean,
    look: Look,
  ): Layout => {
    const theme = createTheme(look);
    const view: CellView = { now: parseTime(takenAt) ?? 0, isWide };
    const sample = sampleOf(rows);
    const all = [
      ...(withNamespace && resourceOf(kind).namespaced ? [namespaceColumn] : []),
      ...columnsOf(kind).filter((column) => isWide || column.isWide !== true),
    ];
    const measured = all.map((column) => ({
      column,
      width: Math.max(
        column.title === 'AGE' ? ageWidth : 0,
        displayWidth(titleText(kind, column.title, sort, look)),
        widest(sample.map((row) => cellOf(column, row, view, theme).text)),
      ),
    }));
    const kept = isWide ? measured : fitting(kind, measured, width);
    return { columns: kept.map(({ column }) => column), widths: kept.map(({ width: own }) => own) };
  },
);

const sampleSize = 200;

/** Rows from all over the table, and the one with the longest name. */
function sampleOf(rows: readonly DataRow[]): readonly DataRow[] {
  if (rows.length <= sampleSize) return rows;
  const step = Math.ceil(rows.length / sampleSize);
  const longest = rows.reduce((found, row) => (row.name.length > found.name.length ? row : found));
  // Causes are rare and long.
  const judged = rows.filter((row) => 'cause' in row && row.cause !== undefined).slice(0, sampleSize);
  return [...rows.filter((_, index) => index % step === 0), longest, ...judged];
}

interface Measured {
  readonly column: Column;
  readonly width: number;
}

function fitting(kind: RowKind, measured: readonly Measured[], width: number): readonly Measured[] {
  const kept = new Set<Measured>();
  let used = -columnGap;
  for (const title of priorities[kind] ?? measured.map(({ column }) => column.title)) {
    const whole = measured.find(({ column }) => column.title === title);
    const found = whole && cutToRoom(whole, width - used - columnGap);
    if (found === undefined || (kept.size > 0 && used + columnGap + found.width > width)) continue;
    kept.add(found);
    used += columnGap + found.width;
  }
  return measured.flatMap(({ column }) => [...kept].find((one) => one.column === column) ?? []);
}

/** The start of a long cause still shows most of it. */
const leastCause = 16;

function cutToRoom(measured: Measured, room: number): Measured {
  const isCut = measured.column.field === 'cause' && measured.width > room && room >= leastCause;
  return isCut ? { ...measured, width: room } : measured;
}

/** The columns behind the sort keys; the name of an attachment is a checksum. */
const sortColumns: Readonly<Record<SortKey, Readonly<Partial<Record<RowKind, string>>>>> = {
  name: { VolumeAttachment: 'NODE' },
  age: {},
  cause: {
    PersistentVolumeClaim: 'CAUSE',
    Pod: 'CAUSE',
    StorageClass: 'NODES',
    VolumeAttachment: 'ATTACHED',
    VolumeSnapshot: 'READY',
  },
};
const usualColumns: Readonly<Record<SortKey, string>> = { name: 'NAME', age: 'AGE', cause: 'STATUS' };

function sortColumn(kind: RowKind, by: SortKey): string {
  return sortColumns[by][kind] ?? usualColumns[by];
}

function titleText(kind: RowKind, title: string, { by, isReversed }: Sort, { ascii }: Look): string {
  if (title !== sortColumn(kind, by)) return title;
  const [up, down] = ascii ? ['^', 'v'] : ['↑', '↓'];
  return `${title}${isReversed ? down : up}`;
}

/**
 * Rows arrive by name, and sorting keeps that order among equals. Ten thousand rows are sorted by numbers and short
 * texts.
 */
const sortedRows = memoiseLast(
  (kind: RowKind, rows: readonly DataRow[], { by, isReversed }: Sort): readonly DataRow[] => {
    const title = sortColumn(kind, by);
    const column = columnsOf(kind).find((one) => one.title === title);
    const isByName = by === 'name' && title === 'NAME';
    if (column === undefined || (isByName && !isReversed)) return rows;
    if (isByName) return rows.toReversed();
    const keyOf = by === 'age' ? ageKey : textKey(column, by === 'cause');
    const keyed = rows.map((row) => ({ row, ...keyOf(row) }));
    const sorted = keyed.sort((a, b) => a.rank - b.rank || compareTexts(a.text, b.text)).map(({ row }) => row);
    return isReversed ? sorted.toReversed() : sorted;
  },
);

interface RowKey {
  readonly rank: number;
  readonly text: string;
}

/** The youngest first; what has no age comes last. */
function ageKey({ createdAt }: DataRow): RowKey {
  const created = parseTime(createdAt);
  return { rank: created === undefined ? 1 : -created, text: '' };
}

const styleRanks: Readonly<Partial<Record<string, number>>> = { blocked: 0, unknown: 1, waiting: 2 };
const healthyRank = 3;

/** With `byStyle`, what is stuck comes before what is unknown, waits, or is healthy. */
function textKey(column: Column, byStyle: boolean): (row: DataRow) => RowKey {
  const view: CellView = { now: 0, isWide: false };
  return (row) => {
    const isUnknown = row.unknown?.includes(column.field) === true;
    const style = isUnknown ? 'unknown' : column.style?.(row);
    return { rank: byStyle ? (styleRanks[style ?? ''] ?? healthyRank) : 0, text: column.text(row, view) };
  };
}

function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

const everyIndex = memoiseLast((rows: readonly DataRow[]): readonly number[] => rows.map((_, index) => index));

const rowsWith = memoiseLast((rows: readonly DataRow[], word: string): readonly DataRow[] =>
  word === '' ? rows : rows.filter((row) => wordsOf(row).includes(word)),
);

const knownWords = new WeakMap<DataRow, string>();
const unsearched: ReadonlySet<string> = new Set(['uid', 'labels', 'createdAt', 'unknown']);

/** The whole text of a row, also in columns that the screen has no room for. */
function wordsOf(row: DataRow): string {
  const known = knownWords.get(row);
  if (known !== undefined) return known;
  let text = '';
  for (const [field, value] of Object.entries(row)) if (!unsearched.has(field)) text += textIn(value);
  const words = text.toLowerCase();
  knownWords.set(row, words);
  return words;
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return ` ${value}`;
  if (typeof value !== 'object' || value === null) return '';
  let text = '';
  for (const item of Object.values(value)) text += textIn(item);
  return text;
}

function itemOn(kind: RowKind, row: DataRow | undefined): Item | undefined {
  if (row === undefined) return undefined;
  const { namespace, name, uid } = row;
  const ref = { kind, ...(namespace !== undefined && { namespace }), name, ...(uid !== undefined && { uid }) };
  const cause = 'cause' in row ? row.cause : undefined;
  return { ...objectItem(ref), ...(cause !== undefined && { cause }) };
}

function noRows(kind: RowKind, { unread }: KindRows): string {
  return unread.length > 0
    ? `No ${rowKinds[kind].noun} were found, but not everything could be read.`
    : `There are no ${rowKinds[kind].noun}.`;
}
