import { sanitise } from '../../../terminal/sanitise.ts';
import { isEmpty, messageOf, newsOf, refresh, remember } from '../notice.ts';
import type { Announced, Memory, News } from '../notice.ts';
import type { Picture } from '../picture.ts';

/** Where it is kept what was announced. */
export interface MemoryPlace {
  /** Whether this replica is the one that notifies. */
  readonly isMine: () => boolean;
  readonly load: () => Memory;
  /** False: it could not be kept, and the message may be sent again by another replica or after a restart. */
  readonly save: (memory: readonly Announced[]) => Promise<boolean>;
}

export interface NotifierOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A cause must have been there, or been gone, for this long. */
  readonly settleMs: number;
  readonly place: MemoryPlace;
  readonly complain: (message: string) => void;
  readonly firstRetryMs?: number;
  readonly lookMs?: number;
}

const usualRetryMs = 1000;
const longestRetryMs = 300_000;
const usualLookMs = 1000;
const patienceMs = 10_000;
/** The first message waits this many times as long for causes that come and go, or it would never be sent. */
const firstPatience = 3;

/**
 * Sends a message when a cause appears or is gone. What was not delivered stays news, so it is sent again until it was.
 */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #ending = new AbortController();
  /** Since when each key has been there, or gone. */
  #since = new Map<string, number>();
  #picture: Picture | undefined;
  #memory: Memory;
  #wasMine = false;
  #isBusy = false;
  #retryMs: number;
  #notBefore = 0;
  #trouble = '';
  #sent = 0;
  #failed = 0;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#retryMs = options.firstRetryMs ?? usualRetryMs;
    this.#timer = setInterval(() => void this.#look(), options.lookMs ?? usualLookMs);
    this.#timer.unref();
  }

  get counts(): { readonly sent: number; readonly failed: number } {
    return { sent: this.#sent, failed: this.#failed };
  }

  take(picture: Picture): void {
    this.#picture = picture;
    void this.#look();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#ending.abort();
  }

  async #look(): Promise<void> {
    const { place } = this.#options;
    if (!place.isMine()) {
      this.#wasMine = false;
      return;
    }
    if (!this.#wasMine) this.#memory = place.load();
    this.#wasMine = true;
    if (this.#isBusy || this.#picture === undefined || performance.now() < this.#notBefore) return;
    this.#memory = refresh(this.#memory, this.#picture);
    const news = newsOf(this.#picture, this.#memory);
    const settled = news && this.#settle(news);
    if (settled === undefined) return;
    this.#isBusy = true;
    try {
      if (isEmpty(settled) || (await this.#deliver(messageOf(settled, this.#picture)))) await this.#keep(settled);
    } finally {
      this.#isBusy = false;
    }
  }

  /**
   * Only what has lasted; undefined while there is nothing to do. The first message waits until everything has, for a
   * while.
   */
  #settle(news: News): News | undefined {
    const now = performance.now();
    const keys = [...news.appeared.map(({ key }) => `+${key}`), ...news.cleared.map(({ key }) => `-${key}`)];
    this.#since = new Map(keys.map((key) => [key, this.#since.get(key) ?? now]));
    const hasLasted = (key: string): boolean => now - (this.#since.get(key) ?? now) >= this.#options.settleMs;
    const settled = {
      ...news,
      appeared: news.appeared.filter(({ key }) => hasLasted(`+${key}`)),
      cleared: news.cleared.filter(({ key }) => hasLasted(`-${key}`)),
    };
    if (!news.isFirst) return isEmpty(settled) ? undefined : settled;
    const oldest = Math.min(now, ...this.#since.values());
    const isPatient = now - oldest < this.#options.settleMs * firstPatience;
    return isPatient && !keys.every(hasLasted) ? undefined : settled;
  }

  async #keep(news: News): Promise<void> {
    this.#memory = remember(this.#memory, news);
    const isKept = await this.#options.place.save(this.#memory).catch(() => false);
    if (!isKept)
      this.#options.complain('What was announced could not be stored: it may be announced again after a restart.');
  }

  async #deliver(message: object): Promise<boolean> {
    const outcome = await post(this.#options, message, this.#ending.signal);
    if (outcome === undefined) {
      this.#sent += 1;
      this.#retryMs = this.#options.firstRetryMs ?? usualRetryMs;
      this.#trouble = '';
      return true;
    }
    if (this.#ending.signal.aborted) return false;
    this.#failed += 1;
    if (outcome.trouble !== this.#trouble)
      this.#options.complain(`A notification could not be delivered: ${outcome.trouble}. It is sent again later.`);
    this.#trouble = outcome.trouble;
    this.#notBefore = performance.now() + Math.max(this.#retryMs, outcome.retryAfterMs ?? 0);
    this.#retryMs = Math.min(this.#retryMs * 2, longestRetryMs);
    return false;
  }
}

interface Undelivered {
  readonly trouble: string;
  readonly retryAfterMs?: number;
}

/**
 * Undefined when it was delivered. The address can be a secret and its answer can repeat it, so neither is ever part of
 * a message.
 */
async function post(
  { url, headers }: NotifierOptions,
  message: object,
  signal: AbortSignal,
): Promise<Undelivered | undefined> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': 'kubectl-csi', ...headers },
      body: JSON.stringify(message),
      // A receiver that moved could be anyone.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
    });
    await answer.body?.cancel();
    if (answer.ok) return undefined;
    const seconds = Number(answer.headers.get('retry-after') ?? Number.NaN);
    return {
      trouble: `the receiver answered with status ${answer.status}`,
      ...(seconds > 0 && { retryAfterMs: Math.min(seconds * 1000, longestRetryMs) }),
    };
  } catch (error) {
    const { name, cause } = error as Error & { readonly cause?: { readonly code?: unknown } };
    if (name === 'TimeoutError') return { trouble: 'the receiver does not answer' };
    const code = typeof cause?.code === 'string' ? cause.code : 'the connection failed';
    return { trouble: `the receiver cannot be reached (${sanitise(code)})` };
  }
}
