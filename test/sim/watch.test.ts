import { describe, expect, it, onTestFinished } from 'vitest';
import type { ApiServer } from '../../src/sim/api-server.ts';
import { ask, claim, serve, table } from './cluster.ts';

const claims = '/api/v1/namespaces/shop/persistentvolumeclaims';

/** Reads a watch line by line. */
async function watch(server: ApiServer, query: string, accept = 'application/json'): Promise<() => Promise<any>> {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const response = await fetch(`${server.url}${claims}?watch=1&${query}`, {
    headers: { accept },
    signal: abort.signal,
  });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let pending = '';
  return async () => {
    while (!pending.includes('\n')) {
      const { done, value } = await reader.read();
      if (done) return 'end';
      pending += value;
    }
    const end = pending.indexOf('\n');
    const line = pending.slice(0, end);
    pending = pending.slice(end + 1);
    return JSON.parse(line);
  };
}

const seen = (event: any): string => `${event.type} ${event.object.metadata.name}`;

describe('watching', () => {
  it('tells what is added, changed and removed after the list', async () => {
    const server = await serve([claim('shop', 'a', { version: 20 })]);
    const { body } = await ask(server, claims);
    const next = await watch(server, `resourceVersion=${body.metadata.resourceVersion}`);
    server.apply(claim('shop', 'b'));
    server.apply(claim('other', 'c'));
    server.apply(claim('shop', 'a', { phase: 'Bound' }));
    server.remove('PersistentVolumeClaim', 'shop', 'a');
    expect(seen(await next())).toBe('ADDED b');
    const changed = await next();
    expect(changed).toMatchObject({
      type: 'MODIFIED',
      object: {
        kind: 'PersistentVolumeClaim',
        status: { phase: 'Bound' },
        metadata: { uid: 'uid-shop-a', resourceVersion: '23' },
      },
    });
    expect(seen(await next())).toBe('DELETED a');
  });

  it('replays what happened between the list and the watch', async () => {
    const server = await serve([claim('shop', 'a', { version: 20 })]);
    server.apply(claim('shop', 'b'));
    server.apply(claim('shop', 'c'));
    const next = await watch(server, 'resourceVersion=21');
    expect(seen(await next())).toBe('ADDED c');
  });

  it('begins with everything when no version is named', async () => {
    const server = await serve([claim('shop', 'a'), claim('shop', 'b')]);
    const next = await watch(server, '');
    expect([seen(await next()), seen(await next())]).toEqual(['ADDED a', 'ADDED b']);
  });

  it('marks the end of the initial events', async () => {
    const server = await serve([claim('shop', 'a', { version: 9 })]);
    const next = await watch(
      server,
      'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
    );
    expect(seen(await next())).toBe('ADDED a');
    expect(await next()).toMatchObject({
      type: 'BOOKMARK',
      object: {
        kind: 'PersistentVolumeClaim',
        metadata: { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
    });
    expect((await ask(server, `${claims}?watch=1&sendInitialEvents=true`)).status).toBe(400);
  });

  it('reports an object that leaves the selection as deleted', async () => {
    const server = await serve([claim('shop', 'a', { labels: { app: 'web' }, version: 5 })]);
    const next = await watch(server, 'resourceVersion=5&labelSelector=app%3Dweb');
    server.apply(claim('shop', 'b', { labels: { app: 'db' } }));
    server.apply(claim('shop', 'a', { labels: { app: 'db' } }));
    server.apply(claim('shop', 'b', { labels: { app: 'web' } }));
    expect(seen(await next())).toBe('DELETED a');
    expect(seen(await next())).toBe('ADDED b');
  });

  it('refuses a version that is too old within the stream', async () => {
    const server = await serve([claim('shop', 'a', { version: 500 })]);
    const next = await watch(server, 'resourceVersion=17');
    expect(await next()).toMatchObject({
      type: 'ERROR',
      object: { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version: 17 (500)' },
    });
    expect(await next()).toBe('end');
  });

  it('sends rows, with their columns once', async () => {
    const server = await serve([claim('shop', 'a'), claim('shop', 'b')]);
    const next = await watch(server, '', table);
    const first = await next();
    expect(first.object.columnDefinitions[0].name).toBe('Name');
    expect(first.object.rows[0].cells[0]).toBe('a');
    expect((await next()).object.columnDefinitions).toBeNull();
  });

  it('ends after its timeout, with a last bookmark', async () => {
    const server = await serve([claim('shop', 'a', { version: 5 })]);
    const next = await watch(server, 'resourceVersion=5&timeoutSeconds=1&allowWatchBookmarks=true');
    expect((await next()).type).toBe('BOOKMARK');
    expect(await next()).toBe('end');
  });
});
