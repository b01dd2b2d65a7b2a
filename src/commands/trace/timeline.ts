import { ageText } from '../../core/kube/time.ts';
import type { Trace, TraceGap, TraceMoment } from '../../core/report/trace.ts';
import { objectName } from '../../terminal/verdict/nouns.ts';
import type { Screen } from '../../terminal/screen.ts';
import type { Style } from '../../terminal/theme.ts';
import { displayWidth, hang, padEnd, widest } from '../../terminal/wrap.ts';

/** A longer name of a component leaves too little room for what it did. */
const widestComponent = 24;
const mostWords = 400;
const longName = 20;
/** With less room than this next to the columns, the text goes below them. */
const leastRoom = 40;
const narrowIndent = 8;

/** Replaces long names that the chain above shows already. */
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

/** A line for each moment: when, which component, what it did. */
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

/**
 * A gap follows the last moment before its end. If minor moments are shown, that may be one inside the gap, and little
 * of it is left.
 */
function placeGap(gap: TraceGap, moments: readonly TraceMoment[]): [TraceMoment, TraceGap][] {
  const moment = moments.findLast(({ at }) => at < gap.to);
  if (!moment) return [];
  const seconds = Math.min(gap.seconds, Math.floor((Date.parse(gap.to) - Date.parse(moment.at)) / 1000));
  return seconds < gap.seconds / 2 ? [] : [[moment, { ...gap, seconds }]];
}

export function offsetText(seconds: number): string {
  return `${seconds < 0 ? '-' : '+'}${ageText(0, Math.abs(seconds) * 1000)}`;
}

/** `+4m12s`, and in a wide report also the time; `≤` marks the latest possible time. */
function whenText({ at, offset, certainty }: TraceMoment, screen: Screen): string {
  const mark = certainty === 'latest' ? screen.theme.prose('≤') : '';
  return `${screen.wide ? `${at}  ` : ''}${mark}${offsetText(offset)}`;
}

function renderMoment(moment: TraceMoment, when: string, columns: Columns, screen: Screen): string[] {
  const { whenWidth, componentWidth, shorten } = columns;
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
  return [
    ...paintMoment(lines, moment, screen),
    ...saidLines(moment, indent, screen),
    ...sourceLines(moment, indent, screen),
  ];
}

function paintMoment([first = '', ...rest]: readonly string[], moment: TraceMoment, screen: Screen): string[] {
  const lines = [markTrouble(first, moment, screen), ...rest];
  const style = styleOf(moment);
  return style === undefined ? lines : lines.map((line) => screen.theme.paint(style, line));
}

function styleOf({ isTrouble, isMinor }: TraceMoment): Style | undefined {
  if (isTrouble) return 'blocked';
  return isMinor ? 'faint' : undefined;
}

/** The words of a component, quoted. */
function saidLines({ said, isTrouble }: TraceMoment, indent: number, screen: Screen): string[] {
  if (said === undefined || !(isTrouble || screen.wide)) return [];
  return hang(`${' '.repeat(indent)}> `, cut(said, screen), screen.width);
}

function sourceLines({ sources }: TraceMoment, indent: number, { wide, width, theme }: Screen): string[] {
  if (!wide) return [];
  return hang(' '.repeat(indent), `[${sources.join('; ')}]`, width, indent + 1).map((line) =>
    theme.paint('faint', line),
  );
}

/** A mark in addition to the colour. */
function markTrouble(line: string, { isTrouble }: TraceMoment, { theme }: Screen): string {
  return isTrouble ? `${theme.glyph.blocked}${line.slice(1)}` : line;
}

export function repeats({ count, at, until }: TraceMoment): string {
  if (count === undefined || until === undefined) return '';
  const lasted = Date.parse(until) - Date.parse(at);
  return ` (${count} times${lasted >= 1000 ? ` within ${ageText(0, lasted)}` : ''})`;
}

function cut(text: string, { wide }: Screen): string {
  return wide || text.length <= mostWords ? text : `${text.slice(0, mostWords).trimEnd()}…`;
}

/** The API server keeps events for an hour by default (--event-ttl); before that, only the objects are evidence. */
function isBeyondEvents({ from }: TraceGap, { takenAt }: Trace): boolean {
  return Date.parse(takenAt) - Date.parse(from) > 3_600_000;
}

function renderGap(
  { seconds, waitedFor, isNoisy, isOpen }: TraceGap,
  { whenWidth }: Columns,
  isBlind: boolean,
  { theme, width }: Screen,
): string[] {
  const quiet = isBlind ? 'nothing on record' : 'nothing';
  const lasted = `${ageText(0, seconds * 1000)} ${isNoisy ? 'nothing new' : quiet}`;
  const text = isOpen
    ? `${lasted} since then${waitedFor ? `: waits for ${waitedFor}` : ''}`
    : `${lasted}${waitedFor ? `: waited for ${waitedFor}` : ''}`;
  return hang(`  ${' '.repeat(Math.max(0, whenWidth - 1))}${theme.glyph.unreached}  `, text, width).map((line) =>
    theme.paint('waiting', line),
  );
}
