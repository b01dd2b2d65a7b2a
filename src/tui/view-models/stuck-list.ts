import type { ObjectRef } from '../../core/report/report.ts';
import type { StuckCause } from '../../core/report/status.ts';
import { sanitise } from '../../terminal/sanitise.ts';
import { createScreen } from '../../terminal/screen.ts';
import type { Screen } from '../../terminal/screen.ts';
import { statusText } from '../../terminal/verdict/block.ts';
import { countObjects, objectName, sharedNamespace } from '../../terminal/verdict/nouns.ts';
import { widest } from '../../terminal/wrap.ts';
import { memoiseLast } from '../memoise-last.ts';
import type { Frame } from '../ports.ts';
import { reportedItem } from '../state/selectors.ts';
import type { Look } from '../theme.ts';
import { ageWidth } from './rows.ts';
import type { CauseColumns, Row } from './rows.ts';
import { noRow, objectItem, rowsOnDemand } from './sheet.ts';
import type { Item, Sheet } from './sheet.ts';
import { unreadNotes } from './unread-notes.ts';

type Line =
  | { readonly type: 'title'; readonly status: StuckCause['status'] }
  | { readonly type: 'cause'; readonly entry: StuckCause; readonly isUnfolded: boolean }
  | { readonly type: 'subject'; readonly entry: StuckCause; readonly target: ObjectRef };

const titles: Readonly<Record<StuckCause['status'], string>> = {
  blocked: 'Stuck, latest cause first, by the age of its oldest object',
  unknown: 'Unknown',
  waiting: 'Waiting (expected)',
};
/** Wider columns would push their neighbours off the screen. */
const widestCause = 30;
const widestSubject = 40;

/** What is stuck, one cause a line, with its subjects below where the user unfolded it; ages are those at `at`. */
export const stuckSheet = memoiseLast(
  (frame: Frame, at: string, unfolded: ReadonlySet<string>, wanted: string, width: number, look: Look): Sheet => {
    const lines = linesOf(frame.stuck, unfolded, wanted.toLowerCase());
    const { report, stuck } = frame;
    const screen = createScreen(at, { width, ...look });
    const columns: CauseColumns = {
      cause: Math.min(widestCause, widest(stuck.map(causeText))),
      age: Math.max(ageWidth, widest(stuck.map((entry) => ageOf(entry, screen)))),
      subject: Math.min(widestSubject, widest(stuck.map(subjectText))),
    };
    return {
      notes: unreadNotes(report.unread ?? [], report.takenAt, width, look),
      count: lines.length,
      rowAt: rowsOnDemand((index) => rowOf(lines[index], columns, frame, screen)),
      stops: stopsOf(lines),
      itemAt: (index) => itemOn(lines[index]),
      empty: wanted === '' ? nothingStuck(frame) : `Nothing stuck matches "${wanted}".`,
    };
  },
);

const linesOf = memoiseLast(
  (stuck: readonly StuckCause[], unfolded: ReadonlySet<string>, wanted: string): readonly Line[] => {
    const lines: Line[] = [];
    let status: StuckCause['status'] | undefined;
    for (const entry of stuck) {
      const isMeant = wanted === '' || `${causeText(entry)} ${entry.summary}`.toLowerCase().includes(wanted);
      const targets = isMeant ? entry.targets : entry.targets.filter((target) => isNamed(target, wanted));
      if (targets.length === 0) continue;
      if (entry.status !== status) lines.push({ type: 'title', status: entry.status });
      status = entry.status;
      const isUnfolded = entry.targets.length > 1 && (unfolded.has(foldOf(entry)) || !isMeant);
      lines.push({ type: 'cause', entry, isUnfolded });
      if (isUnfolded) for (const target of targets) lines.push({ type: 'subject', entry, target });
    }
    return lines;
  },
);

const stopsOf = memoiseLast((lines: readonly Line[]): readonly number[] =>
  lines.flatMap(({ type }, index) => (type === 'title' ? [] : [index])),
);

function isNamed(target: ObjectRef, wanted: string): boolean {
  return `${objectName(target)} ${target.namespace ?? ''}`.toLowerCase().includes(wanted);
}

function foldOf({ status, cause, summary }: StuckCause): string {
  return `${status}|${cause ?? ''}|${summary}`;
}

function rowOf(line: Line | undefined, columns: CauseColumns, frame: Frame, screen: Screen): Row {
  if (line === undefined) return noRow;
  if (line.type === 'title') return { type: 'title', text: titles[line.status] };
  if (line.type === 'subject') return { type: 'text', text: `      ${subjectStatus(line.target, frame, screen)}` };
  const { entry, isUnfolded } = line;
  return {
    type: 'cause',
    status: entry.status,
    fold: foldState(entry, isUnfolded),
    cause: causeText(entry),
    age: ageOf(entry, screen),
    subject: subjectText(entry),
    summary: screen.theme.prose(sanitise(entry.summary)),
    columns,
  };
}

/** The age of a group is that of its oldest member. */
function ageOf({ oldest, since }: StuckCause, screen: Screen): string {
  return screen.age(oldest ?? since) ?? '?';
}

function foldState({ targets }: StuckCause, isUnfolded: boolean): 'folded' | 'unfolded' | undefined {
  if (targets.length === 1) return undefined;
  return isUnfolded ? 'unfolded' : 'folded';
}

function subjectStatus(target: ObjectRef, frame: Frame, screen: Screen): string {
  const item = reportedItem(frame, target);
  return nameAndNamespace(target) + (item === undefined ? '' : `  ${statusText(item, screen)}`);
}

function itemOn(line: Line | undefined): Item | undefined {
  if (line === undefined || line.type === 'title') return undefined;
  const { cause, targets } = line.entry;
  if (line.type === 'subject') return objectItem(line.target, cause);
  const [first] = targets;
  if (first === undefined) return undefined;
  if (targets.length === 1) return objectItem(first, cause);
  const fold = foldOf(line.entry);
  return { type: 'fold', id: `fold|${fold}`, fold, target: first };
}

function causeText({ cause }: StuckCause): string {
  return cause === undefined ? 'unknown' : sanitise(cause);
}

function subjectText({ targets }: StuckCause): string {
  const [first] = targets;
  if (first === undefined) return '';
  if (targets.length === 1) return nameAndNamespace(first);
  const namespace = sharedNamespace(targets);
  return sanitise(`${countObjects(targets)}${namespace === undefined ? '' : ` -n ${namespace}`}`);
}

/** `pvc/cart -n shop`, as one would type it. */
export function nameAndNamespace(target: ObjectRef): string {
  const { namespace } = target;
  return sanitise(`${objectName(target)}${namespace === undefined ? '' : ` -n ${namespace}`}`);
}

function nothingStuck({ report, namespace }: Frame): string {
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  return (report.unread ?? []).length > 0
    ? `Nothing stuck was found${where}, but not everything could be read.`
    : `Nothing is stuck${where}.`;
}
