import { setImmediate } from 'node:timers/promises';
import { begin } from './begin.ts';
import { itemsOf, metadataOf } from './table-pages.ts';
import type { JsonAnswer } from './api-client.ts';
import type { Refusal } from './reader.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What was taken from the pages of one list. */
export interface Pages<T> {
  readonly state: 'complete' | 'partial';
  readonly taken: readonly T[];
  readonly resourceVersion?: string;
}

export interface PageRequest<T> {
  /** Requests one page; a limit of 0 asks for the whole list. */
  readonly ask: (limit: number, continueToken: string | undefined) => Promise<JsonAnswer | Refusal>;
  /** Items per page. */
  readonly chunk: number;
  /** Stop after so many items. */
  readonly limit: number | undefined;
  /** Called after the first page with the number of items left; true ends the reading. */
  readonly isEnough: ((page: Fields, remaining: number) => boolean) | undefined;
  /** What to keep of a page; the rest is forgotten before the next one is read. */
  readonly take: (page: Fields, isFirst: boolean) => T;
}

/** Reads a list page by page until it ends, is refused or is enough. */
export async function readPages<T>(request: PageRequest<T>): Promise<Pages<T> | Refusal> {
  const reading = new PageReading(request);
  for (;;) {
    const answer = await reading.nextPage();
    if ('state' in answer) return answer;
    if (answer.status === 410 && reading.resume(answer.body)) continue;
    if (answer.status !== 200)
      return { state: answer.status === 404 ? 'absentApi' : 'failed', message: answer.message };
    const pages = await reading.takePage(answer.body);
    if (pages !== undefined) return pages;
  }
}

/** One list while it is being read. */
class PageReading<T> {
  readonly #request: PageRequest<T>;
  /** No page but the last can end the reading, so the next one is requested while one is processed. */
  readonly #readsAll: boolean;
  #taken: T[] = [];
  #itemCount = 0;
  #pageLimit: number;
  #continueToken: string | undefined;
  #mayRestart = true;
  #resourceVersion: string | undefined;
  #requested: Promise<JsonAnswer | Refusal> | undefined;

  constructor(request: PageRequest<T>) {
    const { chunk, limit, isEnough } = request;
    this.#request = request;
    this.#readsAll = limit === undefined && isEnough === undefined;
    this.#pageLimit = limit === undefined ? chunk : Math.min(chunk || limit, limit);
  }

  nextPage(): Promise<JsonAnswer | Refusal> {
    const page = this.#requested ?? this.#request.ask(this.#pageLimit, this.#continueToken);
    this.#requested = undefined;
    return page;
  }

  /**
   * After 410 Gone: the continue token has expired. The server offers another one, for the rest of the list as it is now; a watch from the first
   * page's version reports what was missed in between. Without an offer the list is read once more, in one piece.
   */
  resume(body: Fields): boolean {
    if (this.#continueToken === undefined) return false;
    const { continue: offered } = metadataOf(body);
    if (typeof offered === 'string' && offered !== '' && offered !== this.#continueToken) {
      this.#continueToken = offered;
      return true;
    }
    if (!this.#mayRestart) return false;
    this.#mayRestart = false;
    this.#taken = [];
    this.#itemCount = 0;
    this.#pageLimit = 0;
    this.#continueToken = undefined;
    return true;
  }

  /** The result, if the page was the last one to read. */
  async takePage(body: Fields): Promise<Pages<T> | undefined> {
    const { continue: next, remainingItemCount, resourceVersion } = metadataOf(body);
    // Pages may be of two versions of the list; a watch from the older one misses nothing.
    if (this.#taken.length === 0)
      this.#resourceVersion = typeof resourceVersion === 'string' ? resourceVersion : undefined;
    const isFirst = this.#continueToken === undefined;
    this.#continueToken = typeof next === 'string' && next !== '' ? next : undefined;
    const isLast = this.#continueToken === undefined;
    if (!isLast && this.#readsAll) {
      this.#requested = begin(this.nextPage());
      // Lets the request leave before this page keeps the process busy.
      await setImmediate();
    }
    this.#taken.push(this.#request.take(body, isFirst));
    if (isLast) return this.#pages('complete');
    this.#itemCount += itemsOf(body).length;
    const remaining = typeof remainingItemCount === 'number' ? remainingItemCount : Number.POSITIVE_INFINITY;
    return this.#isEnough(body, remaining) ? this.#pages('partial') : undefined;
  }

  #isEnough(body: Fields, remaining: number): boolean {
    const { limit, isEnough } = this.#request;
    if (limit !== undefined && this.#itemCount >= limit) return true;
    return this.#taken.length === 1 && isEnough?.(body, remaining) === true;
  }

  #pages(state: Pages<T>['state']): Pages<T> {
    return {
      state,
      taken: this.#taken,
      ...(this.#resourceVersion !== undefined && { resourceVersion: this.#resourceVersion }),
    };
  }
}
