import type { Worker } from 'node:worker_threads';
import type { RowKind } from '../../core/report/rows.ts';
import type { ClusterFeed, Frame, KindRows, TuiPorts } from '../../tui/ports.ts';
import type { PortFlags } from './ports.ts';
import { errorOf, startThreadOfProgram } from '../../cli/follow/second-thread.ts';
import { workerWord } from './worker.ts';
import type { Call, FeedMethod, Reply, WorkerData } from './worker.ts';

interface ThreadPorts extends TuiPorts {
  end(): Promise<void>;
}

/** The ports of a second thread, which reads and judges while this one draws. */
export function startThread(flags: PortFlags): ThreadPorts {
  const thread = new ReadingThread(flags);
  return {
    open: async (place) => feedOf(thread, (await thread.call({ type: 'open', place })) as number),
    contexts: () => thread.call({ type: 'ports', method: 'contexts', given: [] }) as Promise<readonly string[]>,
    causePage: (cause) =>
      thread.call({ type: 'ports', method: 'causePage', given: [cause] }) as Promise<string | undefined>,
    end: () => thread.end(),
  };
}

type CallBody = Call extends infer One ? (One extends Call ? Omit<One, 'id'> : never) : never;

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

interface Frames {
  last?: Frame;
  readonly listeners: Set<(frame: Frame) => void>;
}

/** The second thread, and the calls to it that are not answered yet. */
class ReadingThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #frames = new Map<number, Frames>();
  #calls = 0;
  #isEnding = false;

  constructor(flags: PortFlags) {
    this.#worker = startThreadOfProgram({ argv: [workerWord], workerData: { flags } satisfies WorkerData });
    this.#worker.on('message', (reply: Reply) => this.#receive(reply));
    this.#worker.on('error', (error: Error) => this.#failAll(error));
    this.#worker.on('exit', () => {
      if (!this.#isEnding) this.#failAll(new Error('the thread that reads the cluster has ended'));
    });
  }

  call(body: CallBody): Promise<unknown> {
    this.#calls += 1;
    const id = this.#calls;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      const whole: Call = { ...body, id };
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      this.#worker.postMessage(whole);
    });
  }

  subscribe(feed: number, listener: (frame: Frame) => void): () => void {
    const { listeners, last } = this.#framesOf(feed);
    listeners.add(listener);
    if (last !== undefined) listener(last);
    return () => void listeners.delete(listener);
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#worker.terminate();
  }

  #framesOf(feed: number): Frames {
    const frames = this.#frames.get(feed) ?? { listeners: new Set() };
    this.#frames.set(feed, frames);
    return frames;
  }

  #receive(reply: Reply): void {
    if ('feed' in reply) {
      const frames = this.#framesOf(reply.feed);
      frames.last = reply.frame;
      for (const listener of frames.listeners) listener(reply.frame);
      return;
    }
    const call = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ('failure' in reply) call?.reject(errorOf(reply.failure));
    else call?.resolve(reply.isKnown === true ? { ...(reply.value as KindRows), isKnown: true } : reply.value);
  }

  #failAll(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

const feedMethods: readonly FeedMethod[] = [
  'why',
  'trace',
  'rows',
  'status',
  'events',
  'object',
  'namespaces',
  'probe',
  'log',
  'capture',
  'close',
];

function feedOf(thread: ReadingThread, feed: number): ClusterFeed {
  const ask =
    (method: FeedMethod) =>
    (...given: readonly unknown[]) =>
      thread.call({ type: 'feed', feed, method, given }) as Promise<never>;
  return {
    ...(Object.fromEntries(feedMethods.map((method) => [method, ask(method)])) as unknown as Omit<
      ClusterFeed,
      'subscribe'
    >),
    rows: rememberingRows(ask('rows')),
    subscribe: (listener) => thread.subscribe(feed, listener),
  };
}

/** The other thread does not send rows again that it has sent last. */
function rememberingRows(ask: (kind: RowKind) => Promise<KindRows & { readonly isKnown?: boolean }>) {
  const last = new Map<RowKind, KindRows['rows']>();
  return async (kind: RowKind): Promise<KindRows> => {
    const { isKnown, ...answer } = await ask(kind);
    const rows = isKnown === true ? (last.get(kind) ?? []) : answer.rows;
    last.set(kind, rows);
    return { ...answer, rows };
  };
}
