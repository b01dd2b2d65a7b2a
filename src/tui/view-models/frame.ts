import { objectName } from '../../terminal/verdict/nouns.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { displayWidth, hang, padEnd } from '../../terminal/wrap.ts';
import type { Command } from '../keys.ts';
import { panes, tabs } from '../state/state.ts';
import type { State, Tab, View } from '../state/state.ts';
import { createTuiTheme, cutLine, plainText } from '../theme.ts';
import type { TuiTheme } from '../theme.ts';
import {
  besideSheet,
  currentPick,
  currentPosition,
  currentSheet,
  divisionOf,
  gutter,
  isTroubled,
  questionedDriver,
  topView,
} from './current.ts';
import { hintLine } from './help.ts';
import { itemOf } from './object-panes.ts';
import { cursorOf, topOf } from './sheet.ts';
import type { Sheet } from './sheet.ts';

/** All that stands on the screen, in lines that fit. */
export interface ScreenModel {
  readonly top: readonly string[];
  readonly body: readonly string[];
  readonly bodyWidth: number;
  /** What stands beside it, to look at only. */
  readonly beside: readonly string[];
  readonly divider: string;
  readonly foot: readonly string[];
}

export function screenModel(state: State): ScreenModel {
  const theme = createTuiTheme(state.look);
  const { columns } = state.size;
  const division = divisionOf(state);
  const sheet = currentSheet(state);
  const fit = (line: string): string => cutLine(line, columns, theme);
  return {
    top: [headLine(state, theme), ...troubleLines(state, theme), whereLine(state, theme)].map(fit),
    body: bodyLines(state, sheet, division.width, division.height, theme),
    bodyWidth: division.width + gutter,
    beside: division.beside === 0 ? [] : besideLines(state, division.beside, division.height, theme),
    divider: theme.divider,
    foot: [...stripLines(state, division.strip, theme), footLine(state, sheet, division.height, theme)].map(fit),
  };
}

/** Which cluster, which namespace, how fresh, and how bad. */
function headLine({ frame, place, size }: State, theme: TuiTheme): string {
  if (frame === undefined) return `${theme.paint('strong', 'kubectl csi')}  ${sanitise(place.context ?? '')}`.trimEnd();
  const { blocked, unknown, waiting } = frame.report.summary;
  const right = [
    blocked > 0
      ? theme.paint('blocked', `${theme.glyph.blocked} ${blocked} stuck`)
      : theme.paint('passed', `${theme.glyph.passed} none stuck`),
    ...(unknown > 0 ? [theme.paint('unknown', `${theme.glyph.unknown} ${unknown} not known`)] : []),
    ...(waiting > 0 ? [`${waiting} waiting`] : []),
  ].join('  ');
  const title = theme.paint('strong', 'kubectl csi');
  const rest = `${frame.namespace === undefined ? 'all namespaces' : `namespace ${sanitise(frame.namespace)}`}  ${freshnessText(frame.freshness, theme)}`;
  const widthOf = (text: string): number => displayWidth(plainText(text));
  const room = size.columns - widthOf(title) - widthOf(rest) - widthOf(right) - 6;
  // Which program it is, one knows; which cluster it is, one must see.
  const isTight = room < Math.min(20, displayWidth(frame.context));
  const context = cutStart(sanitise(frame.context), Math.max(8, isTight ? room + widthOf(title) + 2 : room), theme);
  const left = `${isTight ? '' : `${title}  `}${context}  ${rest}`;
  return `${left}${' '.repeat(Math.max(2, size.columns - widthOf(left) - widthOf(right)))}${right}`;
}

/** Of a long path or context the end tells more than the start. */
function cutStart(text: string, width: number, { ellipsis }: TuiTheme): string {
  const characters = Array.from(text);
  while (characters.length > 0 && displayWidth(characters.join('')) > width - ellipsis.length) characters.shift();
  return displayWidth(text) <= width ? text : `${ellipsis}${characters.join('')}`;
}

function freshnessText({ state, since }: NonNullable<State['frame']>['freshness'], theme: TuiTheme): string {
  if (state === 'live') return theme.paint('passed', 'live');
  if (state === 'dump') return `dump as of ${sanitise(since).replace(/\.\d+/, '')}`;
  return state === 'stale' ? theme.paint('blocked', 'STALE') : theme.paint('waiting', 'connecting');
}

/** Old data must not be taken for new: a line of its own says so, as long as it lasts. */
function troubleLines(state: State, theme: TuiTheme): string[] {
  if (!isTroubled(state)) return [];
  const { failure, frame, size } = state;
  const reason = failure ?? frame?.freshness.reason;
  const text =
    frame?.freshness.state === 'stale'
      ? ` STALE since ${sanitise(frame.freshness.since).replace(/\.\d+/, '')}${reason === undefined ? '' : `: ${sanitise(reason)}`}`
      : ` ${sanitise(failure ?? '')}`;
  return [theme.band(cutLine(text, size.columns, theme), size.columns)];
}

function whereLine(state: State, theme: TuiTheme): string {
  const { chooser, tab, views } = state;
  if (chooser !== undefined)
    return theme.paint(
      'strong',
      { namespace: 'choose a namespace', context: 'choose a context', copy: 'choose the command to copy' }[
        chooser.purpose
      ],
    );
  const view = topView(state);
  if (view === undefined) return tabs.map((one, index) => marked(`${index + 1} ${one}`, one === tab, theme)).join(' ');
  const trail = [tab, ...views.slice(0, -1).slice(-1).map(titleOf)].join(' > ');
  const own = theme.paint('strong', titleOf(view));
  const choice =
    view.type === 'object' ? `  ${panes.map((pane) => marked(pane, pane === view.pane, theme)).join(' ')}` : '';
  const line = `${trail} > ${own}${choice}`;
  // Where one is going matters more than where one came from.
  return displayWidth(plainText(line)) <= state.size.columns ? line : `${own}${choice}`;
}

/** Brackets say it where there is no colour. */
function marked(text: string, isCurrent: boolean, theme: TuiTheme): string {
  return isCurrent ? theme.paint('strong', `[${text}]`) : text;
}

function titleOf(view: View): string {
  if (view.type === 'object')
    return sanitise(
      `${objectName(view.target)}${view.target.namespace === undefined ? '' : ` -n ${view.target.namespace}`}`,
    );
  if (view.type === 'cause') return sanitise(view.cause);
  return view.type === 'probe' ? `probe of ${sanitise(view.driver)}` : 'help';
}

function bodyLines(state: State, sheet: Sheet, width: number, height: number, theme: TuiTheme): string[] {
  const position = currentPosition(state);
  const fit = (line: string): string =>
    cutLine(position.left > 0 ? plainText(line).slice(position.left) : line, width, theme);
  const head = sheet.head.map((line) => `  ${fit(line)}`);
  if (sheet.count === 0) return filled([...head, ...hang('  ', theme.prose(sheet.empty), width)], height);
  const room = Math.max(1, height - head.length);
  const top = topOf(sheet, position, room);
  const cursor = cursorOf(sheet, position);
  const shown = Array.from({ length: Math.min(room, sheet.count - top) }, (_, row) => {
    const index = top + row;
    const line = fit(sheet.lineAt(index));
    if (index === cursor) return theme.band(`${theme.cursor} ${line}`, width + gutter);
    return `  ${sheet.pickAt === undefined ? withFound(line, position.wanted, theme) : line}`;
  });
  return filled([...head, ...shown], height);
}

function withFound(line: string, wanted: string, theme: TuiTheme): string {
  const plain = plainText(line);
  const at = wanted === '' ? -1 : plain.toLowerCase().indexOf(wanted.toLowerCase());
  return at < 0
    ? line
    : `${plain.slice(0, at)}${theme.found(plain.slice(at, at + wanted.length))}${plain.slice(at + wanted.length)}`;
}

function besideLines(state: State, width: number, height: number, theme: TuiTheme): string[] {
  const sheet = besideSheet(state, width);
  if (sheet === undefined) return filled([], height);
  const lines =
    sheet.count === 0
      ? hang('', theme.prose(sheet.empty), width)
      : Array.from({ length: Math.min(height, sheet.count) }, (_, index) => cutLine(sheet.lineAt(index), width, theme));
  const left = sheet.count - height + 1;
  return filled(left > 1 ? [...lines.slice(0, height - 1), theme.paint('faint', `${left} more lines`)] : lines, height);
}

/** Where no journey stands beside the list, the sentence about what is under the cursor. */
function stripLines(state: State, lines: number, theme: TuiTheme): string[] {
  if (lines === 0) return [];
  const pick = currentPick(state);
  const said =
    pick === undefined || pick.type === 'choice' ? undefined : (pick.said ?? itemOf(state, pick.target)?.summary);
  const rule = theme.paint('faint', theme.rule.repeat(state.size.columns));
  return [
    rule,
    ...filled(said === undefined ? [] : hang('  ', theme.prose(sanitise(said)), state.size.columns), lines - 1),
  ];
}

function footLine(state: State, sheet: Sheet, height: number, theme: TuiTheme): string {
  const { prompt, question, remark } = state;
  if (question !== undefined) return theme.paint('strong', questionText(state));
  if (prompt !== undefined)
    return `${promptText(prompt.purpose)}${sanitise(prompt.text) + (prompt.text.endsWith(' ') ? ' ' : '')}_`;
  if (remark !== undefined)
    return remark.isTrouble
      ? theme.paint('blocked', `${theme.glyph.blocked} ${sanitise(remark.text)}`)
      : sanitise(remark.text);
  const { wanted } = currentPosition(state);
  const left =
    wanted === ''
      ? hints(state)
      : `/${sanitise(wanted)}  ${sheet.pickAt === undefined ? 'n next  N previous  ' : ''}esc clear`;
  const right = whereabouts(sheet, currentPosition(state), Math.max(1, height - sheet.head.length));
  const room = state.size.columns - displayWidth(right) - 2;
  return `${padEnd(cutLine(left, room, theme), room)}  ${right}`;
}

function questionText(state: State): string {
  const { driver, isKnown } = questionedDriver(state);
  if (driver !== undefined) return `probe ${sanitise(driver)}?  y its health check  e execute in its pods  n no`;
  return isKnown ? 'no driver that serves it is known  (any key)' : 'looking up its driver';
}

function promptText(purpose: NonNullable<State['prompt']>['purpose']): string {
  return { wanted: '/', command: ':', capture: 'save to (enter alone makes up a name): ' }[purpose];
}

const tableHints = ['enter', 'wanted', 'chain', 'events', 'yaml', 'namespace', 'help', 'quit'] as const;
const tabHints: Readonly<Record<Tab, readonly Command[]>> = {
  stuck: ['enter', 'wanted', 'explain', 'copy', 'namespace', 'help', 'quit'],
  claims: tableHints,
  volumes: tableHints,
  drivers: ['enter', 'probe', 'wanted', 'events', 'yaml', 'help', 'quit'],
  attachments: tableHints,
  snapshots: tableHints,
  timeline: ['enter', 'wanted', 'chain', 'yaml', 'namespace', 'help', 'quit'],
};

function hints(state: State): string {
  if (state.chooser !== undefined) return 'enter choose  / filter  esc back';
  const view = topView(state);
  if (view === undefined) return hintLine(tabHints[state.tab]);
  if (view.type !== 'object') return hintLine(['back', 'wanted', 'help', 'quit']).replace('filter', 'find');
  if (view.pane === 'journey') return hintLine(['explain', 'copy', 'probe', 'nextPane', 'back', 'help', 'quit']);
  return view.pane === 'chain'
    ? hintLine(['enter', 'probe', 'nextPane', 'back', 'help', 'quit'])
    : hintLine(['wanted', 'nextPane', 'back', 'help', 'quit']).replace('filter', 'find');
}

/** `3/40`, or how far down a text is. */
function whereabouts(
  sheet: Sheet,
  position: State['positions'][keyof State['positions']] & object,
  height: number,
): string {
  if (sheet.count === 0 || (sheet.count <= height && sheet.pickAt === undefined)) return '';
  const cursor = cursorOf(sheet, position);
  if (cursor >= 0) return ordinalOf(sheet, cursor);
  const top = topOf(sheet, position, height);
  return `${Math.min(100, Math.round(((top + height) / Math.max(1, sheet.count)) * 100))}%`;
}

/** Titles between the lines do not count. */
function ordinalOf(sheet: Sheet, cursor: number): string {
  let before = 0;
  let all = 0;
  for (let index = 0; index < sheet.count; index += 1) {
    if (sheet.pickAt?.(index) === undefined) continue;
    all += 1;
    if (index <= cursor) before += 1;
  }
  return `${before}/${all}`;
}

function filled(lines: readonly string[], height: number): string[] {
  return Array.from({ length: height }, (_, index) => lines[index] ?? '');
}
