import type { Freshness } from '../core/report/freshness.ts';
import type { StageState } from '../core/report/report.ts';
import { html } from './markup.ts';
import type { Markup } from './markup.ts';
import { agesAt } from './moment.ts';

export type LiveView = 'why' | 'status' | 'check';

/** What a page that a server keeps up to date has in addition. */
export interface LivePage {
  readonly view: LiveView;
  readonly freshness: Freshness;
  /** Changes with what is shown. */
  readonly revision: string;
  /** When the page was rendered, by the clock of the cluster. */
  readonly now: string;
}

const words: Readonly<Record<Freshness['state'], string>> = {
  live: 'Live',
  connecting: 'Connecting',
  stale: 'Out of date',
  dump: 'Dump',
};

/**
 * The other pages, and whether this one is up to date. The addresses are relative: the server may be behind a prefix.
 * Without scripts, the page is loaded again by hand; the script hides that link.
 */
export function liveBar({ view, freshness, revision }: LivePage): Markup {
  return html`<nav class="live" aria-label="Pages" data-state="${freshness.state}" data-revision="${revision}">
    <ul>
      <li>${view === 'why' ? html`<a href="./" aria-current="page">Stuck</a>` : html`<a href="./">Stuck</a>`}</li>
      <li>
        ${view === 'status' ? html`<a href="status" aria-current="page">Status</a>` : html`<a href="status">Status</a>`}
      </li>
      <li>
        ${view === 'check' ? html`<a href="check" aria-current="page">Check</a>` : html`<a href="check">Check</a>`}
      </li>
    </ul>
    <p>
      <span role="status">${words[freshness.state]}</span>
      <span class="clock">${freshness.state === 'dump' ? 'a dump does not change' : ''}</span>
      ${freshness.state === 'dump' ? '' : html`<a class="again" href="">Load again</a>`}
    </p>
  </nav>`;
}

/** Shown by the script when the server does not respond: then the page below is out of date. */
export const lostNotice = html`<aside class="notice lost" id="lost" aria-label="Connection" hidden>
  The connection to the server is lost. What follows was true when it was last checked.
</aside>`;

interface Answer {
  readonly answer: string;
  readonly state: StageState;
  readonly totals?: readonly unknown[];
}

/**
 * The answer of a page whose data are old: what is stuck now is not known, so the page never states that nothing is.
 */
export function freshAnswer(told: Answer, { freshness, now }: LivePage): Partial<Answer> & { readonly totals?: [] } {
  if (freshness.state !== 'stale') return {};
  const age = agesAt(now)(freshness.since);
  const since = `since ${freshness.since}${age === undefined ? '' : ` (${age} ago)`}`;
  const why = freshness.reason === undefined ? '' : ` The reason: ${freshness.reason.replace(/\.?$/, '.')}`;
  const before = told.state === 'passed' ? '' : ` Before that: ${told.answer}`;
  return {
    answer: `Out of date: the cluster could not be read ${since}, so what is stuck now is not known.${why}${before}`,
    state: 'unknown',
    ...(told.state !== 'blocked' && { totals: [] }),
  };
}
