import { contextFlag } from '../../core/kube/context-flag.ts';
import type { ObjectRef, StageState } from '../../core/report/report.ts';
import { shortNameOf } from '../../core/kube/resources.ts';
import { parseTime } from '../../core/kube/time.ts';
import type { Status, StuckCause } from '../../core/report/status.ts';
import { countObjects } from '../verdict/nouns.ts';
import { screenOfAny } from '../screen.ts';
import type { Screen } from '../screen.ts';
import { count, nameList } from './lists.ts';
import { firstLines } from '../cut.ts';
import type { Style } from '../theme.ts';
import { displayWidth, hang, padEnd, widest } from '../wrap.ts';

/** More causes than this do not fit a screen; `-o wide` lists all. */
const enoughCauses = 12;
/** From this width on the sentence is on the same line as the subject. */
const roomy = 120;
const leastRoom = 60;

/** A row for each cause: its id, how many objects it has stopped, the age of the oldest, one of them, and why. */
export function renderStuck(status: Status, screen: Screen): string[] {
  const stuck = status.stuck.toSorted(mostFirst);
  if (stuck.length === 0) return [];
  const shown = screen.wide || stuck.length <= enoughCauses + 1 ? stuck : stuck.slice(0, enoughCauses);
  const cells = shown.map((entry) => [
    entry.cause ?? 'not known',
    String(stuckObjects(entry).length),
    screenOfAny(screen, entry.contexts ?? []).age(entry.oldest) ?? '-',
    subjectText(entry),
  ]);
  const isStuck = stuck.some(({ status }) => status === 'blocked');
  const allTitles = ['CAUSE', isStuck ? 'STUCK' : 'OBJECTS', 'OLDEST', 'FOR EXAMPLE'];
  const needed = allTitles.map((title, column) => widest([title, ...cells.map((row) => row[column] ?? '')]));
  // On a narrow screen the example next to the sentence below a row is left out.
  const isNarrow = needed.reduce((sum, one) => sum + one + 2, 2) > screen.width;
  const titles = isNarrow ? allTitles.slice(0, -1) : allTitles;
  const columns = isNarrow ? cells.map((row) => row.slice(0, -1)) : cells;
  const widths = titles.map((title, column) => widest([title, ...columns.map((row) => row[column] ?? '')]));
  const padded = (row: readonly string[]): string[] => row.map((text, column) => padEnd(text, widths[column] ?? 0));
  const left = stuck.length - shown.length;
  return [
    screen.theme.paint('strong', isStuck ? 'stuck' : 'could not be judged'),
    screen.theme.paint('faint', `    ${padded(titles).join('  ').trimEnd()}`),
    ...shown.flatMap((entry, index) => causeLines(entry, padded(columns[index] ?? []), screen)),
    ...(left > 0 ? [`  and ${left} more causes (-o wide lists them)`] : []),
    ...(screen.wide ? [] : hintLines(shown, screen)),
  ];
}

/** In the order of `why`: what is proven, then what has stopped most, then what has lasted longest. */
export function mostFirst(one: StuckCause, other: StuckCause): number {
  const since = (entry: StuckCause): number => parseTime(entry.oldest) ?? Number.MAX_SAFE_INTEGER;
  return (
    Number(one.status !== 'blocked') - Number(other.status !== 'blocked') ||
    stuckObjects(other).length - stuckObjects(one).length ||
    since(one) - since(other)
  );
}

function causeLines(entry: StuckCause, columns: readonly string[], screen: Screen): string[] {
  const glyph: StageState = entry.status === 'blocked' ? 'blocked' : 'unknown';
  const style: Style = entry.status === 'blocked' ? 'blocked' : 'unknown';
  const mark = `  ${screen.theme.paint(style, screen.theme.glyph[glyph])} `;
  const summary = screen.theme.prose(entry.summary);
  const line = columns.join('  ');
  const used = 4 + displayWidth(line) + 2;
  const clusters = clusterText(entry, screen);
  if (clusters === '' && !screen.wide && screen.width >= roomy && screen.width - used >= leastRoom) {
    return firstLines(summary, 2, screen.width - used, screen).map((text, index) =>
      index === 0 ? `${mark}${line}  ${text}` : ' '.repeat(used) + text,
    );
  }
  const told = screen.wide
    ? [
        ...hang('      ', summary, screen.width),
        ...(entry.targets.length > 1 ? hang('      ', subjects(entry), screen.width) : []),
        `      $ ${entry.command}`,
      ]
    : firstLines(summary, 2, screen.width - 6, screen).map((line) => `      ${line}`);
  return [`${mark}${line}`.trimEnd(), ...told, ...(clusters === '' ? [] : hang('      ', clusters, screen.width))];
}

/** In which of several clusters it is. */
function clusterText({ contexts = [] }: StuckCause, screen: Screen): string {
  return contexts.length === 0 ? '' : `in ${count(contexts.length, 'cluster')}: ${nameList(contexts, screen)}`;
}

/** A driver is counted among the drivers that are failing, unless it alone is stuck. */
export function stuckObjects({ targets }: StuckCause): StuckCause['targets'] {
  const others = targets.filter(({ kind }) => kind !== 'CSIDriver');
  return others.length > 0 ? others : targets;
}

/** The first object, as `why` takes it. */
function subjectText({ targets }: StuckCause): string {
  const [first] = targets;
  if (first === undefined) return '';
  return nameOf(first);
}

function nameOf({ kind, name, namespace, context }: ObjectRef): string {
  const place = namespace === undefined ? '' : ` -n ${namespace}`;
  return `${shortNameOf(kind)}/${name}${place}${context === undefined ? '' : ` ${contextFlag(context)}`}`;
}

function subjects({ targets }: StuckCause): string {
  return `${countObjects(targets)}: ${targets.map(nameOf).join(', ')}`;
}

/** A command is never wrapped, so that it can be copied. */
function hintLines([first]: readonly StuckCause[], screen: Screen): string[] {
  if (first === undefined) return [];
  const words = first.status === 'blocked' ? '  Evidence and fix of the first:' : '  More about the first:';
  const command = `$ ${first.command}`;
  const line = `${words}  ${command}`;
  return displayWidth(line) <= screen.width ? [line] : [words, `      ${command}`];
}

/** Expected waits, all in one line. */
export function renderWaiting({ waiting }: Status, screen: Screen): string[] {
  if (waiting.length === 0) return [];
  const byCause = Map.groupBy(waiting, ({ cause }) => cause ?? 'no cause');
  const text = [...byCause]
    .map(([cause, entries]) => `${countObjects(entries.flatMap(({ targets }) => targets))} (${cause})`)
    .join(', ');
  const lines = hang(padEnd('waiting', 13), text, screen.width);
  if (!screen.wide) return lines;
  return [
    ...lines,
    ...waiting.flatMap((entry) =>
      hang(
        `  ${screen.theme.glyph.waiting} `,
        `${subjectText(entry)}${entry.targets.length > 1 ? ` and ${entry.targets.length - 1} more` : ''}: ` +
          `${screen.theme.prose(entry.summary)}`,
        screen.width,
        6,
      ),
    ),
  ];
}
