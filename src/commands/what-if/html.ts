import type { Place, WhatIfEffect, WhatIfReport } from '../../core/report/what-if.ts';
import { cutList, cutTexts, fill, leftOut } from '../../html/bounds.ts';
import { evidenceList, fixList, moreAbout } from '../../html/finding.ts';
import { mark } from '../../html/marks.ts';
import { html } from '../../html/markup.ts';
import type { Markup } from '../../html/markup.ts';
import { agesAt } from '../../html/moment.ts';
import type { AgeOf } from '../../html/moment.ts';
import { renderPage } from '../../html/page.ts';
import type { Total } from '../../html/page.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';
import { countObjects, objectName, objectNameFrom } from '../../terminal/verdict/nouns.ts';
import { lookOf } from './text.ts';
import { effectWords, summaryWords } from './words.ts';
import { cardTable } from '../../html/table.ts';

const mostObjects = 100;
const verdictStates = { breaks: 'blocked', safe: 'passed', unknown: 'unknown' } as const;

/** What an operation would do, as a page for its review. */
export function renderWhatIfPage(untrusted: WhatIfReport): string {
  const report = cutTexts(sanitiseReport(untrusted));
  const ageOf = agesAt(report.takenAt);
  const cards = fill(report.effects, (effect) => effectCard(effect, ageOf));
  return renderPage(
    {
      title: `What if: ${report.operations.map(({ text }) => text).join(' + ')}`,
      answer: summaryWords(report),
      state: verdictStates[report.verdict],
      source: report.source,
      unread: report.unread,
      takenAt: report.takenAt,
      totals: totalsOf(report),
    },
    [
      report.effects.length === 0
        ? html`<section>
            <h2>Effects</h2>
            <p>Nothing related to storage would change.</p>
          </section>`
        : html`<div>
            <h2>Effects</h2>
            ${cards.shown}${leftOut(cards.left, cards.left === 1 ? 'effect' : 'effects')}
          </div>`,
      unforeseenSection(report),
    ],
  );
}

function totalsOf({ summary }: WhatIfReport): Total[] {
  const { breaks, waits, notStarting, volumesDeleted } = summary;
  return [
    { count: breaks, word: 'effects that break', state: breaks > 0 ? 'blocked' : 'unreached' },
    { count: waits, word: 'to wait for', state: waits > 0 ? 'waiting' : 'unreached' },
    { count: notStarting, word: 'pods not starting', state: notStarting > 0 ? 'blocked' : 'unreached' },
    { count: volumesDeleted, word: 'volumes deleted', state: volumesDeleted > 0 ? 'blocked' : 'unreached' },
  ];
}

function effectCard(effect: WhatIfEffect, ageOf: AgeOf): Markup {
  const { cause, confidence, summary, objects, places = [], evidence, prevention, fix } = effect;
  const aside = [cause, countObjects(objects), confidence].filter((part) => part !== undefined).join(', ');
  const content = html`<summary>
      <h3>${mark(lookOf(effect), '')} ${effectWords[effect.effect] ?? effect.effect}</h3>
      <span class="note">${aside}</span>
    </summary>
    <p class="lead">${summary}</p>
    ${places.length > 0 ? placeList(places) : objectList(objects)}
    ${evidenceList(evidence, objects[0]?.namespace, ageOf)} ${fixList(prevention, 'Before you start')}
    ${fixList(fix, 'Once it has happened')} ${cause === undefined ? undefined : moreAbout(cause)}`;
  return effect.severity === 'breaks'
    ? html`<details class="card" data-item open>${content}</details>`
    : html`<details class="card" data-item>${content}</details>`;
}

function objectList(objects: WhatIfEffect['objects']): Markup | undefined {
  if (objects.length === 0) return undefined;
  const { shown, left } = cutList(objects, mostObjects);
  return html`<p>${shown.map((object) => objectNameFrom(object, undefined)).join(', ')}</p>
    ${leftOut(left, left === 1 ? 'object' : 'objects')}`;
}

function placeList(places: readonly Place[]): Markup {
  const { shown, left } = cutList(places, mostObjects);
  return html`${cardTable(['Object', 'Namespace', 'Nodes that fit'], shown.map(placeRow))}
  ${leftOut(left, left === 1 ? 'object' : 'objects')}`;
}

function placeRow({ object, fits, nodes }: Place): Markup {
  const more = fits > nodes.length ? ` and ${fits - nodes.length} more` : '';
  return html`<tr>
    <th scope="row" class="name">${objectName(object)}</th>
    <td data-title="in">${object.namespace ?? '-'}</td>
    <td>${fits}: ${nodes.join(', ')}${more}</td>
  </tr>`;
}

function unforeseenSection({ unforeseen }: WhatIfReport): Markup | undefined {
  if (unforeseen.length === 0) return undefined;
  return html`<section aria-labelledby="unforeseen">
    <h2 id="unforeseen">Cannot be foreseen</h2>
    <ul>
      ${cutList(unforeseen).shown.map((one) => html`<li>${one}</li>`)}
    </ul>
  </section>`;
}
