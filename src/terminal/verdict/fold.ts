import type { Finding, ObjectRef, Report, ReportItem, Status } from '../../core/report/report.ts';
import { renderBlock, statusText } from './block.ts';
import {
  renderAdvice,
  renderBrief,
  renderEvidence,
  renderEvidenceSection,
  renderMore,
  renderTitle,
} from './finding.ts';
import { confidenceText } from './logs.ts';
import { contextsOf, countObjects, objectKey, objectName, objectNameIn, sharedNamespace } from './nouns.ts';
import { screenAt } from '../screen.ts';
import type { Screen } from '../screen.ts';
import { compareRows } from './summary.ts';
import { statusState, statusStyle } from '../theme.ts';
import { displayWidth, hang, padEnd, widest } from '../wrap.ts';

/** More objects than this are counted; `-o wide` lists all. */
const enoughSubjects = 10;

/** The targets that one cause has stopped. */
export interface Fold {
  readonly cause: string;
  readonly summary: string;
  readonly targets: readonly ObjectRef[];
  readonly items: readonly ReportItem[];
}

/** Each cause once, with the evidence and fix of its first object and the names of the others. */
export function renderFolds(report: Report, screen: Screen): string[][] {
  return foldByCause(report).folds.map((fold) => {
    const [item] = fold.items;
    return fold.targets.length === 1 && item !== undefined
      ? renderBlock(item, screen, { unread: false })
      : renderFold(fold, screen);
  });
}

/** The targets that no cause covers. */
export function looseItems(report: Report, status: Status): ReportItem[] {
  const { covered } = foldByCause(report);
  return report.items.filter((item) => item.status === status && !covered.has(objectKey(item.target)));
}

export function renderLoose(report: Report, status: Status, title: string, screen: Screen): string[] {
  const items = looseItems(report, status);
  return items.length === 0 ? [] : [screen.theme.paint('strong', title), ...renderList(items, screen)];
}

/** What is stuck, a fold for each cause. */
export function foldsOf(report: Report): readonly Fold[] {
  return foldByCause(report).folds;
}

/** The groups of the engine first, then the remaining targets by cause and sentence. */
function foldByCause(report: Report): Folded {
  let known = folded.get(report);
  if (!known) {
    const folds = fold(report).toSorted(compareRows);
    known = { folds, covered: new Set(folds.flatMap(({ items }) => items.map((item) => objectKey(item.target)))) };
    folded.set(report, known);
  }
  return known;
}

interface Folded {
  readonly folds: readonly Fold[];
  /** The keys of the targets in the folds. */
  readonly covered: ReadonlySet<string>;
}

const folded = new WeakMap<Report, Folded>();

function fold(report: Report): readonly Fold[] {
  const stuck = new Map(report.items.filter(isStuck).map((item) => [objectKey(item.target), item]));
  const folds: Fold[] = report.causes
    .map((group) => ({ ...group, items: group.targets.flatMap((target) => stuck.get(objectKey(target)) ?? []) }))
    .filter((fold) => fold.items.length > 0);
  const taken = new Set(folds.flatMap(({ items }) => items));
  const rest = Map.groupBy(
    [...stuck.values()].filter((item) => !taken.has(item)),
    (item) => `${item.cause}|${item.summary}`,
  );
  for (const items of rest.values()) {
    const [first] = items;
    if (first?.cause !== undefined)
      folds.push({ cause: first.cause, summary: first.summary, targets: items.map((item) => item.target), items });
  }
  return folds;
}

function isStuck(item: ReportItem): boolean {
  return item.cause !== undefined && (item.status === 'blocked' || item.status === 'unknown');
}

function renderFold(fold: Fold, anyScreen: Screen): string[] {
  const screen = screenAt(anyScreen, fold.items[0]?.context);
  const namespace = sharedNamespace(fold.targets);
  const finding = findingOf(fold.items[0], fold.cause);
  const isOfSeveral = contextsOf(fold.targets).length > 1;
  const count = countObjects(fold.targets) + (namespace === undefined ? '' : ` in namespace ${namespace}`);
  const others = otherCauses(fold);
  return [
    ...renderTitle(
      'Cause',
      fold.cause,
      [...(finding === undefined ? [] : [`(${confidenceText(leastSure(fold, finding), screen)})`]), count],
      screen,
    ),
    ...hang('  ', screen.theme.prose(fold.summary), screen.width),
    ...renderContexts(fold, screen),
    ...renderEvidenceSection(
      finding?.evidence ?? [],
      namespace,
      screen,
      isOfSeveral ? `Evidence in ${fold.items[0]?.context ?? ''}` : undefined,
    ),
    ...renderSubjects(fold, namespace, screen),
    ...(finding === undefined
      ? [renderMore(fold.cause, screen)]
      : renderAdvice({ cause: fold.cause, fix: finding.fix }, fixTitle(fold, finding), screen)),
    ...(others.length === 0 ? [] : ['', 'Also', ...others.flatMap((one) => renderBrief(one, screen))]),
  ];
}

const sureness = ['certain', 'likely', 'possible'] as const;

/** A cause of several clusters is as sure as in the one where it is least sure. */
function leastSure(fold: Fold, finding: Finding): Finding {
  if (fold.items[0]?.context === undefined) return finding;
  const all = fold.items.flatMap((item) => findingOf(item, fold.cause) ?? []);
  const rank = ({ confidence }: Finding): number => sureness.indexOf(confidence);
  return all.reduce((least, other) => (rank(other) > rank(least) ? other : least), finding);
}

/** In which of several clusters it is: all of them, because each needs the fix. */
function renderContexts({ targets }: Fold, screen: Screen): string[] {
  const contexts = contextsOf(targets);
  if (contexts.length === 0) return [];
  const noun = contexts.length === 1 ? 'cluster' : 'clusters';
  return hang('  ', `In ${contexts.length} ${noun}: ${contexts.join(', ')}`, screen.width);
}

/** Other causes of the same objects, so that the next one is no surprise after the first is fixed. */
export function otherCauses(fold: Fold): Finding[] {
  const others = fold.items.flatMap((item) =>
    item.findings.filter((finding) => finding.role === 'cause' && finding.cause !== fold.cause),
  );
  return [...new Map(others.map((finding) => [`${finding.cause}|${finding.summary}`, finding])).values()];
}

/** If the fixes differ between objects, the title names the object whose fix is shown. */
export function fixTitle(fold: Fold, finding: Finding): string {
  const [first, ...others] = fold.items;
  const isShared = others.every((item) => isSameFix(findingOf(item, fold.cause)?.fix, finding.fix));
  return isShared || first === undefined ? 'Fix' : `Fix, shown for ${objectNameIn(first.target)}`;
}

function isSameFix(one: Finding['fix'] | undefined, other: Finding['fix']): boolean {
  return (
    one?.length === other.length &&
    one.every(
      ({ text, command, risk }, step) =>
        text === other[step]?.text && command === other[step].command && risk === other[step].risk,
    )
  );
}

export function findingOf(item: ReportItem | undefined, cause: string): Finding | undefined {
  const matching = item?.findings.filter((finding) => finding.cause === cause) ?? [];
  return matching.find((finding) => finding.role === 'cause') ?? matching[0];
}

function renderSubjects(fold: Fold, namespace: string | undefined, screen: Screen): string[] {
  const items = new Map(fold.items.map((item) => [objectKey(item.target), item]));
  const shown = cut(fold.targets, screen);
  const nameWidth = widest(shown.map(objectName));
  const placeWidth = widest(shown.map((target) => placeOf(target, namespace)));
  const told = new Set((findingOf(fold.items[0], fold.cause)?.evidence ?? []).map((piece) => JSON.stringify(piece)));
  const lines = shown.flatMap((target) => {
    const item = items.get(objectKey(target));
    const state = item === undefined ? '' : statusText(item, screen);
    const columns = [
      padEnd(objectName(target), nameWidth),
      padEnd(placeOf(target, namespace), placeWidth),
      state,
      uidOf(target, screen),
    ];
    const own = screen.wide && item !== undefined ? renderOwn(item, fold.cause, told, screen) : [];
    return [
      ...renderSubject(
        columns.filter((column) => column !== ''),
        screen,
      ),
      ...own,
    ];
  });
  return ['', 'Stuck on it', ...lines, ...renderLeft(fold.targets.length - shown.length)];
}

/** In columns, or wrapped on a narrow screen. */
function renderSubject(columns: readonly string[], screen: Screen): string[] {
  const aligned = `  ${columns.join('  ')}`.trimEnd();
  return displayWidth(aligned) <= screen.width
    ? [aligned]
    : hang('  ', columns.map((column) => column.trim()).join('  '), screen.width, 6);
}

/** The findings on this object that the evidence of the first one does not cover. */
function renderOwn(item: ReportItem, cause: string, told: ReadonlySet<string>, screen: Screen): string[] {
  const own = (findingOf(item, cause)?.evidence ?? []).filter((piece) => !told.has(JSON.stringify(piece)));
  const rest = item.findings.filter((finding) => finding.role !== 'cause');
  return [
    ...renderEvidence(own, item.target.namespace, screen, 4),
    ...rest.flatMap((finding) =>
      hang('    ', `${finding.role}, ${finding.cause}: ${screen.theme.prose(finding.summary)}`, screen.width, 6),
    ),
    ...rest.flatMap((finding) => renderEvidence(finding.evidence, item.target.namespace, screen, 6)),
  ];
}

function placeOf(target: ObjectRef, home: string | undefined): string {
  const namespace = target.namespace === undefined || target.namespace === home ? '' : `namespace ${target.namespace}`;
  const context = target.context === undefined ? '' : `context ${target.context}`;
  return [context, namespace].filter((part) => part !== '').join('  ');
}

function uidOf(target: ObjectRef, screen: Screen): string {
  return screen.wide && target.uid !== undefined ? `uid ${target.uid}` : '';
}

function cut<T>(list: readonly T[], screen: Screen): readonly T[] {
  return screen.wide || list.length <= enoughSubjects + 1 ? list : list.slice(0, enoughSubjects);
}

function renderLeft(left: number): string[] {
  return left > 0 ? [`  and ${left} more (-o wide lists them)`] : [];
}

/** A line or two for each target: its name, its namespace, and the sentence about it. */
export function renderList(items: readonly ReportItem[], screen: Screen): string[] {
  const shown = cut(items, screen);
  const lines = shown.flatMap((item) => {
    const { theme } = screen;
    const glyph = theme.glyph[statusState[item.status]];
    const context = item.context === undefined ? '' : `  context ${item.context}`;
    const place = `${item.target.namespace === undefined ? '' : `  namespace ${item.target.namespace}`}${context}`;
    const uid = uidOf(item.target, screen);
    const cause = item.cause === undefined ? '' : `${item.cause}: `;
    const [head = '', ...rest] = hang(
      `  ${glyph} `,
      `${objectName(item.target)}${place}  ${statusText(item, screen)}${uid === '' ? '' : `  ${uid}`}`,
      screen.width,
      6,
    );
    return [
      head.replace(glyph, () => theme.paint(statusStyle[item.status], glyph)),
      ...rest,
      ...hang('      ', theme.prose(cause + item.summary), screen.width),
    ].filter((line) => line.trim() !== '');
  });
  return [...lines, ...renderLeft(items.length - shown.length)];
}
