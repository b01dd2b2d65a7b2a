import type { Report } from '../../core/report/report.ts';
import { sanitise, sanitiseReport } from '../sanitise.ts';
import { createScreen } from '../screen.ts';
import type { Screen, TextOptions } from '../screen.ts';
import { hang } from '../wrap.ts';
import { countContexts, isWholeCluster, renderContexts } from './contexts.ts';
import { foldsOf } from './fold.ts';
import { contextsOf } from './nouns.ts';
import { renderSummary } from './summary.ts';
import {
  allUnread,
  isBlindReport,
  renderFew,
  renderRest,
  renderWaiting,
  sayCounts,
  showsDetails,
  stuckTable,
} from './text.ts';

/** The report on several clusters as text. */
export function renderSeveralText(untrusted: Report, options: TextOptions): string {
  const report = sanitiseReport(untrusted);
  const screen = createScreen(report.takenAt, options, report.source);
  return `${renderBody(report, screen, options).join('\n')}\n`;
}

/** Several clusters: the answer for all, each cause once, and then what became of the clusters themselves. */
function renderBody(report: Report, screen: Screen, options: TextOptions): string[] {
  const folds = foldsOf(report);
  // A cluster that could not be read is named among the clusters.
  const known = { ...report, unread: (report.unread ?? []).filter((entry) => !isWholeCluster(entry)) };
  const isFull = screen.wide || options.details === true || showsDetails(report);
  const sections = [
    hang('', saySeveral(report, options), screen.width),
    folds.length < 2 ? [] : renderSummary(folds, stuckTable, screen),
    isFull ? renderFew(screen.wide ? known : withoutWaiting(known), screen, options) : renderRest(known, folds, screen),
    isFull && !screen.wide ? renderWaiting(known, screen) : [],
    renderContexts(report.source, allUnread(report), screen),
  ].filter((lines) => lines.some((line) => line !== ''));
  return sections.flatMap((lines, index) => (index === 0 ? lines : ['', ...withoutLastBlank(lines)]));
}

/** In many clusters much waits by design: a line for each cause is enough. */
function withoutWaiting(report: Report): Report {
  return { ...report, items: report.items.filter(({ status }) => status !== 'waiting') };
}

const withoutLastBlank = (lines: readonly string[]): readonly string[] =>
  lines.at(-1) === '' ? lines.slice(0, -1) : lines;

/** `Storage is stuck in 7 of 40 clusters: 9 blocked (9 claims, 2 causes). 2 clusters could not be read.` */
export function saySeveral(report: Report, options: Pick<TextOptions, 'scope'>): string {
  const { contexts = [] } = report.source;
  const { total, unread, noun } = countContexts(report.source);
  const stuck = contextsOf(report.items.filter(({ status }) => status === 'blocked')).length;
  const scope = options.scope === undefined ? '' : ` (${sanitise(options.scope)})`;
  const counts = sayCounts({ ...report, unread: [] }, '');
  const lost = unread === 0 ? '' : ` ${unread} ${noun(unread)} could not be read.`;
  if (stuck > 0) return `Storage is stuck in ${stuck} of ${total} ${noun(total)}${scope}: ${counts}.${lost}`;
  // If the namespace does not exist, nothing was searched.
  const read = contexts.filter(({ status, takenAt }) => status === 'read' && takenAt !== undefined).length;
  const isKnown = unread === 0 && report.summary.unknown === 0 && !isBlindReport(report);
  const found = isKnown ? 'Nothing is stuck' : 'Nothing stuck was found';
  const where = read === total ? `${total} ${noun(total)}` : `${read} of ${total} ${noun(total)}`;
  // What exists in clusters that were not searched is not known.
  return `${found} in ${where}${scope}${read === 0 ? '.' : checkedWords(counts)}${lost}`;
}

/** What was searched, from the sentence for one cluster. */
function checkedWords(counts: string): string {
  const words = /^Noth/.test(counts) ? counts.replace(/^[^:.]*[:.]\s*/, '') : `${counts}.`;
  if (words === '') return '.';
  return /^[A-Z]/.test(words) ? `. ${words}` : `: ${words}`;
}
