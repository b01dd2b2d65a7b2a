import type { Trace, TraceAccount, TraceLink, TraceMoment, TraceSpan } from '../../core/report/trace.ts';
import type { StageState, Status } from '../../core/report/report.ts';
import { cutList, cutTexts, leftOut } from '../../html/bounds.ts';
import { commandBlock, moreAbout } from '../../html/finding.ts';
import { chip, mark, stateWords } from '../../html/marks.ts';
import { html } from '../../html/markup.ts';
import type { Markup } from '../../html/markup.ts';
import { agesAt } from '../../html/moment.ts';
import { renderPage } from '../../html/page.ts';
import { sanitiseReport } from '../../terminal/sanitise.ts';
import { objectName } from '../../terminal/verdict/nouns.ts';
import { durationText, nameOf as spanName, noteOf } from './account.ts';
import { labels, looks, nameOf } from './chain.ts';
import { renderLanes } from './lanes.ts';
import { offsetText, repeats } from './timeline.ts';
import { cardTable, numbers } from '../../html/table.ts';

const states: Readonly<Record<Status, StageState>> = {
  blocked: 'blocked',
  waiting: 'waiting',
  unknown: 'unknown',
  healthy: 'passed',
};
const headings = { blocked: 'Cause', waiting: 'Waiting', unknown: 'Not known', healthy: 'Healthy' } as const;
const mostMoments = 400;

/** The history of one volume as a page, with a timeline to scale. */
export function renderTracePage(untrusted: Trace): string {
  const trace = cutTexts(sanitiseReport(untrusted));
  const { target, verdict } = trace;
  const place = target.namespace === undefined ? '' : ` in namespace ${target.namespace}`;
  const age = verdict.status === 'healthy' ? undefined : agesAt(trace.takenAt)(verdict.since);
  return renderPage(
    {
      title: `Trace of ${objectName(target)}${place}`,
      answer: verdict.summary,
      state: states[verdict.status],
      source: trace.source,
      unread: trace.unread,
      takenAt: trace.takenAt,
      facts: [
        ['State', `${verdict.phase ?? verdict.status}${age === undefined ? '' : ` for ${age}`}`],
        ['UID', target.uid],
      ],
    },
    [verdictSection(trace), chainSection(trace), timelineSection(trace), trace.accounts.map(accountSection)],
  );
}

function verdictSection({ verdict }: Trace): Markup {
  const { status, cause, confidence, command } = verdict;
  return html`<section aria-labelledby="verdict">
    <h2 id="verdict">${headings[status]}</h2>
    <p>${chip(states[status], cause ?? status)} <span class="note">${confidence}</span></p>
    ${
      status === 'healthy'
        ? ''
        : html`<p class="note">${status === 'blocked' ? 'Evidence and fix:' : 'More:'}</p>
            ${commandBlock(command)}`
    }
    ${cause === undefined ? '' : moreAbout(cause)}
  </section>`;
}

function chainSection({ chain, target }: Trace): Markup | undefined {
  if (chain.length === 0) return undefined;
  return html`<section aria-labelledby="chain">
    <h2 id="chain">Chain of objects</h2>
    <ol class="chain">
      ${chain.map((link) => linkRow(link, target.namespace))}
    </ol>
  </section>`;
}

const linkWords: Readonly<Partial<Record<TraceLink['state'], string>>> = {
  ok: 'ok',
  failed: 'failed',
  missing: 'missing',
  pending: 'pending',
};

function linkRow(link: TraceLink, home: string | undefined): Markup {
  const look = link.isBroken ? 'blocked' : looks[link.state];
  const word = linkWords[link.state] ?? stateWords[look] ?? link.state;
  const name = link.object === undefined ? undefined : nameOf(link.role, link.object, home);
  const content = html`<b>${labels[link.role] ?? link.role}</b>${mark(look, word)}
    <div>
      ${name === undefined ? '' : html`<code>${name}</code> `}${link.summary}${
        link.isBroken ? html` ${chip('blocked', 'broken here')}` : ''
      }${(link.notes ?? []).map((note) => html`<br /><span class="note">${note}</span>`)}
    </div>`;
  return link.isBroken ? html`<li class="broken">${content}</li>` : html`<li>${content}</li>`;
}

function timelineSection(trace: Trace): Markup | undefined {
  if (trace.timeline.length === 0 || trace.start === undefined) return undefined;
  const { shown, left } = cutList(trace.timeline, mostMoments);
  const notes = [
    trace.timeline.some(({ certainty }) => certainty === 'latest') ? '≤ means at that time or earlier.' : '',
    trace.isWithoutEvents === true ? 'No events were found: rebuilt from the objects alone.' : '',
    'Clocks may differ by a second.',
  ];
  return html`<section aria-labelledby="timeline">
    <h2 id="timeline">Timeline</h2>
    <p>
      From ${trace.start.at}, when ${objectName(trace.start.object)} was created. Drawn to scale; the table below has
      every entry.
    </p>
    ${renderLanes(trace)}
    ${cardTable([numbers('After'), 'Time', 'Component', 'What'], shown.map(momentRow), notes.filter((note) => note !== '').join(' '))}
    ${leftOut(left, left === 1 ? 'entry' : 'entries')}
  </section>`;
}

function momentRow(moment: TraceMoment): Markup {
  const { at, offset, certainty, component, what, said, isTrouble, isMinor, sources } = moment;
  return html`<tr data-item>
    <td class="num">${certainty === 'latest' ? '≤ ' : ''}${offsetText(offset)}</td>
    <td class="key"><time>${at}</time></td>
    <th scope="row">${component}</th>
    <td>
      ${
        isTrouble ? html`${mark('blocked', 'trouble:')} ` : ''
      }${isMinor ? html`<span class="note">${what}</span>` : what}${repeats(moment)}${said === undefined ? '' : html`<br /><q class="quote">${said}</q>`}<br /><span
        class="note"
        >${cutList(sources, 6).shown.join('; ')}</span
      >
    </td>
  </tr>`;
}

function accountSection(account: TraceAccount, index: number): Markup | undefined {
  const rows = account.spans.filter(({ state }) => state !== 'unreached');
  if (!account.spans.some(({ seconds }) => seconds !== undefined)) return undefined;
  const unreached = account.spans.filter(({ state }) => state === 'unreached').map(spanName);
  return html`<section aria-labelledby="account-${index}">
    <h2 id="account-${index}">Where the time went</h2>
    ${cardTable(['Stage', numbers('Time'), numbers('Share'), 'Note'], rows.map(spanRow), html`${objectName(account.object)}${account.seconds === 0 ? '' : `, ${durationText(account.seconds)} in all`}`)}
    ${unreached.length === 0 ? '' : html`<p class="note">${unreached.join(', ')}: not reached</p>`}
  </section>`;
}

function spanRow(span: TraceSpan): Markup {
  const { seconds, certainty, percent, state } = span;
  const unknown = state === 'unneeded' ? '-' : 'not known';
  const time = seconds === undefined ? unknown : `${certainty === 'latest' ? '≤ ' : ''}${durationText(seconds)}`;
  const bar =
    percent === undefined
      ? ''
      : html`<svg class="share" aria-hidden="true">
          <rect class="gap" width="100%" height="12" rx="3" />
          <rect class="span ${state}" width="${percent}%" height="12" rx="3" />
        </svg>`;
  return html`<tr data-item>
    <th scope="row">${spanName(span)}</th>
    <td class="num">${time}</td>
    <td class="num">${percent === undefined ? '' : `${percent}%`}</td>
    <td>${bar}${noteOf(span)}</td>
  </tr>`;
}
