import { sha256 } from '../core/kube/sha256.ts';
import type { Source } from '../core/kube/snapshot.ts';
import type { StageState, Unread } from '../core/report/report.ts';
import { isWholeCluster } from '../terminal/verdict/contexts.ts';
import { contextsSection } from './contexts.ts';
import { freshAnswer, liveBar, lostNotice } from './live.ts';
import type { LivePage } from './live.ts';
import { liveScript } from './live-script.ts';
import { mark } from './marks.ts';
import { html, rawElement } from './markup.ts';
import type { Markup, Part } from './markup.ts';
import { script } from './script.ts';
import { style } from './style.ts';
import { unreadNotice, unreadSection } from './unread.ts';
import { prose } from './prose.ts';

/** What every page shows before its sections. */
export interface PageHead {
  /** What was asked: `Why is storage stuck?`. */
  readonly title: string;
  /** The answer in one sentence. */
  readonly answer: string;
  readonly state: StageState;
  readonly source: Source;
  readonly takenAt: string;
  /** Further facts, such as the version of the server. */
  readonly facts?: readonly (readonly [name: string, value: string | undefined])[];
  readonly totals?: readonly Total[];
  readonly unread: readonly Unread[];
}

export interface Total {
  readonly count: number | string;
  readonly word: string;
  readonly state: StageState;
}

const sourceWords: Readonly<Record<Source['type'], string>> = { cluster: 'Cluster', capture: 'Capture', files: 'Dump' };

/**
 * One file that needs nothing else: its policy forbids every request, and every script and style but its own. A live
 * page may ask the server that it came from.
 */
export function renderPage(told: PageHead, sections: readonly Part[], live?: LivePage): string {
  const head = live === undefined ? told : { ...told, ...freshAnswer(told, live) };
  const isUpdated = live !== undefined && live.freshness.state !== 'dump';
  // What is proven comes first; where nothing is, what is missing decides.
  const known = head.unread.filter((entry) => !isWholeCluster(entry));
  const missing = unreadSection(known);
  const clusters = contextsSection(head.source, new Set(known.map(({ context }) => context)));
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${isUpdated ? livePolicy() : policy()}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <meta name="robots" content="noindex" />
        <title>${head.title}: ${head.source.name}</title>
        ${styleElement}
      </head>
      <body>
        <a class="skip" href="#report">Skip to the report</a>
        ${live === undefined ? '' : liveBar(live)} ${isUpdated ? lostNotice : ''} ${renderHead(head)}
        <main id="report">
          ${tools} ${told.state === 'blocked' ? [sections, clusters, missing] : [missing, clusters, sections]}
        </main>
        <footer>
          <p>
            Written by <code>kubectl csi</code> as of ${head.takenAt}. Ages are relative to that time. Names and
            messages are quoted from the cluster.
          </p>
        </footer>
        ${scriptElement}${isUpdated ? liveScriptElement : ''}
      </body>
    </html> `.text;
}

const styleElement = rawElement('style', style);
const scriptElement = rawElement('script', script);
const liveScriptElement = rawElement('script', liveScript);

let knownPolicy: string | undefined;
let knownLivePolicy: string | undefined;

function policy(): string {
  knownPolicy ??= policyOf([script], []);
  return knownPolicy;
}

/** The policy of a page that updates itself; a server sends it as a header as well. */
export function livePolicy(): string {
  knownLivePolicy ??= policyOf([script, liveScript], ["connect-src 'self'"]);
  return knownLivePolicy;
}

function policyOf(scripts: readonly Markup[], more: readonly string[]): string {
  return [
    "default-src 'none'",
    `style-src '${digestOf(style)}'`,
    `script-src ${scripts.map((one) => `'${digestOf(one)}'`).join(' ')}`,
    ...more,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** As a policy names it: the Base64 of the digest's bytes. */
function digestOf({ text }: Markup): string {
  const bytes = sha256(text).match(/../g) ?? [];
  return `sha256-${btoa(String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16))))}`;
}

const tools = html`<form class="tools" role="search" hidden>
  <label for="filter">Filter</label>
  <input id="filter" type="search" autocomplete="off" placeholder="cause, name, namespace, word" />
  <button type="button" data-fold="open">Unfold all</button> <button type="button" data-fold="close">Fold all</button>
  <output for="filter" aria-live="polite"></output>
</form>`;

function renderHead({ title, answer, state, source, takenAt, facts = [], totals = [], unread }: PageHead): Markup {
  const rows = [[sourceWords[source.type], source.name] as const, ['As of', takenAt] as const, ...facts];
  return html`<header>
    <p class="kicker">kubectl csi</p>
    <h1>${title}</h1>
    <p class="headline">${mark(state, '')} ${prose(answer)}</p>
    ${lostClusters(source)} ${unreadNotice(unread.filter((entry) => !isWholeCluster(entry)))}
    <dl class="facts">
      ${rows.map(([name, value]) =>
        value === undefined
          ? ''
          : html`<div>
              <dt>${name}</dt>
              <dd>${value}</dd>
            </div>`,
      )}
    </dl>
    ${
      totals.length === 0
        ? ''
        : html`<ul class="totals">
            ${totals.map(renderTotal)}
          </ul>`
    }
  </header>`;
}

/** At the top, since nothing on the page is about these clusters. */
function lostClusters({ contexts = [] }: Source): Markup | undefined {
  const lost = contexts.filter(({ status }) => status === 'unread').length;
  if (lost === 0) return undefined;
  return html`<p>
    ${mark('unknown', 'Could not be read:')} <a href="#clusters">${lost} ${lost === 1 ? 'cluster' : 'clusters'}</a>
  </p>`;
}

function renderTotal({ count, word, state }: Total): Markup {
  return html`<li><b>${count}</b>${mark(state, word)}</li>`;
}
