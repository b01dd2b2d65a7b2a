import type { ObjectRef, ReportItem } from '../../core/report/report.ts';
import type { StuckCause } from '../../core/report/status.ts';
import { statusText } from '../../terminal/verdict/block.ts';
import { countObjects, objectKey, objectName, sharedNamespace } from '../../terminal/verdict/nouns.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { createScreen } from '../../terminal/screen.ts';
import type { Screen } from '../../terminal/screen.ts';
import { statusState, statusStyle } from '../../terminal/theme.ts';
import { padEnd, widest } from '../../terminal/wrap.ts';
import type { Frame } from '../ports.ts';
import { createTuiTheme, cutLine } from '../theme.ts';
import type { Look, TuiTheme } from '../theme.ts';
import { lastOf } from './sheet.ts';
import type { Pick, Sheet } from './sheet.ts';
import { unreadNotes } from './unread-notes.ts';

type Line =
  | { readonly type: 'title'; readonly text: string }
  | { readonly type: 'cause'; readonly entry: StuckCause; readonly isUnfolded: boolean }
  | { readonly type: 'subject'; readonly entry: StuckCause; readonly target: ObjectRef };

const titles: Readonly<Record<StuckCause['status'], string>> = {
  blocked: 'stuck, the newest first',
  unknown: 'not known',
  waiting: 'waiting, which is no fault',
};
/** Beyond these a column pushes its neighbours off the screen. */
const widestCause = 30;
const leastSummary = 24;

export function foldKey({ status, cause, summary }: StuckCause): string {
  return `${status}|${cause ?? ''}|${summary}`;
}

/** What is stuck, one cause a line, and its subjects below where someone unfolded it. */
export const stuckSheet = lastOf(
  (frame: Frame, unfolded: ReadonlySet<string>, wanted: string, width: number, look: Look): Sheet => {
    const lines = linesOf(frame.stuck, unfolded, wanted.toLowerCase());
    const theme = createTuiTheme(look);
    const screen = createScreen(frame.report.takenAt, { width, ...look });
    const items = new Map(frame.report.items.map((item) => [objectKey(item.target), item]));
    const causes = frame.stuck.map(causeText);
    const columns: Columns = {
      cause: Math.min(widestCause, widest(causes)),
      age: widest(frame.stuck.map(({ since }) => screen.age(since) ?? '')),
      subject: Math.min(40, widest(frame.stuck.map((entry) => subjectText(entry)))),
    };
    return {
      // What could not be looked through may hide more.
      head: unreadNotes(frame.report.unread ?? [], frame.report.takenAt, width, look),
      count: lines.length,
      lineAt: (index) => drawLine(lines[index], columns, items, screen, theme),
      pickAt: (index) => pickOf(lines[index]),
      empty: wanted === '' ? sayNothing(frame) : `nothing that is stuck has "${wanted}" in it`,
    };
  },
);

function linesOf(stuck: readonly StuckCause[], unfolded: ReadonlySet<string>, wanted: string): Line[] {
  const lines: Line[] = [];
  let status: StuckCause['status'] | undefined;
  for (const entry of stuck) {
    const isMeant = wanted === '' || `${causeText(entry)} ${entry.summary}`.toLowerCase().includes(wanted);
    const targets = isMeant
      ? entry.targets
      : entry.targets.filter((target) =>
          `${objectName(target)} ${target.namespace ?? ''}`.toLowerCase().includes(wanted),
        );
    if (targets.length === 0) continue;
    if (entry.status !== status) lines.push({ type: 'title', text: titles[entry.status] });
    status = entry.status;
    const isUnfolded = entry.targets.length > 1 && (unfolded.has(foldKey(entry)) || !isMeant);
    lines.push({ type: 'cause', entry, isUnfolded });
    if (isUnfolded) for (const target of targets) lines.push({ type: 'subject', entry, target });
  }
  return lines;
}

interface Columns {
  readonly cause: number;
  readonly age: number;
  readonly subject: number;
}

function drawLine(
  line: Line | undefined,
  columns: Columns,
  items: ReadonlyMap<string, ReportItem>,
  screen: Screen,
  theme: TuiTheme,
): string {
  if (line === undefined) return '';
  if (line.type === 'title') return theme.paint('strong', line.text);
  const { entry } = line;
  if (line.type === 'subject') {
    const item = items.get(objectKey(line.target));
    return `      ${sanitise(objectName(line.target))}${placeOf(line.target)}${item === undefined ? '' : `  ${statusText(item, screen)}`}`;
  }
  const fold = entry.targets.length === 1 ? ' ' : line.isUnfolded ? theme.unfolded : theme.folded;
  const glyph = theme.paint(statusStyle[entry.status], theme.glyph[statusState[entry.status]]);
  const cause = padEnd(cutLine(causeText(entry), columns.cause, theme), columns.cause);
  const age = (screen.age(entry.since) ?? '').padStart(columns.age);
  const subject = subjectText(entry);
  const used = 4 + columns.cause + 2 + columns.age + 2;
  const room = screen.width - 2 - used - columns.subject - 2;
  const rest =
    room < leastSummary
      ? subject
      : `${padEnd(cutLine(subject, columns.subject, theme), columns.subject)}  ${theme.prose(sanitise(entry.summary))}`;
  return `${fold} ${glyph} ${theme.paint('strong', cause)}  ${age}  ${rest}`;
}

function pickOf(line: Line | undefined): Pick | undefined {
  if (line === undefined || line.type === 'title') return undefined;
  const { entry } = line;
  if (line.type === 'subject') return { type: 'object', target: line.target, cause: entry.cause };
  const [target] = entry.targets;
  if (target === undefined) return undefined;
  return entry.targets.length === 1
    ? { type: 'object', target, cause: entry.cause }
    : { type: 'fold', key: foldKey(entry), target, cause: entry.cause };
}

function causeText({ cause }: StuckCause): string {
  return cause === undefined ? 'not known' : sanitise(cause);
}

function subjectText({ targets }: StuckCause): string {
  const [first] = targets;
  if (first === undefined) return '';
  if (targets.length === 1) return sanitise(`${objectName(first)}${placeOf(first)}`);
  const namespace = sharedNamespace(targets);
  return sanitise(`${countObjects(targets)}${namespace === undefined ? '' : ` -n ${namespace}`}`);
}

function placeOf({ namespace }: ObjectRef): string {
  return namespace === undefined ? '' : ` -n ${sanitise(namespace)}`;
}

function sayNothing({ report, namespace }: Frame): string {
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  return (report.unread ?? []).length > 0
    ? `nothing stuck was seen${where}, but not all could be read`
    : `nothing is stuck${where}`;
}
