import type { Report, ReportItem } from '../../core/report/report.ts';
import { renderBlock } from './block.ts';
import { renderFolds, renderList, renderLoose } from './fold.ts';
import { countObjects, sharedNamespace } from './nouns.ts';
import { sanitise, sanitiseReport } from '../sanitise.ts';
import { createScreen } from '../screen.ts';
import type { Screen, TextOptions } from '../screen.ts';
import { renderSource } from './source.ts';
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
  const healthy = report.items.filter((item) => item.status === 'healthy' && (options.named === true || screen.wide));
  return [...renderMany(report, healthy, screen), ...renderCounts(report, scope, screen)];
}

function renderMany(report: Report, healthy: readonly ReportItem[], screen: Screen): string[] {
  const rule = screen.theme.paint('faint', screen.theme.rule.repeat(Math.min(screen.width, 80)));
  const folds = renderFolds(report, screen);
  const lists = [
    renderLoose(report, 'blocked', 'blocked', screen),
    renderLoose(report, 'unknown', 'not known', screen),
    renderLoose(report, 'waiting', 'waiting, which is no fault', screen),
    healthy.length === 0 ? [] : [screen.theme.paint('strong', 'healthy'), ...renderList(healthy, screen)],
    renderUnread([...(report.unread ?? []), ...report.items.flatMap((item) => item.unread)], screen),
  ].filter((list) => list.length > 0);
  const lines = folds.flatMap((fold, index) => (index === 0 ? fold : ['', rule, '', ...fold]));
  if (folds.length > 0) lines.push('', rule);
  for (const list of lists) lines.push(...(lines.length === 0 ? [] : ['']), ...list);
  return lines.length === 0 ? [] : [...lines, ''];
}

/** The last line: how many are in which state, or that nothing is stuck. */
function renderCounts(report: Report, scope: string, screen: Screen): string[] {
  const { blocked, waiting, healthy, unknown } = report.summary;
  if (blocked === 0 && unknown === 0) return hang('', sayNothingStuck(report, scope), screen.width);
  const counts = [
    [blocked, 'blocked'],
    [unknown, 'unknown'],
    [waiting, 'waiting'],
    [healthy, 'healthy'],
  ] as const;
  return hang(
    '',
    counts
      .filter(([count]) => count > 0)
      .map(([count, word]) => `${count} ${word}`)
      .join(', '),
    screen.width,
  );
}

function scopeOf(report: Report, options: TextOptions): string {
  const namespace = sharedNamespace(report.items.map((item) => item.target));
  const scope = options.scope === undefined ? namespace && `namespace ${namespace}` : sanitise(options.scope);
  return scope === undefined ? '' : ` in ${scope}`;
}

function sayNothingStuck(report: Report, scope: string): string {
  const total = countAll(report);
  if (total === 0)
    return isBlindReport(report)
      ? `nothing stuck was found${scope}, but not all could be read`
      : `nothing is stuck${scope}: there are no claims`;
  const looked = `${lookedAt(report.items, total)} looked at`;
  const waits = report.summary.waiting === 0 ? '' : `, ${report.summary.waiting} waiting by design`;
  const isBlind = isBlindReport(report);
  return `nothing ${isBlind ? 'was seen' : 'is'} stuck${scope}: ${looked}${waits}${isBlind ? ', but not all could be read' : ''}`;
}

function isBlindReport(report: Report): boolean {
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
