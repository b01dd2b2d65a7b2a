import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { WorkerOptions } from 'node:worker_threads';
import { EnvironmentError, UserError } from '../../core/kube/errors.ts';
import type { RowKind } from '../../core/report/rows.ts';
import type { ClusterFeed, Frame, KindRows, TuiPorts } from '../../tui/ports.ts';
import type { PortFlags } from './ports.ts';
import { isExecutable, readInstalled } from '../../cli/installation.ts';
import { workerWord } from './worker.ts';
import type { Call, Failure, FeedMethod, Reply, WorkerData } from './worker.ts';

export interface ThreadPorts extends TuiPorts {
  end(): Promise<void>;
}

type CallBody = Call extends infer One ? (One extends Call ? Omit<One, 'id'> : never) : never;

/** The program itself, in a second thread: bundled it lies beside its parts, unbundled one directory up, and of an executable only its text is there. */
function startProgram(options: WorkerOptions): Worker {
  if (isExecutable()) return new Worker(readInstalled('dist/executable.cjs'), { ...options, eval: true });
  return new Worker(
    [join(import.meta.dirname, 'main.cjs'), join(import.meta.dirname, '../../main.ts')].find(existsSync) as string,
    options,
  );
}

/** The ports of a second thread, which reads and judges while this one draws. */
export function startThread(flags: PortFlags): ThreadPorts {
  const worker = startProgram({ argv: [workerWord], workerData: { flags } satisfies WorkerData });
  const waiting = new Map<
    number,
    { readonly resolve: (value: unknown) => void; readonly reject: (error: Error) => void }
  >();
  const feeds = new Map<number, { last?: Frame; readonly listeners: Set<(frame: Frame) => void> }>();
  let calls = 0;
  let isEnding = false;
  const fail = (error: Error): void => {
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const feedNumber = (id: number) => {
    const feed = feeds.get(id) ?? { listeners: new Set() };
    feeds.set(id, feed);
    return feed;
  };
  worker.on('message', (reply: Reply) => {
    if ('feed' in reply) {
      const feed = feedNumber(reply.feed);
      feed.last = reply.frame;
      for (const listener of feed.listeners) listener(reply.frame);
      return;
    }
    const call = waiting.get(reply.id);
    waiting.delete(reply.id);
    if ('failure' in reply) call?.reject(errorOf(reply.failure));
    else call?.resolve(reply.isKnown === true ? { ...(reply.value as KindRows), isKnown: true } : reply.value);
  });
  worker.on('error', fail);
  worker.on('exit', () => {
    if (!isEnding) fail(new Error('the thread that reads the cluster has ended'));
  });
  const call = (body: CallBody): Promise<unknown> => {
    calls += 1;
    const id = calls;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      const whole: Call = { ...body, id };
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage(whole);
    });
  };
  const feedOf = (id: number): ClusterFeed => {
    const ask =
      (method: FeedMethod) =>
      (...given: readonly unknown[]) =>
        call({ type: 'feed', feed: id, method, given }) as Promise<never>;
    const methods: readonly FeedMethod[] = [
      'why',
      'trace',
      'rows',
      'status',
      'events',
      'object',
      'namespaces',
      'probe',
      'capture',
      'close',
    ];
    const rows = new Map<RowKind, KindRows['rows']>();
    const askRows = ask('rows');
    return {
      ...(Object.fromEntries(methods.map((method) => [method, ask(method)])) as unknown as Omit<
        ClusterFeed,
        'subscribe'
      >),
      rows: async (kind) => {
        const { isKnown, ...answer }: KindRows & { readonly isKnown?: boolean } = await askRows(kind);
        const known = isKnown === true ? (rows.get(kind) ?? []) : answer.rows;
        rows.set(kind, known);
        return { ...answer, rows: known };
      },
      subscribe: (listener) => {
        const feed = feedNumber(id);
        feed.listeners.add(listener);
        if (feed.last !== undefined) listener(feed.last);
        return () => void feed.listeners.delete(listener);
      },
    };
  };
  return {
    open: async (place) => feedOf((await call({ type: 'open', place })) as number),
    contexts: () => call({ type: 'ports', method: 'contexts', given: [] }) as Promise<readonly string[]>,
    causePage: (cause) => call({ type: 'ports', method: 'causePage', given: [cause] }) as Promise<string | undefined>,
    end: async () => {
      isEnding = true;
      await worker.terminate();
    },
  };
}

function errorOf({ name, message, next }: Failure): Error {
  if (name === 'UserError') return new UserError(message, next);
  return name === 'EnvironmentError' ? new EnvironmentError(message, next) : new Error(message);
}
