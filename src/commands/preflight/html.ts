import { ownRefusals } from '../../core/report/preflight.ts';
import type { Objection, PreflightItem, PreflightReport } from '../../core/report/preflight.ts';
import { cutList, cutTexts, fill, leftOut } from '../../html/bounds.ts';
import { evidenceList, fixList, moreAbout } from '../../html/finding.ts';
import { chip, mark } from '../../html/marks.ts';
import { html } from '../../html/markup.ts';
import type { Markup } from '../../html/markup.ts';
import { agesAt } from '../../html/moment.ts';
import type { AgeOf } from '../../html/moment.ts';
import { renderPage } from '../../html/page.ts';
import type { Total } from '../../html/page.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';
import { objectName } from '../../terminal/verdict/nouns.ts';
import { looks, order, toldBefore, uniqueUnread } from './text.ts';
import { placeWords, statusWords, summaryWords } from './words.ts';
import { cardTable } from '../../html/table.ts';

/** What would become of the manifests, as a page for a review. */
export function renderPreflightPage(untrusted: PreflightReport): string {
  const report = cutTexts(sanitiseReport(untrusted));
  const ageOf = agesAt(report.takenAt);
  const sorted = order.flatMap((status) => report.items.filter((item) => item.status === status));
  const told = new Map<string, PreflightItem>();
  const detailed = sorted.filter((item) => item.objection !== undefined || item.warnings.length > 0);
  const anchors = new Map(detailed.map((item, index) => [item, `i${index + 1}`]));
  const cards = fill(detailed, (item) => itemCard(item, anchors.get(item) ?? '', toldBefore(item, told), ageOf));
  const shown = new Set(detailed.slice(0, cards.shown.length));
  return renderPage(
    {
      title: 'Storage preflight',
      answer: summaryWords(report),
      state: stateOf(report),
      source: report.source,
      unread: uniqueUnread(report),
      takenAt: report.takenAt,
      totals: totalsOf(report),
    },
    [
      sorted.length === 0 ? undefined : itemTable(sorted, (item) => (shown.has(item) ? anchors.get(item) : undefined)),
      detailed.length === 0
        ? undefined
        : html`<div>
            <h2>In detail</h2>
            ${cards.shown}${leftOut(cards.left, cards.left === 1 ? 'object' : 'objects')}
          </div>`,
    ],
  );
}

function stateOf({ summary, items }: PreflightReport): 'blocked' | 'unknown' | 'waiting' | 'passed' | 'unreached' {
  if (summary.wouldFail > 0) return 'blocked';
  if (summary.unknown > 0) return 'unknown';
  if (items.length === 0) return 'unreached';
  return summary.wouldWait > 0 ? 'waiting' : 'passed';
}

function totalsOf({ summary }: PreflightReport): Total[] {
  return [
    ...order.map((status): Total => ({
      count: summary[status],
      word: statusWords[status],
      state: summary[status] > 0 ? looks[status] : 'unreached',
    })),
    { count: summary.skipped, word: 'not judged', state: 'unreached' },
  ];
}

function itemTable(items: readonly PreflightItem[], anchorOf: (item: PreflightItem) => string | undefined): Markup {
  const { shown, left } = cutList(items, 1000);
  return html`<section aria-labelledby="objects">
    <h2 id="objects">Objects</h2>
    ${cardTable(
      ['Object', 'Namespace', 'Answer', 'File', 'Why'],
      shown.map((item) => itemRow(item, anchorOf(item))),
      'Nothing was created to find this out. The worst come first.',
    )}
    ${leftOut(left, left === 1 ? 'object' : 'objects')}
  </section>`;
}

function itemRow(item: PreflightItem, anchor: string | undefined): Markup {
  const name = objectName(item.object);
  const cause = item.cause === undefined ? '' : html`<code>${item.cause}</code>: `;
  return html`<tr data-item>
    <th scope="row" class="name">${anchor === undefined ? name : html`<a href="#${anchor}">${name}</a>`}</th>
    <td data-title="in">${item.object.namespace ?? '-'}</td>
    <td>${chip(looks[item.status], statusWords[item.status])}</td>
    <td class="name">${placeWords(item)}</td>
    <td>${cause}${item.summary}</td>
  </tr>`;
}

function itemCard(item: PreflightItem, anchor: string, sameAs: string | undefined, ageOf: AgeOf): Markup {
  const { objection, warnings, object, status } = item;
  const place = object.namespace === undefined ? '' : `namespace ${object.namespace}, `;
  const content = html`<summary>
      <h3>${mark(looks[status], '')} ${objectName(object)}</h3>
      <span class="note">${statusWords[status]}, ${place}${placeWords(item)}</span>
    </summary>
    ${objection === undefined ? html`<p class="lead">${item.summary}</p>` : ''}
    ${objection !== undefined && sameAs !== undefined ? html`<p class="lead">Same cause as ${sameAs}: <code>${objection.cause}</code></p>` : ''}
    ${objection !== undefined && sameAs === undefined ? [parts(item), objectionBlock(objection, item, ageOf)] : ''}
    ${warnings.map(
      (warning) =>
        html`<h4>Warning</h4>
          <p><code>${warning.cause}</code>: ${warning.summary}</p>
          ${fixList(warning.fix, 'Fix')}`,
    )}`;
  return html`<details class="card" id="${anchor}" data-item open>${content}</details>`;
}

function objectionBlock(objection: Objection, { object, status }: PreflightItem, ageOf: AgeOf): Markup {
  const waits = status === 'wouldWait';
  return html`<h4>${waits ? 'Waiting' : 'Cause'}</h4>
    <p>${chip(looks[status], objection.cause)} <span class="note">${objection.confidence}</span></p>
    <p class="lead">${objection.summary}</p>
    ${evidenceList(objection.evidence, object.namespace, ageOf)} ${fixList(objection.fix, waits ? 'Next' : 'Fix')}
    ${ownRefusals.some(({ id }) => id === objection.cause) ? undefined : moreAbout(objection.cause)}`;
}

function parts({ parts: made, status }: PreflightItem): Markup | undefined {
  const hit = made.filter((part) => part.status === status);
  if (hit.length === 0) return undefined;
  const { shown, left } = cutList(hit, 20);
  return html`<p>
    Of the ${made.length} objects it creates:
    ${shown.map(({ object }) => objectName(object)).join(', ')}${left > 0 ? ` and ${left} more` : ''}
  </p>`;
}
