import { ageText } from '../../core/kube/time.ts';
import type { Trace, TraceGap, TraceMoment } from '../../core/report/trace.ts';
import { objectName } from '../../terminal/verdict/nouns.ts';
import type { Screen } from '../../terminal/screen.ts';
import { displayWidth, hang, padEnd, widest } from '../../terminal/wrap.ts';

/** Beyond this a name of a component pushes what it did off the screen. */
const widestComponent = 24;
const mostWords = 400;
const longName = 20;
/** With less room than this beside the columns the words go below them. */
const leastRoom = 40;
const narrowIndent = 8;

/** Names that the chain above shows already, and that would fill the lines here. */
function shorthands({ chain }: Trace): (text: string) => string {
  const words: (readonly [string, string])[] = [];
  for (const [role, word] of [
    ['volume', 'the volume'],
    ['content', 'the content'],
  ] as const) {
    const names = new Set(
      chain.flatMap((link) => (link.role === role && link.object ? [objectName(link.object)] : [])),
    );
    const [name] = names;
    if (names.size === 1 && name !== undefined && name.length > longName) words.push([name, word]);
  }
  return (text) => words.reduce((short, [name, word]) => short.replaceAll(name, word), text);
}

/** A line for each thing that was done: when, by whom, what. */
export function renderTimeline(trace: Trace, screen: Screen): string[] {
  const moments = trace.timeline.filter(({ isMinor }) => screen.wide || !isMinor);
  if (moments.length === 0) return [];
  const whens = moments.map((moment) => whenText(moment, screen));
  const whenWidth = widest(whens);
  const componentWidth = Math.min(widestComponent, widest(moments.map(({ component }) => component)));
  const gaps = new Map(trace.gaps.flatMap((gap) => placeGap(gap, moments)));
  const columns: Columns = { whenWidth, componentWidth, shorten: screen.wide ? (text) => text : shorthands(trace) };
  return moments.flatMap((moment, index) => {
    const lines = renderMoment(moment, whens[index] ?? '', columns, screen);
    const gap = gaps.get(moment);
    return gap ? [...lines, ...renderGap(gap, columns, isBeyondEvents(gap, trace), screen)] : lines;
  });
}

interface Columns {
  readonly whenWidth: number;
  readonly componentWidth: number;
  readonly shorten: (text: string) => string;
}

/** A gap stands behind the last moment before its end. With minor moments shown that may be one within it, and little may be left. */
function placeGap(gap: TraceGap, moments: readonly TraceMoment[]): [TraceMoment, TraceGap][] {
  const moment = moments.findLast(({ at }) => at < gap.to);
  if (!moment) return [];
  const seconds = Math.min(gap.seconds, Math.floor((Date.parse(gap.to) - Date.parse(moment.at)) / 1000));
  return seconds < gap.seconds / 2 ? [] : [[moment, { ...gap, seconds }]];
}

export function offsetText(seconds: number): string {
  return `${seconds < 0 ? '-' : '+'}${ageText(0, Math.abs(seconds) * 1000)}`;
}

/** `+4m12s`, and in a wide report the time itself; `≤` before what happened by then at the latest. */
function whenText({ at, offset, certainty }: TraceMoment, screen: Screen): string {
  const mark = certainty === 'latest' ? screen.theme.prose('≤') : '';
  return `${screen.wide ? `${at}  ` : ''}${mark}${offsetText(offset)}`;
}

function renderMoment(
  moment: TraceMoment,
  when: string,
  { whenWidth, componentWidth, shorten }: Columns,
  screen: Screen,
): string[] {
  const { theme, width } = screen;
  const lead = `  ${' '.repeat(whenWidth - displayWidth(when))}${when}  ${padEnd(moment.component, componentWidth)}  `;
  const column = 2 + whenWidth + 2 + componentWidth + 2;
  const isNarrow = width - column < leastRoom;
  const indent = isNarrow ? narrowIndent : column;
  const isOverlong = isNarrow || displayWidth(moment.component) > componentWidth;
  const what = theme.prose(shorten(moment.what)) + repeats(moment);
  const lines = isOverlong
    ? [lead.trimEnd(), ...hang(' '.repeat(indent), what, width)]
    : hang(lead, what, width, indent);
  const paint = moment.isTrouble
    ? (line: string): string => theme.paint('blocked', line)
    : moment.isMinor
      ? (line: string): string => theme.paint('faint', line)
      : (line: string): string => line;
  const said =
    moment.said !== undefined && (moment.isTrouble || screen.wide)
      ? hang(`${' '.repeat(indent)}> `, cut(moment.said, screen), width)
      : [];
  const sources = screen.wide
    ? hang(' '.repeat(indent), `[${moment.sources.join('; ')}]`, width, indent + 1).map((line) =>
        theme.paint('faint', line),
      )
    : [];
  return [
    ...lines.map((line, index) => (index === 0 ? markTrouble(line, moment, screen) : line)).map(paint),
    ...said,
    ...sources,
  ];
}

/** Colour never says it alone. */
function markTrouble(line: string, { isTrouble }: TraceMoment, { theme }: Screen): string {
  return isTrouble ? `${theme.glyph.blocked}${line.slice(1)}` : line;
}

function repeats({ count, at, until }: TraceMoment): string {
  if (count === undefined || until === undefined) return '';
  const lasted = Date.parse(until) - Date.parse(at);
  return ` (${count} times${lasted >= 1000 ? ` within ${ageText(0, lasted)}` : ''})`;
}

function cut(text: string, { wide }: Screen): string {
  return wide || text.length <= mostWords ? text : `${text.slice(0, mostWords).trimEnd()}…`;
}

/** Events are kept for an hour, unless the server was told otherwise: of what was before that only the objects tell. */
function isBeyondEvents({ from }: TraceGap, { takenAt }: Trace): boolean {
  return Date.parse(takenAt) - Date.parse(from) > 3_600_000;
}

function renderGap(
  { seconds, waitedFor, isNoisy, isOpen }: TraceGap,
  { whenWidth }: Columns,
  isBlind: boolean,
  { theme, width }: Screen,
): string[] {
  const lasted = ageText(0, seconds * 1000);
  const nothing = isNoisy ? 'nothing new' : isBlind ? 'nothing on record' : 'nothing';
  const text = isOpen
    ? `${lasted} ${nothing} since then${waitedFor ? `: waits for ${waitedFor}` : ''}`
    : `${lasted} ${nothing}${waitedFor ? `: waited for ${waitedFor}` : ''}`;
  return hang(`  ${' '.repeat(Math.max(0, whenWidth - 1))}${theme.glyph.unreached}  `, text, width).map((line) =>
    theme.paint('waiting', line),
  );
}
