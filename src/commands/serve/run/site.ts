import type { IncomingMessage } from 'node:http';
import { UserError } from '../../../core/kube/errors.ts';
import { livePolicy } from '../../../html/page.ts';
import { html } from '../../../html/markup.ts';
import { renderPage } from '../../../html/page.ts';
import type { LiveView } from '../../../html/live.ts';
import { renderOpenMetrics, renderPrometheus } from '../../../terminal/metrics/exposition.ts';
import type { Metric } from '../../../terminal/metrics/exposition.ts';
import { complain } from '../../../terminal/output.ts';
import { sanitise } from '../../../terminal/sanitise.ts';
import type { Picture } from '../picture.ts';
import type { Route } from '../routes.ts';
import { BusyError } from './feed.ts';
import type { Feed } from './feed.ts';
import { errorReply } from './server.ts';
import type { Outcome, Reply } from './server.ts';
import type { Streams } from './streams.ts';

export interface Site {
  readonly feed: Feed;
  readonly streams: Streams;
  /** All metrics of a picture, with those of the server itself. */
  readonly metricsOf: (picture: Picture | undefined) => Metric[];
}

/** Pages of the last revision and minute: they are rendered once, however many look. */
type PageCache = Map<LiveView, { readonly edition: string; readonly body: Buffer }>;

export function answerer(site: Site): (route: Route, request: IncomingMessage) => Promise<Outcome> {
  const pages: PageCache = new Map();
  return async (route, request) => {
    try {
      return await answer(site, pages, route, request);
    } catch (error) {
      const reply = failureReply(error);
      if (reply.status === 500) void complain(sanitise(`${route.type} could not be answered: ${String(error)}`));
      return reply;
    }
  };
}

async function answer(site: Site, pages: PageCache, route: Route, request: IncomingMessage): Promise<Outcome> {
  const { feed, streams } = site;
  const picture = feed.picture();
  switch (route.type) {
    case 'page':
      return pageReply(feed, pages, route.view);
    case 'events':
      return streams.isFull
        ? { ...errorReply(503, 'too many pages are open'), headers: { 'Retry-After': '30' } }
        : { stream: (response) => streams.add(response) };
    case 'metrics':
      return metricsReply(site.metricsOf(picture), request.headers.accept);
    case 'healthz':
      return textReply(200, 'ok\n');
    case 'readyz':
      return readyReply(picture);
    case 'document':
      return documentReply(feed, picture, route);
    case 'redirect':
      return { ...textReply(308, ''), headers: { Location: route.to } };
    case 'error':
      return errorReply(route.status, route.message, route.next);
  }
}

async function pageReply(feed: Feed, pages: PageCache, view: LiveView): Promise<Reply> {
  const picture = feed.picture();
  const headers = { 'Content-Security-Policy': `${livePolicy()}; frame-ancestors 'none'` };
  const type = 'text/html; charset=utf-8';
  if (picture === undefined || picture.revision === '')
    return { status: 503, type, body: emptyPage(view, picture), headers: { ...headers, 'Retry-After': '5' } };
  // How old stale data are is a part of the page.
  const isKept = picture.freshness.state !== 'stale';
  // Ages are relative to the time of reading, so a page is not used for longer than a minute.
  const edition = `${picture.revision} ${picture.takenAt?.slice(0, 16) ?? ''}`;
  const known = isKept ? pages.get(view) : undefined;
  if (known?.edition === edition) return { status: 200, type, body: known.body, headers };
  const body = Buffer.from(await feed.page(view));
  // What was judged in the meantime can be on it already.
  if (isKept && feed.picture()?.revision === picture.revision) pages.set(view, { edition, body });
  else pages.clear();
  return { status: 200, type, body, headers };
}

/** Before the first judgement there is nothing to show, and that must not look like a healthy cluster. */
function emptyPage(view: LiveView, picture: Picture | undefined): string {
  const now = new Date().toISOString();
  const { freshness = { state: 'connecting', since: now }, sourceName = '' } = picture ?? {};
  const reason = freshness.reason === undefined ? '' : ` ${sanitise(freshness.reason)}`;
  return renderPage(
    {
      title: 'Storage',
      answer: `Nothing is known yet: the cluster has not been read.${reason}`,
      state: 'unknown',
      source: { type: 'cluster', name: sourceName || 'not known' },
      takenAt: now,
      unread: [],
    },
    [html`<p>This page shows the report as soon as there is one.</p>`],
    { view, freshness: { state: 'connecting', since: freshness.since }, revision: '', now },
  );
}

const openMetrics = 'application/openmetrics-text; version=1.0.0; charset=utf-8';
const plainMetrics = 'text/plain; version=0.0.4; charset=utf-8';

function metricsReply(metrics: readonly Metric[], accept = ''): Reply {
  const isOpen = wantsOpenMetrics(accept);
  return {
    status: 200,
    type: isOpen ? openMetrics : plainMetrics,
    body: isOpen ? renderOpenMetrics(metrics) : renderPrometheus(metrics),
    headers: { Vary: 'Accept' },
  };
}

/** OpenMetrics if the caller prefers it to plain text; a caller that names neither gets plain text. */
function wantsOpenMetrics(accept: string): boolean {
  const weightOf = (type: string): number => {
    const entry = accept
      .split(',')
      .map((part) => part.trim().toLowerCase())
      .filter((part) => part.split(';', 1)[0]?.trim() === type);
    const weights = entry.map((part) => Number(/;\s*q=([\d.]+)/.exec(part)?.[1] ?? 1));
    return Math.max(0, ...weights);
  };
  const open = weightOf('application/openmetrics-text');
  return open > 0 && open >= weightOf('text/plain');
}

function readyReply(picture: Picture | undefined): Reply {
  if (picture === undefined || picture.revision === '')
    return textReply(503, 'not ready: the cluster has not been read yet\n');
  const { state, since } = picture.freshness;
  if (state === 'live' || state === 'dump') return textReply(200, 'ok\n');
  if (state === 'connecting') return textReply(503, 'not ready: the watches are not up yet\n');
  return textReply(503, `not ready: the data are out of date since ${since}\n`);
}

async function documentReply(
  feed: Feed,
  picture: Picture | undefined,
  { name, query }: Extract<Route, { type: 'document' }>,
): Promise<Reply> {
  if (picture === undefined || picture.revision === '')
    return { ...errorReply(503, 'the cluster has not been read yet'), headers: { 'Retry-After': '5' } };
  const { state, since } = picture.freshness;
  if (state === 'stale' && !query.mayBeStale)
    return {
      ...errorReply(503, `the data are out of date since ${since}`, 'Add stale=allow to get what was true then'),
      headers: { 'Retry-After': '5' },
    };
  return {
    status: 200,
    type: 'application/json; charset=utf-8',
    body: await feed.document(name, query),
    headers: { 'X-Kubectl-Csi-State': state },
  };
}

function failureReply(error: unknown): Reply {
  if (error instanceof BusyError) return { ...errorReply(503, error.message), headers: { 'Retry-After': '1' } };
  if (!(error instanceof Error)) return errorReply(500, 'the answer failed');
  const message = sanitise(error.message);
  if (error instanceof UserError)
    return errorReply(
      /does not exist/.test(message) ? 404 : 400,
      message,
      error.next === undefined ? undefined : sanitise(error.next),
    );
  if (error.name === 'EnvironmentError') return errorReply(503, message);
  return errorReply(500, 'the answer failed; the log has the reason');
}

function textReply(status: number, body: string): Reply {
  return { status, type: 'text/plain; charset=utf-8', body };
}
