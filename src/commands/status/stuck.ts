import type { StageState } from '../../core/report/report.ts';
import { shortNameOf } from '../../core/kube/resources.ts';
import type { Status, StuckCause } from '../../core/report/status.ts';
import { countObjects } from '../../terminal/verdict/nouns.ts';
import type { Screen } from '../../terminal/screen.ts';
import { firstLines } from '../../terminal/cut.ts';
import type { Style } from '../../terminal/theme.ts';
import { displayWidth, hang, padEnd, widest } from '../../terminal/wrap.ts';

/** More causes than this do not fit a screen; `-o wide` lists all. */
const enoughCauses = 12;
/** From this width on the sentence is on the same line as the subject. */
const roomy = 120;
const leastRoom = 60;

/** A line for each cause, or two on a narrow screen: its id, since when, the objects that are stuck, and why. */
export function renderStuck({ stuck }: Status, screen: Screen): string[] {
  if (stuck.length === 0) return [];
  const shown = screen.wide || stuck.length <= enoughCauses + 1 ? stuck : stuck.slice(0, enoughCauses);
  const columns = shown.map(
    (entry) => [entry.cause ?? 'not known', screen.age(entry.since) ?? '', subjectText(entry)] as const,
  );
  const widths = [0, 1, 2].map((column) => widest(columns.map((row) => row[column] ?? '')));
  const left = stuck.length - shown.length;
  return [
    screen.theme.paint(
      'strong',
      stuck.some(({ status }) => status === 'blocked') ? 'stuck, the newest first' : 'could not be judged',
    ),
    ...shown.flatMap((entry, index) =>
      causeLines(
        entry,
        (columns[index] ?? []).map((text, column) => padEnd(text, widths[column] ?? 0)),
        screen,
      ),
    ),
    ...(left > 0 ? [`  and ${left} more causes (-o wide lists them)`] : []),
    ...(screen.wide ? [] : hintLines(shown, screen)),
  ];
}

function causeLines(entry: StuckCause, columns: readonly string[], screen: Screen): string[] {
  const glyph: StageState = entry.status === 'blocked' ? 'blocked' : 'unknown';
  const style: Style = entry.status === 'blocked' ? 'blocked' : 'unknown';
  const mark = `  ${screen.theme.paint(style, screen.theme.glyph[glyph])} `;
  const summary = screen.theme.prose(entry.summary);
  const line = columns.join('  ');
  const used = 4 + displayWidth(line) + 2;
  if (!screen.wide && screen.width >= roomy && screen.width - used >= leastRoom) {
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
  return [`${mark}${line}`.trimEnd(), ...told];
}

/** The first object as `why` takes it, and the number of others. */
function subjectText({ targets }: StuckCause): string {
  const [first] = targets;
  if (first === undefined) return '';
  return `${shortNameOf(first.kind)}/${first.name}${first.namespace === undefined ? '' : ` -n ${first.namespace}`}${targets.length > 1 ? ` and ${targets.length - 1} more` : ''}`;
}

function subjects({ targets }: StuckCause): string {
  return `${countObjects(targets)}: ${targets.map(({ kind, name, namespace }) => `${shortNameOf(kind)}/${name}${namespace === undefined ? '' : ` -n ${namespace}`}`).join(', ')}`;
}

/** A command is never wrapped, so that it can be copied. */
function hintLines([first]: readonly StuckCause[], screen: Screen): string[] {
  if (first === undefined) return [];
  const words = first.status === 'blocked' ? '  the evidence and the fix of the first:' : '  more about the first:';
  const command = `$ ${first.command}`;
  const line = `${words}  ${command}`;
  return displayWidth(line) <= screen.width ? [line] : [words, `      ${command}`];
}

/** Expected waits, all in one line. */
export function renderWaiting({ waiting }: Status, screen: Screen): string[] {
  if (waiting.length === 0) return [];
  const byCause = Map.groupBy(waiting, ({ cause }) => cause ?? 'no cause');
  const text = [...byCause]
    .map(([cause, entries]) => `${countObjects(entries.flatMap(({ targets }) => targets))} ${cause}`)
    .join(', ');
  const lines = hang(padEnd('waiting', 13), text, screen.width);
  if (!screen.wide) return lines;
  return [
    ...lines,
    ...waiting.flatMap((entry) =>
      hang(
        `  ${screen.theme.glyph.waiting} `,
        `${subjectText(entry)}: ${screen.theme.prose(entry.summary)}`,
        screen.width,
        6,
      ),
    ),
  ];
}
