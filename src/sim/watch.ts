import type { ServerResponse } from 'node:http';
import { badRequest, versionExpired, versionTooLarge } from './status.ts';
import { renderBookmark, renderWatched } from './render.ts';
import type { Rendering } from './render.ts';
import type { ServedKind } from './served-kinds.ts';
import type { Change, Entry, Store } from './store.ts';

interface WatchRequest {
  readonly namespace: string | undefined;
  readonly query: URLSearchParams;
  readonly selects: ((entry: Entry) => boolean) | undefined;
  /** The clock moves on while a watch lasts, and ages in a Table with it. */
  readonly rendering: () => Rendering;
  /** Whether a watch gets the answer that its version is too old. */
  readonly isExpired?: () => boolean;
}

const bookmarkEveryMs = 60_000;

/** Streams changes until the client leaves, the server closes or the timeout of the request is over. */
export function serveWatch(
  store: Store,
  request: WatchRequest,
  response: ServerResponse,
  write: (line: string) => void,
): void {
  const { query, namespace } = request;
  const { served } = request.rendering();
  const from = readVersion(query.get('resourceVersion') ?? '');
  if (from > store.version) throw versionTooLarge(from, store.version);
  const sendsInitialEvents = readInitialEvents(query, from);
  const bookmarks = isTrue(query.get('allowWatchBookmarks'));
  const timeoutSeconds = Number(query.get('timeoutSeconds') ?? '0');

  response.writeHead(200, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' });
  response.flushHeaders();
  let isFirst = true;
  const send = (type: string, entry: Entry): void => {
    write(renderWatched(type, entry, request.rendering(), isFirst));
    isFirst = false;
  };
  const selects = (entry: Entry): boolean =>
    (namespace === undefined || entry.object.metadata.namespace === namespace) && request.selects?.(entry) !== false;
  const deliver = (change: Change): void => {
    const was = change.type !== 'ADDED' && change.previous !== undefined && selects(change.previous);
    const is = change.type !== 'DELETED' && selects(change.entry);
    if (was && is) send('MODIFIED', change.entry);
    else if (is) send('ADDED', change.entry);
    // An object that leaves the selection is deleted as far as this client is concerned.
    else if (was) send('DELETED', change.entry);
  };

  if (sendsInitialEvents) {
    for (const entry of store.list(served, namespace)) if (selects(entry)) send('ADDED', entry);
    if (query.get('sendInitialEvents') !== null && bookmarks)
      write(renderBookmark(store.version, request.rendering(), true));
  } else {
    const missed = request.isExpired?.() === true ? undefined : changesSince(store, served, from);
    if (missed === undefined) {
      // A real server has begun its answer by then, so the failure is an event of the stream.
      write(`${JSON.stringify({ type: 'ERROR', object: versionExpired(from, store.oldestKnown(served)).status })}\n`);
      response.end();
      return;
    }
    for (const change of missed) deliver(change);
  }

  const unsubscribe = store.subscribe(served, deliver);
  const bookmark = (): void => write(renderBookmark(store.version, request.rendering(), false));
  const ticking = bookmarks ? setInterval(bookmark, bookmarkEveryMs).unref() : undefined;
  const finish = (): void => {
    if (bookmarks) bookmark();
    response.end();
  };
  const ending = timeoutSeconds > 0 ? setTimeout(finish, timeoutSeconds * 1000).unref() : undefined;
  response.once('close', () => {
    unsubscribe();
    clearInterval(ticking);
    clearTimeout(ending);
  });
}

export function readVersion(text: string): number {
  if (text === '') return 0;
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`Invalid value: "${text}": a resource version is a number`);
  return Number(text);
}

const isTrue = (text: string | null): boolean => text === 'true' || text === '1';

/** Without a version, or from 0, a watch begins with all existing objects, unless the client requests otherwise. */
function readInitialEvents(query: URLSearchParams, from: number): boolean {
  const asked = query.get('sendInitialEvents');
  const match = query.get('resourceVersionMatch') ?? '';
  if (asked === null) {
    if (match !== '')
      throw badRequest(
        'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
      );
    return from === 0;
  }
  if (match !== 'NotOlderThan')
    throw badRequest(
      'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    );
  return isTrue(asked);
}

/**
 * Undefined if the store has forgotten some of them. A watch from version 0 may begin anywhere, so it has missed
 * nothing.
 */
function changesSince(store: Store, served: ServedKind, from: number): readonly Change[] | undefined {
  return from === 0 ? [] : store.changesAfter(served, from);
}
