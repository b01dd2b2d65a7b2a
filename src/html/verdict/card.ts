import type { Finding, ReportItem } from '../../core/report/report.ts';
import { stuckSince } from '../../core/report/stuck-since.ts';
import { findingOf, fixTitle, otherCauses } from '../../terminal/verdict/fold.ts';
import type { Fold } from '../../terminal/verdict/fold.ts';
import { countObjects, objectName, objectNameIn, sharedNamespace } from '../../terminal/verdict/nouns.ts';
import { oldestOf } from '../../terminal/verdict/summary.ts';
import { cutList, leftOut } from '../bounds.ts';
import { placesOf } from '../causes-table.ts';
import { homeOf } from '../contexts.ts';
import { briefList, evidenceList, fixList, moreAbout } from '../finding.ts';
import { journey } from '../journey.ts';
import { chip, mark } from '../marks.ts';
import { html } from '../markup.ts';
import type { Markup, Part } from '../markup.ts';
import { ageCell } from '../moment.ts';
import type { AgeOf } from '../moment.ts';
import { itemStates } from './states.ts';
import { cardTable } from '../table.ts';
import { prose } from '../prose.ts';

const mostSubjects = 100;

interface Card {
  readonly anchor: string;
  readonly isOpen: boolean;
  readonly title: Part;
  readonly aside: Part;
  readonly body: Part;
}

/** What can be folded away; open it is a section of the page. */
function card({ anchor, isOpen, title, aside, body }: Card): Markup {
  const content = html`<summary>
      <h3>${title}</h3>
      <span class="note">${aside}</span>
    </summary>
    ${body}`;
  return isOpen
    ? html`<details class="card" id="${anchor}" data-item open>${content}</details>`
    : html`<details class="card" id="${anchor}" data-item>${content}</details>`;
}

/** One cause: the journey, evidence and fix of its first object, and the names of all. */
export function foldCard(fold: Fold, anchor: string, ageOf: AgeOf, isOpen: boolean): Markup {
  const [first] = fold.items;
  if (first === undefined) return html``;
  if (fold.targets.length === 1) return itemCard(first, anchor, ageOf, isOpen);
  const home = sharedNamespace(fold.targets);
  const finding = findingOf(first, fold.cause);
  const age = ageOf(oldestOf(fold.items));
  return card({
    anchor,
    isOpen,
    title: html`${mark(itemStates[first.status], '')} ${fold.cause}`,
    aside: html`${countObjects(fold.targets)} in
    ${placesOf(fold.targets)}${age === undefined ? '' : `, oldest ${age}`}${confidenceOf(finding)}`,
    body: [
      html`<p class="lead">${prose(fold.summary)}</p>`,
      html`<h4>Journey of ${objectNameIn(first.target)}</h4>`,
      journey(first.stages, first.stage, ageOf),
      evidenceList(finding?.evidence ?? [], home, ageOf),
      finding && fixList(finding.fix, fixTitle(fold, finding)),
      subjectTable(fold, ageOf),
      briefList('Also', otherCauses(fold)),
      moreAbout(fold.cause),
    ],
  });
}

function confidenceOf(finding: Finding | undefined): string {
  return finding === undefined ? '' : `, ${finding.confidence}`;
}

function subjectTable({ items, targets }: Fold, ageOf: AgeOf): Markup {
  const { shown } = cutList(items, mostSubjects);
  return html`<h4>Stuck on it</h4>
    ${cardTable(
      ['Object', 'Namespace', 'State', 'For'],
      shown.map(
        (item) =>
          html`<tr>
            <th scope="row" class="name">${objectName(item.target)}</th>
            <td data-title="in">${homeOf(item.target)}</td>
            <td>${item.phase ?? item.status}</td>
            <td class="key" data-title="for">${ageCell(stuckSince(item), ageOf)}</td>
          </tr>`,
      ),
    )}
    ${leftOut(targets.length - shown.length, 'objects')}`;
}

const labels = { blocked: 'Cause', waiting: 'Waiting', healthy: 'Note', unknown: 'Cause' } as const;

/** Everything about one target. */
export function itemCard(item: ReportItem, anchor: string, ageOf: AgeOf, isOpen: boolean): Markup {
  const { target, status, phase, cause, summary, stages, stage, findings } = item;
  const causes = findings.filter(({ role }) => role === 'cause');
  const age = status === 'healthy' ? undefined : ageOf(stuckSince(item));
  const context = target.context === undefined ? '' : ` in ${target.context}`;
  const place =
    context + (target.namespace === undefined ? '' : `${context === '' ? ' in' : ','} namespace ${target.namespace}`);
  const isSaidBelow = causes[0]?.summary === summary;
  return card({
    anchor,
    isOpen,
    title: html`${mark(itemStates[status], '')} ${cause ?? objectName(target)}`,
    aside: html`${objectName(target)}${place},
    ${phase ?? status}${age === undefined ? '' : ` for ${age}`}${confidenceOf(causes[0])}`,
    body: [
      isSaidBelow || summary === '' ? undefined : html`<p class="lead">${prose(summary)}</p>`,
      journey(stages, stage, ageOf),
      causes.map((finding, index) =>
        causeBlock(finding, index === 0 ? (labels[status] ?? 'Cause') : 'Also', item, ageOf),
      ),
      briefList(
        'Follows from the cause',
        findings.filter(({ role }) => role === 'consequence'),
      ),
      briefList(
        'Advice',
        findings.filter(({ role }) => role === 'advice'),
      ),
    ],
  });
}

function causeBlock(finding: Finding, label: string, { target, status }: ReportItem, ageOf: AgeOf): Markup {
  return html`<h4>${label}</h4>
    <p>${chip(itemStates[status], finding.cause)} <span class="note">${finding.confidence}</span></p>
    <p class="lead">${prose(finding.summary)}</p>
    ${evidenceList(finding.evidence, target.namespace, ageOf)}
    ${fixList(finding.fix, status === 'waiting' ? 'Next' : 'Fix')} ${moreAbout(finding.cause)}`;
}
