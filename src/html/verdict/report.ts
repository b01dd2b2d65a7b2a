import type { Report, ReportItem, StageState, Status } from '../../core/report/report.ts';
import { stuckSince } from '../../core/report/stuck-since.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';
import { foldsOf, looseItems } from '../../terminal/verdict/fold.ts';
import type { Fold } from '../../terminal/verdict/fold.ts';
import { countObjects, objectName } from '../../terminal/verdict/nouns.ts';
import { oldestOf } from '../../terminal/verdict/summary.ts';
import { saySeveral } from '../../terminal/verdict/several.ts';
import { allUnread, isBlindReport, sayCounts, scopeOf } from '../../terminal/verdict/text.ts';
import { cutList, cutTexts, fill, leftOut } from '../bounds.ts';
import { causesTable, placesOf } from '../causes-table.ts';
import { homeOf } from '../contexts.ts';
import { chip, mark } from '../marks.ts';
import { html } from '../markup.ts';
import type { Markup } from '../markup.ts';
import { ageCell, agesAt } from '../moment.ts';
import type { AgeOf } from '../moment.ts';
import type { LivePage } from '../live.ts';
import { renderPage } from '../page.ts';
import type { Total } from '../page.ts';
import { foldCard, itemCard } from './card.ts';
import { itemStates } from './states.ts';
import { cardTable } from '../table.ts';
import { prose } from '../prose.ts';

export interface ReportPageOptions {
  /** The targets were named, so each of them is shown, healthy or not. */
  readonly named?: boolean;
  /** Where the command searched, in words. */
  readonly scope?: string;
  /** Of a page that a server keeps up to date. */
  readonly live?: LivePage;
}

/** The report of `why` and `why-pending` as a page. */
export function renderReportPage(untrusted: Report, options: ReportPageOptions): string {
  const report = cutTexts(sanitiseReport(untrusted));
  const ageOf = agesAt(report.takenAt);
  const scope = scopeOf(report, options);
  const [only] = report.items;
  const isOne =
    report.source.contexts === undefined &&
    report.items.length === 1 &&
    only !== undefined &&
    (options.named === true || only.status !== 'healthy');
  const head = isOne
    ? { title: titleOf(only), answer: only.summary || only.status, state: itemStates[only.status] }
    : { title: `Stuck storage${scope}`, answer: answerOf(report, options), state: stateOf(report) };
  return renderPage(
    {
      ...head,
      source: report.source,
      unread: allUnread(report),
      takenAt: report.takenAt,
      ...(isOne ? { facts: [...factsOf(only, ageOf), inAll(report, scope)] } : { totals: totalsOf(report) }),
    },
    [
      ...(isOne
        ? [
            html`<div>
              <h2>Diagnosis</h2>
              ${itemCard(only, 'i1', ageOf, true)}
            </div>`,
          ]
        : bodyOf(report, options, ageOf)),
    ],
    options.live,
  );
}

function answerOf(report: Report, options: ReportPageOptions): string {
  return report.source.contexts === undefined
    ? sayCounts(report, scopeOf(report, options))
    : saySeveral(report, options);
}

function titleOf({ target }: ReportItem): string {
  return target.namespace === undefined ? objectName(target) : `${objectName(target)} in namespace ${target.namespace}`;
}

function factsOf(item: ReportItem, ageOf: AgeOf): [string, string | undefined][] {
  const age = item.status === 'healthy' ? undefined : ageOf(stuckSince(item));
  return [
    ['State', `${item.phase ?? item.status}${age === undefined ? '' : ` for ${age}`}`],
    ['UID', item.target.uid],
  ];
}

/** The other objects that were judged, if any. */
function inAll(report: Report, scope: string): [string, string | undefined] {
  const { blocked, unknown, waiting, healthy } = report.summary;
  return ['In all', blocked + unknown + waiting + healthy > 1 ? sayCounts(report, scope) : undefined];
}

function stateOf(report: Report): StageState {
  const { blocked, unknown, waiting, healthy } = report.summary;
  if (blocked > 0) return 'blocked';
  if (unknown > 0 || isBlindReport(report)) return 'unknown';
  return waiting > 0 && healthy === 0 ? 'waiting' : 'passed';
}

function totalsOf(report: Report): Total[] {
  const { blocked, unknown, waiting, healthy } = report.summary;
  const causes = foldsOf(report).length;
  return [
    { count: blocked, word: 'blocked', state: blocked > 0 ? 'blocked' : 'unreached' },
    ...(unknown > 0 ? [{ count: unknown, word: 'not known', state: 'unknown' } as const] : []),
    { count: waiting, word: 'waiting (expected)', state: waiting > 0 ? 'waiting' : 'unreached' },
    { count: healthy, word: 'healthy', state: healthy > 0 ? 'passed' : 'unreached' },
    ...(causes > 0 ? [{ count: causes, word: causes === 1 ? 'cause' : 'causes', state: 'unreached' } as const] : []),
  ];
}

function bodyOf(report: Report, { named }: ReportPageOptions, ageOf: AgeOf): (Markup | undefined)[] {
  const folds = foldsOf(report);
  const isFew = folds.length <= 3;
  const cards = fill(folds, (fold, index) => foldCard(fold, `c${index + 1}`, ageOf, isFew || index === 0));
  return [
    folds.length < 2 ? undefined : overview(folds, cards.shown.length, ageOf),
    folds.length === 0
      ? undefined
      : html`<div>
          <h2>${folds.length === 1 ? 'Cause' : 'Causes in detail'}</h2>
          ${cards.shown}${leftOut(cards.left, cards.left === 1 ? 'cause' : 'causes')}
        </div>`,
    looseTable(looseItems(report, 'blocked'), 'Blocked without a known cause', ageOf),
    looseTable(looseItems(report, 'unknown'), 'Not known', ageOf),
    looseTable(looseItems(report, 'waiting'), 'Waiting (expected)', ageOf),
    looseTable(named === true ? report.items.filter(({ status }) => status === 'healthy') : [], 'Healthy', ageOf),
  ];
}

function overview(folds: readonly Fold[], detailed: number, ageOf: AgeOf): Markup {
  const rows = folds.map(({ cause, items, targets, summary }, index) => ({
    cause,
    ...(index < detailed && { anchor: `c${index + 1}` }),
    mark: mark(itemStates[items[0]?.status ?? 'unknown'], items[0]?.status === 'blocked' ? '' : 'not known'),
    count: countObjects(targets),
    oldest: oldestOf(items),
    places: placesOf(targets),
    summary,
  }));
  return html`<section aria-labelledby="overview">
    <h2 id="overview">Overview</h2>
    ${causesTable(rows, 'One line per cause: what has stopped most comes first.', ageOf)}
  </section>`;
}

const glyphWords: Readonly<Record<Status, string>> = {
  blocked: 'blocked',
  unknown: 'not known',
  waiting: 'waiting',
  healthy: 'healthy',
};

/** What belongs to no fold: a row for each object. */
function looseTable(items: readonly ReportItem[], title: string, ageOf: AgeOf): Markup | undefined {
  if (items.length === 0) return undefined;
  const { shown, left } = cutList(items);
  return html`<section>
    <h2>${title}</h2>
    ${cardTable(
      ['Object', 'Namespace', 'State', 'Since', 'Why'],
      shown.map(
        (item) =>
          html`<tr data-item>
            <th scope="row" class="name">${objectName(item.target)}</th>
            <td data-title="in">${homeOf(item.target)}</td>
            <td>${chip(itemStates[item.status], item.phase ?? glyphWords[item.status] ?? item.status)}</td>
            <td class="key" data-title="for">
              ${ageCell(item.status === 'healthy' ? undefined : stuckSince(item), ageOf)}
            </td>
            <td>${item.cause === undefined ? '' : html`<code>${item.cause}</code>: `}${prose(item.summary)}</td>
          </tr>`,
      ),
      countObjects(items.map(({ target }) => target)),
    )}
    ${leftOut(left, left === 1 ? 'object' : 'objects')}
  </section>`;
}
