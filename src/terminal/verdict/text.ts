import { shellWord } from '../../core/kube/shell-word.ts';
import type { Report, ReportItem, Unread } from '../../core/report/report.ts';
import { renderBlock } from './block.ts';
import { foldsOf, looseItems, renderFolds, renderList, renderLoose } from './fold.ts';
import type { Fold } from './fold.ts';
import { countObjects, objectName, sharedNamespace } from './nouns.ts';
import { sanitise, sanitiseReport } from '../sanitise.ts';
import { createScreen } from '../screen.ts';
import type { Screen, TextOptions } from '../screen.ts';
import { renderSource } from './source.ts';
import { renderSummary } from './summary.ts';
import { renderUnread } from './unread.ts';
import { hang } from '../wrap.ts';

/** The report as text: one target in full, several grouped by cause, or one line if nothing is stuck. */
export function renderText(untrusted: Report, options: TextOptions): string {
  const report = sanitiseReport(untrusted);
  const screen = createScreen(report.takenAt, options);
  const lines = [...renderBody(report, screen, options), ...renderSource(report, screen)];
  return `${lines.join('\n')}\n`;
}

function renderBody(report: Report, screen: Screen, options: TextOptions): string[] {
  const [only] = report.items;
  const scope = scopeOf(report, options);
  if (report.items.length === 1 && only !== undefined && (options.named === true || only.status !== 'healthy')) {
    const rest = countAll(report) > 1 ? ['', ...renderCounts(report, scope, screen)] : [];
    const block = renderBlock(only, screen);
    const unread =
      report.unread === undefined || report.unread.length === 0
        ? []
        : ['', ...renderUnread(report.unread, screen).filter((line) => !block.includes(line))];
    return [...block, ...unread, ...rest];
  }
  const folds = foldsOf(report);
  if (folds.length < 2) return [...renderFew(report, screen, options), ...renderCounts(report, scope, screen)];
  return [
    ...renderCounts(report, scope, screen),
    '',
    ...renderSummary(folds, stuckTable, screen),
    '',
    ...(screen.wide || options.details === true || showsDetails(report)
      ? renderFew(report, screen, options)
      : renderRest(report, folds, screen)),
  ];
}

export const stuckTable = { count: 'STUCK', sentence: 'WHAT IS WRONG', style: 'blocked' } as const;
const waitingTable = { count: 'WAITING', sentence: 'WHAT IT WAITS FOR', style: 'waiting' } as const;

/** Details of more causes than this are shown only on request. */
const enoughCauses = 3;

export function showsDetails(report: Report): boolean {
  return foldsOf(report).length <= enoughCauses;
}

/** What the table of causes leaves out, and how to see one in full. */
export function renderRest(report: Report, folds: readonly Fold[], screen: Screen): string[] {
  const loose = looseItems(report, 'blocked').concat(looseItems(report, 'unknown'));
  const { paint } = screen.theme;
  const sections = [
    loose.length === 0 ? [] : [paint('strong', 'Not explained'), ...renderList(loose, screen)],
    renderWaiting(report, screen),
    renderUnread(allUnread(report), screen),
    renderHint(folds, screen),
  ];
  return sections
    .filter((section) => section.length > 0)
    .flatMap((section, index) => (index === 0 ? section : ['', ...section]));
}

/** What waits by design, a line for each cause. */
export function renderWaiting(report: Report, screen: Screen): string[] {
  const waiting = Map.groupBy(looseItems(report, 'waiting'), ({ cause = '' }) => cause);
  const rows = [...waiting].map(([cause, items]) => ({ cause, items, summary: items[0]?.summary ?? '' }));
  return rows.length === 0
    ? []
    : [screen.theme.paint('strong', 'Waiting (expected)'), ...renderSummary(rows, waitingTable, screen)];
}

/** A command stands on its own line, so that it can be copied whole. */
function renderHint(folds: readonly Fold[], screen: Screen): string[] {
  const target = folds[0]?.items[0]?.target;
  if (target === undefined) return [];
  const place = target.namespace === undefined ? '' : ` -n ${shellWord(target.namespace)}`;
  const end = screen.endOf(target.context);
  const { text, command } = screen.hint ?? {
    text: 'Evidence and fix for one of them (--details shows all):',
    command: `kubectl csi why ${shellWord(objectName(target))}${place}${end}`,
  };
  return [text, `  $ ${screen.theme.paint('strong', command)}`];
}

export function renderFew(report: Report, screen: Screen, { named }: TextOptions): string[] {
  const healthy = report.items.filter((item) => item.status === 'healthy' && (named === true || screen.wide));
  const rule = screen.theme.paint('faint', screen.theme.rule.repeat(Math.min(screen.width, 80)));
  const folds = renderFolds(report, screen);
  const lists = [
    renderLoose(report, 'blocked', 'Blocked', screen),
    renderLoose(report, 'unknown', 'Not known', screen),
    renderLoose(report, 'waiting', 'Waiting (expected)', screen),
    healthy.length === 0 ? [] : [screen.theme.paint('strong', 'Healthy'), ...renderList(healthy, screen)],
    renderUnread(allUnread(report), screen),
  ].filter((list) => list.length > 0);
  const lines = folds.flatMap((fold, index) => (index === 0 && folds.length === 1 ? fold : [rule, '', ...fold, '']));
  if (folds.length === 1) lines.push('', rule);
  else if (folds.length > 1) lines.push(rule);
  for (const list of lists) lines.push(...(lines.length === 0 ? [] : ['']), ...list);
  return lines.length === 0 ? [] : [...lines, ''];
}

export function allUnread(report: Report): Unread[] {
  return [...(report.unread ?? []), ...report.items.flatMap((item) => item.unread)];
}

/** How many are in which state, or that nothing is stuck. */
function renderCounts(report: Report, scope: string, screen: Screen): string[] {
  return hang('', sayCounts(report, scope), screen.width);
}

/** `3 blocked (2 claims and 1 pod, 1 cause), 1 waiting`; `scope` is empty or begins with ` in `. */
export function sayCounts(report: Report, scope: string): string {
  const { blocked, waiting, healthy, unknown } = report.summary;
  if (blocked === 0 && unknown === 0) return sayNothingStuck(report, scope);
  const stuck = report.items.filter(({ status }) => status === 'blocked').map(({ target }) => target);
  const causes = foldsOf(report).length;
  const kinds =
    stuck.length === blocked ? ` (${countObjects(stuck)}, ${causes} ${causes === 1 ? 'cause' : 'causes'})` : '';
  const counts = [
    [blocked, `blocked${kinds}`],
    [unknown, 'unknown'],
    [waiting, 'waiting'],
    [healthy, 'healthy'],
  ] as const;
  return counts
    .filter(([count]) => count > 0)
    .map(([count, word]) => `${count} ${word}`)
    .join(', ');
}

export function scopeOf(report: Report, options: Pick<TextOptions, 'scope'>): string {
  const namespace = sharedNamespace(report.items.map((item) => item.target));
  const scope = options.scope === undefined ? namespace && `namespace ${namespace}` : sanitise(options.scope);
  return scope === undefined ? '' : ` in ${scope}`;
}

function sayNothingStuck(report: Report, scope: string): string {
  const total = countAll(report);
  if (total === 0)
    return isBlindReport(report)
      ? `Nothing stuck was found${scope}, but not everything could be read.`
      : `Nothing is stuck${scope}. There are no claims.`;
  const looked = `${lookedAt(report.items, total)} checked`;
  const waits = report.summary.waiting === 0 ? '' : `, ${report.summary.waiting} waiting (expected)`;
  const isBlind = isBlindReport(report);
  return isBlind
    ? `Nothing stuck was found${scope}, but not everything could be read: ${looked}${waits}.`
    : `Nothing is stuck${scope}: ${looked}${waits}.`;
}

export function isBlindReport(report: Report): boolean {
  return (report.unread ?? []).length > 0 || report.items.some((item) => item.unread.length > 0);
}

/** Healthy targets may be counted without being listed; then only their number is known. */
function lookedAt(items: readonly ReportItem[], total: number): string {
  if (items.length === total) return countObjects(items.map((item) => item.target));
  return `${total} ${total === 1 ? 'claim' : 'claims'}`;
}

function countAll(report: Report): number {
  const { blocked, waiting, healthy, unknown } = report.summary;
  return blocked + waiting + healthy + unknown;
}
