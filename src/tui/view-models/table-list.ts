import { resourceOf } from '../../core/kube/resources.ts';
import { parseTime } from '../../core/kube/time.ts';
import { rowKinds } from '../../core/report/rows.ts';
import type { Row as DataRow, RowKind } from '../../core/report/rows.ts';
import { cellText, namespace as namespaceColumn } from '../../commands/get/column.ts';
import type { CellView, Column } from '../../commands/get/column.ts';
import { columnsOf } from '../../commands/get/tables.ts';
import { columnGap } from '../../terminal/columns.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { createTheme } from '../../terminal/theme.ts';
import type { Theme } from '../../terminal/theme.ts';
import { displayWidth, widest } from '../../terminal/wrap.ts';
import { memoiseLast } from '../memoise-last.ts';
import type { KindRows } from '../ports.ts';
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
    'CLASS',
    'ATTACHED',
    'CAPACITY',
    'PODS',
    'DRIVER',
    'MODES',
    'VOLUME',
  ],
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

/** The table of `get` with a cursor: as many columns as the screen has room for, or all of them; ages are those at `at`. */
export const tableSheet = memoiseLast(
  (
    kind: RowKind,
    answer: KindRows,
    at: string,
    wanted: string,
    width: number,
    isWide: boolean,
    withNamespace: boolean,
    look: Look,
  ): Sheet => {
    const theme = createTheme(look);
    const { columns, widths } = layoutOf(kind, answer, width, isWide, withNamespace, look);
    const view: CellView = { now: parseTime(at) ?? 0, isWide };
    const shown = rowsWith(answer.rows, wanted.toLowerCase());
    const titles: readonly Cell[] = columns.map(({ title }) => ({ text: title, style: 'strong' }));
    return {
      notes: unreadNotes(answer.unread, answer.takenAt, width, look),
      titles: answer.rows.length === 0 ? undefined : { type: 'cells', cells: titles, widths },
      count: shown.length,
      rowAt: rowsOnDemand((index) => {
        const row = shown[index];
        if (row === undefined) return noRow;
        return { type: 'cells', cells: columns.map((column) => cellOf(column, row, view, theme)), widths };
      }),
      stops: everyIndex(shown),
      itemAt: (index) => itemOn(kind, shown[index]),
      empty: wanted === '' ? noRows(kind, answer) : `none of the ${rowKinds[kind].noun} has "${wanted}" in it`,
      isWide,
    };
  },
);

function cellOf(column: Column, row: DataRow, view: CellView, { prose }: Theme): Cell {
  const isUnknown = row.unknown?.includes(column.field) === true;
  return {
    text: prose(sanitise(cellText(column, row, view))),
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
        displayWidth(column.title),
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
  return [...rows.filter((_, index) => index % step === 0), longest];
}

interface Measured {
  readonly column: Column;
  readonly width: number;
}

function fitting(kind: RowKind, measured: readonly Measured[], width: number): readonly Measured[] {
  const kept = new Set<Measured>();
  let used = -columnGap;
  for (const title of priorities[kind] ?? measured.map(({ column }) => column.title)) {
    const found = measured.find(({ column }) => column.title === title);
    if (found === undefined || (kept.size > 0 && used + columnGap + found.width > width)) continue;
    kept.add(found);
    used += columnGap + found.width;
  }
  return measured.filter((one) => kept.has(one));
}

const everyIndex = memoiseLast((rows: readonly DataRow[]): readonly number[] => rows.map((_, index) => index));

const rowsWith = memoiseLast((rows: readonly DataRow[], word: string): readonly DataRow[] =>
  word === '' ? rows : rows.filter((row) => wordsOf(row).includes(word)),
);

const knownWords = new WeakMap<DataRow, string>();
const unsearched: ReadonlySet<string> = new Set(['uid', 'labels', 'createdAt', 'unknown']);

/** Everything that a row says, also in columns that the screen has no room for. */
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
  return objectItem({ kind, ...(namespace !== undefined && { namespace }), name, ...(uid !== undefined && { uid }) });
}

function noRows(kind: RowKind, { unread }: KindRows): string {
  return unread.length > 0
    ? `no ${rowKinds[kind].noun} were seen, but not all could be read`
    : `there are no ${rowKinds[kind].noun}`;
}
