import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import type { RawObject } from '../../../src/core/kube/snapshot.ts';
import type { WatchState } from '../../../src/io/cluster/reader.ts';
import { followWatch } from '../../../src/io/cluster/watch.ts';

const line = (type: string, resourceVersion: string): string =>
  `${JSON.stringify({ type, object: { metadata: { name: 'a', resourceVersion } } })}\n`;

/** Follows a server that sends these lines on each connection and then nothing, without closing it. */
function follow(connections: readonly (readonly string[])[], quietMs: number) {
  const done = new AbortController();
  const opened: { readonly from: string; readonly stream: PassThrough }[] = [];
  const states: WatchState[] = [];
  const seen: string[] = [];
  const ended = followWatch({
    open: (from) => {
      const stream = new PassThrough({ signal: done.signal });
      for (const text of connections[opened.length] ?? []) stream.write(text);
      opened.push({ from, stream });
      const response = Object.assign(stream, { statusCode: 200, headers: {} }) as unknown as IncomingMessage;
      return Promise.resolve({ response, timer: setTimeout(() => undefined, 0) });
    },
    relist: () => Promise.reject(new Error('nothing has expired')),
    identify: (value) => value as RawObject,
    hide: (text) => text,
    from: '1',
    quietMs,
    onEvent: ({ type }) => seen.push(type),
    onState: (state) => states.push(state),
    signal: done.signal,
  });
  const finish = async (): Promise<void> => {
    done.abort();
    await ended;
  };
  return { opened, states, seen, finish };
}

const whenOpened = async ({ opened }: ReturnType<typeof follow>, count: number): Promise<void> => {
  while (opened.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
};

it('a watch whose bookmarks cease is opened again where it was', async () => {
  const following = follow([[line('BOOKMARK', '7')], [line('ADDED', '8')]], 30);
  // The second connection, too, is silent from its first event on.
  await whenOpened(following, 3);
  await following.finish();
  expect(following.opened.slice(0, 3).map(({ from }) => from)).toEqual(['1', '7', '8']);
  expect(following.states.slice(0, 2)).toEqual([
    { state: 'following' },
    { state: 'broken', message: 'the server does not send anything any more' },
  ]);
  expect(following.seen).toEqual(['added']);
});

it('a watch of a server that sends no bookmarks may be silent', async () => {
  const following = follow([[line('ADDED', '2')]], 30);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await following.finish();
  expect(following.opened).toHaveLength(1);
  expect(following.states).toEqual([{ state: 'following' }]);
});

it('a server that no longer sends bookmarks is not left again and again', async () => {
  const following = follow([[line('BOOKMARK', '7')]], 30);
  await whenOpened(following, 3);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await following.finish();
  expect(following.opened).toHaveLength(3);
});
