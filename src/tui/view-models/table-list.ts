import { resourceOf } from '../../core/kube/resources.ts';
import { rowKinds } from '../../core/report/rows.ts';
import type { Row, RowKind } from '../../core/report/rows.ts';
import { parseTime } from '../../core/kube/time.ts';
import { columnGap } from '../../terminal/columns.ts';
import { columnsOf } from '../../commands/get/tables.ts';
import { renderRowTable } from '../../commands/get/text.ts';
import type { KindRows } from '../ports.ts';
import { createTuiTheme } from '../theme.ts';
import type { Look } from '../theme.ts';
import { lastOf } from './sheet.ts';
import type { Pick, Sheet } from './sheet.ts';
import { unreadNotes } from './unread-notes.ts';

/** What each table shows first, and then as long as there is room. */
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

export interface TableView {
  readonly width: number;
  readonly isWide: boolean;
  readonly withNamespace: boolean;
}

/** The table of `get` with a cursor: as many columns as the screen has room for, or all of them. */
export function tableSheet(kind: RowKind, answer: KindRows, wanted: string, view: TableView, look: Look): Sheet {
  const { header, lineOf } = layoutOf(kind, answer, view.width, view.isWide, view.withNamespace, look);
  const shown = shownRows(answer.rows, wanted);
  return {
    head: [
      ...unreadNotes(answer.unread, answer.takenAt, view.width, look),
      ...(answer.rows.length === 0 ? [] : [createTuiTheme(look).paint('strong', header)]),
    ],
    count: shown.length,
    lineAt: (index) => lineOf(shown[index]),
    pickAt: (index) => pickOf(kind, shown[index]),
    empty: wanted === '' ? sayNone(kind, answer) : `none of the ${rowKinds[kind].noun} has "${wanted}" in it`,
    isWide: view.isWide,
  };
}

interface Layout {
  readonly header: string;
  readonly lineOf: (row: Row | undefined) => string;
}

/** Laying out ten thousand rows for the forty that are seen would make every key wait: some tell how wide the columns are. */
const layoutOf = lastOf(
  (
    kind: RowKind,
    { rows, takenAt }: KindRows,
    width: number,
    isWide: boolean,
    withNamespace: boolean,
    look: Look,
  ): Layout => {
    const options = {
      ...look,
      view: { now: parseTime(takenAt) ?? 0, isWide },
      withNamespace: withNamespace && resourceOf(kind).namespaced,
      withLabels: false,
      withKind: false,
    };
    const { widths } = renderRowTable(kind, sampleOf(rows), { ...options, withHeaders: true });
    const titles = [
      ...(options.withNamespace ? ['NAMESPACE'] : []),
      ...columnsOf(kind)
        .filter((column) => isWide || column.isWide !== true)
        .map(({ title }) => title),
    ];
    const kept = isWide ? new Set(titles) : fittingTitles(kind, titles, widths, width);
    const shown = { ...options, titles: kept, widths: widths.filter((_, index) => kept.has(titles[index] ?? '')) };
    return {
      header: renderRowTable(kind, [], { ...shown, withHeaders: true }).lines[0] ?? '',
      lineOf: (row) =>
        row === undefined ? '' : (renderRowTable(kind, [row], { ...shown, withHeaders: false }).lines[0] ?? ''),
    };
  },
);

const sampleSize = 200;

/** Rows from all over the list, and those with the longest names. */
function sampleOf(rows: readonly Row[]): readonly Row[] {
  if (rows.length <= sampleSize) return rows;
  const step = Math.ceil(rows.length / sampleSize);
  const longest = rows.reduce((found, row) => (row.name.length > found.name.length ? row : found));
  return [...rows.filter((_, index) => index % step === 0), longest];
}

function fittingTitles(
  kind: RowKind,
  titles: readonly string[],
  widths: readonly number[],
  width: number,
): ReadonlySet<string> {
  const columns = new Map(titles.map((title, index) => [title, widths[index] ?? 0]));
  const kept = new Set<string>();
  let used = -columnGap;
  for (const title of priorities[kind] ?? titles) {
    const needed = columns.get(title);
    if (needed === undefined || (kept.size > 0 && used + columnGap + needed > width)) continue;
    kept.add(title);
    used += columnGap + needed;
  }
  return kept;
}

const shownRows = lastOf((rows: readonly Row[], wanted: string): readonly Row[] => {
  const word = wanted.toLowerCase();
  return word === '' ? rows : rows.filter((row) => wordsOf(row).includes(word));
});

const words = new WeakMap<Row, string>();
const wordless: ReadonlySet<string> = new Set(['uid', 'labels', 'createdAt', 'unknown']);

/** Everything that a row says, also in columns that the screen has no room for. */
function wordsOf(row: Row): string {
  const known = words.get(row);
  if (known !== undefined) return known;
  let text = '';
  for (const [field, value] of Object.entries(row)) if (!wordless.has(field)) text += textIn(value);
  const found = text.toLowerCase();
  words.set(row, found);
  return found;
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return ` ${value}`;
  if (typeof value !== 'object' || value === null) return '';
  let text = '';
  for (const item of Object.values(value)) text += textIn(item);
  return text;
}

function pickOf(kind: RowKind, row: Row | undefined): Pick | undefined {
  return row === undefined
    ? undefined
    : {
        type: 'object',
        target: {
          kind,
          ...(row.namespace !== undefined && { namespace: row.namespace }),
          name: row.name,
          ...(row.uid !== undefined && { uid: row.uid }),
        },
      };
}

function sayNone(kind: RowKind, { unread }: KindRows): string {
  return unread.length > 0
    ? `no ${rowKinds[kind].noun} were seen, but not all could be read`
    : `there are no ${rowKinds[kind].noun}`;
}
