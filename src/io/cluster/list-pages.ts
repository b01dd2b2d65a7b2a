import { setImmediate } from 'node:timers/promises';
import { doubtfulEnd, WrongAnswer } from './answer-shape.ts';
import { begin } from './begin.ts';
import { itemsOf, metadataOf } from './table-pages.ts';
import type { JsonAnswer } from './answers.ts';
import type { Refusal } from './reader.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What was taken from the pages of one list. */
export interface Pages<T> {
  readonly state: 'complete' | 'partial';
  readonly taken: readonly T[];
  readonly resourceVersion?: string;
  /** Why the rest could not be read. */
  readonly failure?: Refusal;
}

export interface PageRequest<T> {
  /** The kind in the plural, for messages. */
  readonly name: string;
  /** Requests one page; a limit of 0 requests the whole list. */
  readonly ask: (limit: number, continueToken: string | undefined) => Promise<JsonAnswer | Refusal>;
  /**
   * Called after a first page that others follow: the whole list, not older than that page, where it costs less than
   * the others.
   */
  readonly askWhole?: (resourceVersion: string, remaining: number) => Promise<JsonAnswer | Refusal | undefined>;
  /** Items per page. */
  readonly chunk: number;
  /** Stop after so many items. */
  readonly limit: number | undefined;
  /** Takes secrets out of a message. */
  readonly hide: (text: string) => string;
  /** How long one request may take, in milliseconds. */
  readonly patience: number;
  /** Called after the first page with the number of items left; true ends the reading. */
  readonly isEnough: ((page: Fields, remaining: number) => boolean) | undefined;
  /** Throws a WrongAnswer if the page is not one of the requested list. */
  readonly check: (page: Fields) => void;
  /** What to keep of a page; the rest is forgotten before the next one is read. */
  readonly take: (page: Fields, isFirst: boolean) => T;
}

/** Of a list whose length the server does not report, this many items are read at most. */
const mostUncounted = 200_000;
/** A list that counts down to its end may take so many times as long as one request. */
const patienceOfCounted = 20;
/** How often a list continues after its token has expired, and how many pages in a row may have no items. */
const mostExpired = 5;
const mostEmpty = 3;

/** Reads a list page by page until it ends, is refused or is enough. What was read before a failure is kept. */
export async function readPages<T>(request: PageRequest<T>): Promise<Pages<T> | Refusal> {
  const reading = new PageReading(request);
  for (;;) {
    const answer = await reading.nextPage();
    if ('state' in answer) return reading.endWith(answer);
    if (answer.status === 410 && reading.resume(answer.body)) continue;
    if (answer.status !== 200) return reading.endWith({ state: 'failed', message: answer.message });
    try {
      const pages = await reading.takePage(answer.body);
      if (pages !== undefined) return pages;
    } catch (error) {
      if (!(error instanceof WrongAnswer)) throw error;
      return reading.endWith({ state: 'failed', message: request.hide(error.message) });
    }
  }
}

/** One list while it is being read. */
class PageReading<T> {
  readonly #request: PageRequest<T>;
  /** No page but the last can end the reading, so the next one is requested while one is processed. */
  readonly #readsAll: boolean;
  readonly #begun = performance.now();
  #taken: T[] = [];
  #itemCount = 0;
  #pageLimit: number;
  #continueToken: string | undefined;
  readonly #tokens = new Set<string>();
  #expired = 0;
  #empty = 0;
  #remaining = Number.POSITIVE_INFINITY;
  #mayRestart = true;
  #hasAskedWhole = false;
  #isRestarted = false;
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
   * After 410 Gone: the continue token has expired. The server offers another one, for the rest of the list as it is
   * now; a watch from the first page's version reports what was missed in between. Without an offer the list is read
   * once more, in one piece.
   */
  resume(body: Fields): boolean {
    this.#expired += 1;
    if (this.#continueToken === undefined || this.#expired > mostExpired) return false;
    const { continue: offered } = metadataOf(body);
    if (typeof offered === 'string' && offered !== '' && offered !== this.#continueToken) {
      this.#continueToken = offered;
      return true;
    }
    if (!this.#mayRestart) return false;
    this.#mayRestart = false;
    this.#isRestarted = true;
    this.#pageLimit = 0;
    this.#continueToken = undefined;
    return true;
  }

  /** The pages so far and why there are no more, or only the reason if there are none. */
  endWith(failure: Refusal): Pages<T> | Refusal {
    if (this.#taken.length === 0) return failure;
    // A kind of which a page was read is not absent.
    return {
      ...this.#pages('partial'),
      failure: { ...failure, state: failure.state === 'denied' ? 'denied' : 'failed' },
    };
  }

  /** The result, if the page was the last one to read. */
  async takePage(body: Fields): Promise<Pages<T> | undefined> {
    this.#request.check(body);
    const isFirst = this.#continueToken === undefined;
    if (this.#isRestarted && isFirst) {
      this.#taken = [];
      this.#itemCount = 0;
    }
    const { continue: next, remainingItemCount, resourceVersion } = metadataOf(body);
    // Pages may be of two versions of the list; a watch from the older one misses nothing.
    if (this.#taken.length === 0)
      this.#resourceVersion = typeof resourceVersion === 'string' ? resourceVersion : undefined;
    this.#continueToken = typeof next === 'string' && next !== '' ? next : undefined;
    const isLast = this.#continueToken === undefined;
    const remaining = typeof remainingItemCount === 'number' ? remainingItemCount : Number.POSITIVE_INFINITY;
    if (isFirst && !isLast && typeof resourceVersion === 'string') {
      const whole = await this.#askWhole(resourceVersion, remaining);
      if (whole !== undefined) {
        this.#continueToken = undefined;
        return this.takePage(whole);
      }
    }
    const count = itemsOf(body).length;
    const endless = isLast ? undefined : this.#reasonToStop(count, remaining);
    if (!isLast && endless === undefined && this.#readsAll) {
      this.#requested = begin(this.nextPage());
      // Lets the request leave before this page keeps the process busy.
      await setImmediate();
    }
    this.#taken.push(this.#request.take(body, isFirst));
    const doubt = doubtfulEnd(body, this.#request.name);
    if (doubt !== undefined) throw new WrongAnswer(doubt);
    if (isLast) return this.#pages('complete');
    this.#itemCount += count;
    if (this.#isEnough(body, remaining)) return this.#pages('partial');
    if (endless !== undefined) throw new WrongAnswer(endless);
    return undefined;
  }

  /** Only once; if that is refused, the pages are read. */
  async #askWhole(resourceVersion: string, remaining: number): Promise<Fields | undefined> {
    if (!this.#readsAll || this.#hasAskedWhole) return undefined;
    this.#hasAskedWhole = true;
    const answer = await this.#request.askWhole?.(resourceVersion, remaining);
    return answer !== undefined && 'body' in answer && answer.status === 200 ? answer.body : undefined;
  }

  /**
   * Why no further page is requested although the server offers one; undefined as long as the list seems to end some
   * time.
   */
  #reasonToStop(count: number, remaining: number): string | undefined {
    const { name, patience } = this.#request;
    const token = this.#continueToken ?? '';
    const isRepeated = this.#tokens.has(token);
    this.#tokens.add(token);
    this.#empty = count === 0 ? this.#empty + 1 : 0;
    if (isRepeated || this.#empty > mostEmpty)
      return `the list of ${name} does not end: the server keeps sending the same page`;
    const isCounted = remaining < this.#remaining;
    this.#remaining = remaining;
    const spent = performance.now() - this.#begun;
    if (spent > (isCounted ? patience * patienceOfCounted : patience))
      return `the list of ${name} did not end in time: ${this.#itemCount + count} items were read in ${Math.round(spent / 1000)} s`;
    if (!isCounted && this.#itemCount + count > mostUncounted)
      return `the list of ${name} does not end: ${this.#itemCount + count} items were read, and the server has more`;
    return undefined;
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
