import { totalmem } from 'node:os';
import type { Worker } from 'node:worker_threads';
import { errorOf, startThreadOfProgram } from '../../../cli/follow/second-thread.ts';
import { EnvironmentError } from '../../../core/kube/errors.ts';
import type { LiveView } from '../../../html/live.ts';
import { heapLimit } from '../heap.ts';
import type { Pace } from '../pace.ts';
import type { Picture } from '../picture.ts';
import type { DocumentName, DocumentQuery } from '../routes.ts';
import type { ReadingFlags } from './reading.ts';
import { workerWord } from './worker.ts';
import type { Call, Told } from './worker.ts';

/** What the server serves: pictures of the cluster, and the pages and documents behind them. */
export interface Feed {
  readonly picture: () => Picture | undefined;
  subscribe(listener: (picture: Picture) => void): () => void;
  page(view: LiveView): Promise<string>;
  document(name: DocumentName, query: DocumentQuery): Promise<string>;
  /** Rejects when nothing can be served any more. */
  readonly ended: Promise<never>;
  close(): Promise<void>;
}

/** More questions at a time than this are refused: each may read the cluster. */
const mostCalls = 32;
const longestCallMs = 120_000;
/** The thread rests twice as long as it judged, and a judgement can take longer than the one before. */
const quietPerWork = 10;

/** Thrown when too many questions wait for an answer. */
export class BusyError extends Error {}

export function startFeed(flags: ReadingFlags, { quietMs }: Pick<Pace, 'quietMs'>): Feed {
  const thread = new FeedThread(flags, quietMs);
  return {
    picture: () => thread.last,
    subscribe: (listener) => thread.subscribe(listener),
    page: (view) => thread.once(`page ${view} ${thread.revision}`, { type: 'page', view }),
    document: (name, query) =>
      thread.once(`document ${name} ${JSON.stringify(query)} ${thread.revision}`, { type: 'document', name, query }),
    ended: thread.ended,
    close: () => thread.close(),
  };
}

type CallBody = Call extends infer One ? (One extends Call ? Omit<One, 'id'> : never) : never;

class FeedThread {
  readonly ended: Promise<never>;
  last: Picture | undefined;
  readonly #worker: Worker;
  readonly #waiting = new Map<
    number,
    { readonly resolve: (text: string) => void; readonly reject: (error: Error) => void }
  >();
  readonly #listeners = new Set<(picture: Picture) => void>();
  /** Questions that are being answered: the same question is asked once. */
  readonly #asked = new Map<string, Promise<string>>();
  #calls = 0;
  #isClosing = false;
  readonly #quietMs: number;
  #quiet: NodeJS.Timeout | undefined;
  #end: (error: Error) => void = () => undefined;

  constructor(flags: ReadingFlags, quietMs: number) {
    this.#quietMs = quietMs;
    this.ended = new Promise((_, reject) => (this.#end = reject));
    this.ended.catch(() => undefined);
    const limit = heapLimit(process.constrainedMemory(), totalmem());
    this.#worker = startThreadOfProgram({
      argv: [workerWord],
      workerData: flags,
      ...(limit !== undefined && { resourceLimits: { maxOldGenerationSizeMb: limit } }),
    });
    this.#worker.on('message', (told: Told) => this.#receive(told));
    this.#worker.on('error', (error: NodeJS.ErrnoException) =>
      this.#fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? outOfMemory(limit) : error),
    );
    this.#worker.on('exit', () => {
      if (!this.#isClosing) this.#fail(new Error('the thread that reads the cluster has ended'));
    });
  }

  get revision(): string {
    return this.last?.revision ?? '';
  }

  subscribe(listener: (picture: Picture) => void): () => void {
    this.#listeners.add(listener);
    if (this.last !== undefined) listener(this.last);
    return () => void this.#listeners.delete(listener);
  }

  once(key: string, body: CallBody): Promise<string> {
    const known = this.#asked.get(key);
    if (known !== undefined) return known;
    const asked = this.#call(body).finally(() => this.#asked.delete(key));
    this.#asked.set(key, asked);
    return asked;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#quiet);
    await this.#worker.terminate();
  }

  #call(body: CallBody): Promise<string> {
    if (this.#waiting.size >= mostCalls) return Promise.reject(new BusyError('too many questions wait for an answer'));
    this.#calls += 1;
    const id = this.#calls;
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new BusyError('the answer takes too long'));
      }, longestCallMs);
      const settle = (): void => clearTimeout(late);
      this.#waiting.set(id, {
        resolve: (text) => {
          settle();
          resolve(text);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      this.#worker.postMessage({ ...body, id } as Call);
    });
  }

  #receive(told: Told): void {
    if ('end' in told) return this.#fail(errorOf(told.end));
    if ('picture' in told) {
      this.#show(told.picture);
      this.#expectMore(told.picture);
      return;
    }
    const call = this.#waiting.get(told.id);
    this.#waiting.delete(told.id);
    if ('failure' in told) call?.reject(errorOf(told.failure));
    else call?.resolve(told.text);
  }

  #show(picture: Picture): void {
    this.last = picture;
    for (const listener of this.#listeners) listener(picture);
  }

  /** A judgement that never ends must not leave the last one on the page as if it were still true. */
  #expectMore(picture: Picture): void {
    clearTimeout(this.#quiet);
    if (picture.revision === '' || picture.freshness.state === 'dump') return;
    const patienceMs = Math.max(this.#quietMs, picture.work.lastJudgementSeconds * 1000 * quietPerWork);
    this.#quiet = setTimeout(() => this.#show(outOfDate(picture)), patienceMs);
    this.#quiet.unref();
  }

  #fail(error: Error): void {
    clearTimeout(this.#quiet);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#end(error);
  }
}

function outOfDate(picture: Picture): Picture {
  const { takenAt = picture.freshness.since } = picture;
  if (picture.freshness.state === 'stale') return picture;
  const reason = 'the cluster could not be judged since then';
  return {
    ...picture,
    // Pages are fetched again where the revision is another one.
    revision: `${picture.revision}-old`,
    freshness: { state: 'stale', since: takenAt, reason },
    isUp: false,
  };
}

function outOfMemory(limit: number | undefined): Error {
  if (limit === undefined)
    return new EnvironmentError(
      'this cluster needs more memory than Node.js takes',
      'Set NODE_OPTIONS=--max-old-space-size=MEBIBYTES, or serve one namespace with -n',
    );
  return new EnvironmentError(
    `this cluster needs more memory than the ${limit} MiB that the limit of the container leaves for it`,
    'Raise that limit (serve.resources.limits.memory in the chart), or serve one namespace with -n',
  );
}
