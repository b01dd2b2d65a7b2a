import type { CheckReport } from '../../core/report/check.ts';
import { cutTexts, cutList, fill, leftOut } from '../bounds.ts';
import { causesTable, placesOf } from '../causes-table.ts';
import { homeOf } from '../contexts.ts';
import { evidenceList, fixList, moreAbout } from '../finding.ts';
import { chip, mark } from '../marks.ts';
import { html } from '../markup.ts';
import type { Markup } from '../markup.ts';
import { ageCell, agesAt } from '../moment.ts';
import type { AgeOf } from '../moment.ts';
import type { LivePage } from '../live.ts';
import { renderPage } from '../page.ts';
import type { Total } from '../page.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';
import { countObjects, objectName } from '../../terminal/verdict/nouns.ts';
import { groupFindings, objectWords, oldestSince, subjectList } from '../../terminal/check/groups.ts';
import type { CheckGroup } from '../../terminal/check/groups.ts';
import { resultGlyph, verdictWords } from '../../terminal/check/verdict.ts';
import { cardTable } from '../table.ts';
import { prose } from '../prose.ts';

const severityStates = { blocking: 'blocked', warning: 'waiting', info: 'open' } as const;
const mostSubjects = 100;

/** The result of `check` as a page: the artefact of a job. */
export function renderCheckPage(untrusted: CheckReport, live?: LivePage): string {
  const report = cutTexts(sanitiseReport(untrusted));
  const ageOf = agesAt(report.takenAt);
  const groups = groupFindings(report.findings);
  const fresh = groups.filter(({ outcome }) => outcome === 'new');
  const cards = fill(fresh, (group, index) => groupCard(group, `c${index + 1}`, ageOf, index < 3));
  const words = verdictWords(report);
  return renderPage(
    {
      title: report.namespace === undefined ? 'Storage check' : `Storage check of namespace ${report.namespace}`,
      answer: `${words.charAt(0).toUpperCase()}${words.slice(1)}.`,
      state: resultGlyph[report.result],
      source: report.source,
      unread: report.unread,
      takenAt: report.takenAt,
      facts: [['Fails on', report.failOn]],
      totals: totalsOf(report),
    },
    [
      fresh.length < 2 ? undefined : overview(fresh, cards.shown.length, ageOf),
      fresh.length === 0
        ? undefined
        : html`<div>
            <h2>Findings</h2>
            ${cards.shown}${leftOut(cards.left, cards.left === 1 ? 'finding' : 'findings')}
          </div>`,
      unknownTable(report),
      asideTable(groups.filter(({ outcome }) => outcome !== 'new')),
      notes(report),
    ],
    live,
  );
}

function totalsOf({ summary }: CheckReport): Total[] {
  return [
    { count: summary.blocking, word: 'blocking', state: summary.blocking > 0 ? 'blocked' : 'unreached' },
    { count: summary.warning, word: 'warnings', state: summary.warning > 0 ? 'waiting' : 'unreached' },
    { count: summary.unknown, word: 'not known', state: summary.unknown > 0 ? 'unknown' : 'unreached' },
    { count: summary.info, word: 'waiting', state: 'unreached' },
    { count: summary.ignored + summary.known, word: 'ignored or known', state: 'unreached' },
    { count: summary.healthy, word: 'claims healthy', state: summary.healthy > 0 ? 'passed' : 'unreached' },
  ];
}

function overview(groups: readonly CheckGroup[], detailed: number, ageOf: AgeOf): Markup {
  const rows = groups.map((group, index) => ({
    cause: group.id,
    ...(index < detailed && { anchor: `c${index + 1}` }),
    mark: mark(severityStates[group.severity], group.severity),
    count: countObjects(group.findings.map(({ object }) => object)),
    oldest: oldestSince(group),
    places: placesOf(group.findings.map(({ object }) => object)),
    summary: group.summary,
  }));
  return html`<section aria-labelledby="overview">
    <h2 id="overview">Overview</h2>
    ${causesTable(rows, 'One line per cause: the worst comes first.', ageOf)}
  </section>`;
}

function groupCard(group: CheckGroup, anchor: string, ageOf: AgeOf, isOpen: boolean): Markup {
  const [first] = group.findings;
  const count = countObjects(group.findings.map(({ object }) => object));
  const name = group.findings.length === 1 ? objectWords(first.object) : count;
  const title = group.findings.length > 1 ? `Fix, shown for ${objectName(first.object)}` : 'Fix';
  const content = html`<summary>
      <h3>${mark(severityStates[group.severity], '')} ${group.id}</h3>
      <span class="note">${group.severity}, ${name}, ${first.confidence}</span>
    </summary>
    <p class="lead">${prose(group.summary)}</p>
    ${evidenceList(first.evidence, first.object.namespace, ageOf)} ${fixList(first.fix, title)}
    ${group.findings.length > 1 ? subjects(group, ageOf) : undefined}
    ${group.type === 'cause' ? moreAbout(group.id) : undefined}`;
  return isOpen
    ? html`<details class="card" id="${anchor}" data-item open>${content}</details>`
    : html`<details class="card" id="${anchor}" data-item>${content}</details>`;
}

function subjects({ findings }: CheckGroup, ageOf: AgeOf): Markup {
  const { shown, left } = cutList(findings, mostSubjects);
  return html`<h4>Objects</h4>
    ${cardTable(
      ['Object', 'Namespace', 'For', 'Finding'],
      shown.map(
        ({ object, since, summary }) =>
          html`<tr>
            <th scope="row" class="name">${objectName(object)}</th>
            <td data-title="in">${homeOf(object)}</td>
            <td class="key" data-title="for">${ageCell(since, ageOf)}</td>
            <td>${prose(summary)}</td>
          </tr>`,
      ),
    )}
    ${leftOut(left, left === 1 ? 'object' : 'objects')}`;
}

function unknownTable({ unknown }: CheckReport): Markup | undefined {
  if (unknown.length === 0) return undefined;
  const { shown, left } = cutList(unknown);
  return html`<section aria-labelledby="unknown">
    <h2 id="unknown">${mark('unknown', 'Not known')}</h2>
    ${cardTable(
      ['Object', 'Why'],
      shown.map(
        ({ object, summary }) =>
          html`<tr data-item>
            <th scope="row" class="name">${objectWords(object)}</th>
            <td>${prose(summary)}</td>
          </tr>`,
      ),
    )}
    ${leftOut(left, left === 1 ? 'object' : 'objects')}
  </section>`;
}

/** What was found and does not count: without this section it would look healthy. */
function asideTable(groups: readonly CheckGroup[]): Markup | undefined {
  if (groups.length === 0) return undefined;
  const { shown, left } = cutList(groups);
  return html`<section aria-labelledby="aside">
    <h2 id="aside">Not counted</h2>
    ${cardTable(
      ['Finding', 'Objects', 'Because'],
      shown.map(
        (group) =>
          html`<tr data-item>
            <th scope="row"><code>${group.id}</code> ${chip(severityStates[group.severity], group.severity)}</th>
            <td class="name">${subjectList(group, 5)}</td>
            <td>${becauseOf(group)}</td>
          </tr>`,
      ),
    )}
    ${leftOut(left, left === 1 ? 'finding' : 'findings')}
  </section>`;
}

function becauseOf({ outcome, findings: [{ ignoredBy, reason }] }: CheckGroup): string {
  if (outcome === 'known') return 'in the baseline';
  return `ignored by ${ignoredBy ?? ''}${reason === undefined ? '' : `: ${reason}`}`;
}

function notes({ unusedIgnores, gone }: CheckReport): Markup | undefined {
  if (unusedIgnores.length + gone.length === 0) return undefined;
  const resolved = cutList(gone, 50);
  return html`<section aria-labelledby="notes">
    <h2 id="notes">Notes</h2>
    <ul>
      ${cutList(unusedIgnores, 50).shown.map((entry) => html`<li><code>${entry}</code> ignores nothing and can be removed.</li>`)}
      ${resolved.shown.map((entry) => html`<li>Resolved since the baseline: <code>${entry.id}</code> ${objectWords(entry)}</li>`)}
    </ul>
    ${leftOut(resolved.left, 'resolved findings')}
  </section>`;
}
