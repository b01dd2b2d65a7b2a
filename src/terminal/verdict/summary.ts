import type { ReportItem } from '../../core/report/report.ts';
import { stuckSince } from '../../core/report/stuck-since.ts';
import { parseTime } from '../../core/kube/time.ts';
import { alignColumns, columnGap } from '../columns.ts';
import type { Cell } from '../columns.ts';
import { cutLine } from '../cut.ts';
import { screenAt } from '../screen.ts';
import type { Screen } from '../screen.ts';
import type { Style } from '../theme.ts';
import { displayWidth, hang } from '../wrap.ts';
import { contextsOf, countObjects } from './nouns.ts';

/** One line of the summary: a cause and what it has stopped. */
export interface SummaryRow {
  readonly cause: string;
  readonly items: readonly ReportItem[];
  readonly summary: string;
}

/** A sentence that is cut to fewer columns than this goes below its row. */
const leastSentence = 44;
const enoughNamespaces = 3;

/** What a table is headed by, and how its causes are painted. */
interface TableLook {
  /** Above how many objects there are. */
  readonly count: string;
  /** Above the sentences. */
  readonly sentence: string;
  readonly style: Style;
}

/** A table with a line for each cause; on a narrow screen, its sentence is on a second line. */
export function renderSummary(rows: readonly SummaryRow[], look: TableLook, screen: Screen): string[] {
  const isOfMany = rows.some(({ items }) => items[0]?.context !== undefined);
  const titles = ['CAUSE', look.count, 'OLDEST', isOfMany ? 'CONTEXT' : 'NAMESPACE'];
  const cells = rows.map((row) => cellsOf(row, look.style, screen));
  const { lines, widths } = alignColumns([titles.map((text) => ({ text })), ...cells]);
  const [head = '', ...rest] = lines;
  const column = widths.reduce((sum, width) => sum + width + columnGap, 0);
  const room = screen.width - column;
  if (column - columnGap > screen.width) return rows.flatMap((row) => renderStacked(row, look, screen));
  const { paint } = screen.theme;
  const pad = (line: string): string => line + ' '.repeat(Math.max(0, column - plainWidthOf(line)));
  if (room >= leastSentence)
    return [
      paint('faint', pad(head) + look.sentence),
      ...rest.map((line, index) => pad(line) + sentenceOf(rows[index], room, screen)),
    ];
  return [
    paint('faint', head),
    ...rest.flatMap((line, index) => [line, `  ${sentenceOf(rows[index], screen.width - 2, screen)}`]),
  ];
}

/** For a screen that is narrower than the table. */
function renderStacked(row: SummaryRow, { style }: TableLook, screen: Screen): string[] {
  const facts = [
    countObjects(row.items.map((item) => item.target)),
    `oldest ${ageOf(row, screen)}`,
    `${placeNoun(row.items)} ${placesOf(row.items)}`,
  ];
  return [
    screen.theme.paint(style, row.cause),
    ...hang('  ', facts.join(', '), screen.width),
    ...hang('  ', sentenceOf(row, screen.width * 2, screen), screen.width),
  ];
}

/** Without the escapes that paint it. */
function plainWidthOf(line: string): number {
  return displayWidth(line.replaceAll(/\u001b\[[\d;]*m/g, ''));
}

function cellsOf(row: SummaryRow, style: Style, screen: Screen): Cell[] {
  const { cause, items } = row;
  return [
    { text: cause, paint: (text) => screen.theme.paint(style, text) },
    { text: countObjects(items.map((item) => item.target)) },
    { text: ageOf(row, screen) },
    { text: placesOf(items) },
  ];
}

/** The first sentence, in one line. */
function sentenceOf(row: SummaryRow | undefined, room: number, screen: Screen): string {
  const text = screen.theme.prose(row?.summary ?? '');
  const end = /[^.\s]{2}\.(?= [A-Z])/.exec(text);
  return cutLine(end ? text.slice(0, end.index + 3) : text, room, screen);
}

/** By the clock of each cluster: the earliest moment need not be the oldest. */
function ageOf({ items }: SummaryRow, screen: Screen): string {
  const contexts = contextsOf(items);
  if (screen.clocks === undefined || contexts.length < 2)
    return screenAt(screen, contexts[0]).age(oldestOf(items)) ?? '-';
  const ages = contexts.flatMap((context) => {
    const since = oldestOf(items.filter((item) => item.context === context));
    const [from, now] = [parseTime(since), parseTime(screen.clocks?.get(context))];
    return from === undefined || now === undefined ? [] : [{ context, since, age: now - from }];
  });
  const [oldest] = ages.toSorted((one, other) => other.age - one.age);
  return screenAt(screen, oldest?.context).age(oldest?.since) ?? '-';
}

/** Since when the first of them has been stuck. */
export function oldestOf(items: readonly ReportItem[]): string | undefined {
  return items
    .map(stuckSince)
    .filter((moment) => moment !== undefined)
    .toSorted((one, other) => (parseTime(one) ?? 0) - (parseTime(other) ?? 0))[0];
}

/** The clusters, or the namespaces of one. */
function placesIn(items: readonly ReportItem[]): string[] {
  const contexts = contextsOf(items);
  return contexts.length > 0 ? contexts : [...new Set(items.flatMap((item) => item.target.namespace ?? []))].sort();
}

function placeNoun(items: readonly ReportItem[]): string {
  const noun = contextsOf(items).length > 0 ? 'context' : 'namespace';
  return placesIn(items).length > 1 ? `${noun}s` : noun;
}

function placesOf(items: readonly ReportItem[]): string {
  const places = placesIn(items);
  if (places.length === 0) return '-';
  // How many clusters a cause is in matters more than their names.
  if (places.length > enoughNamespaces && contextsOf(items).length > 0)
    return `${places.length}: ${places.slice(0, enoughNamespaces - 1).join(', ')}, …`;
  const shown = places.length <= enoughNamespaces ? places : places.slice(0, enoughNamespaces - 1);
  const left = places.length - shown.length;
  return shown.join(', ') + (left === 0 ? '' : ` and ${left} more`);
}

/** What has stopped most comes first, then what has lasted longest. */
export function compareRows(one: SummaryRow, other: SummaryRow): number {
  const since = ({ items }: SummaryRow): number => parseTime(oldestOf(items)) ?? Number.MAX_SAFE_INTEGER;
  return other.items.length - one.items.length || since(one) - since(other);
}
