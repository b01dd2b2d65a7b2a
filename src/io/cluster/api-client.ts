import { setTimeout as sleep } from 'node:timers/promises';
import type { IncomingMessage } from 'node:http';
import { EnvironmentError } from '../../core/kube/errors.ts';
import type { WebSocket } from 'ws';
import { Credentials } from './credentials.ts';
import { explainConnection, explainStranger, explainUnauthorized, isWorthRetrying } from './failures.ts';
import { plainJson } from './paths.ts';
import { Silence, Transport } from './transport.ts';
import type { Refusal } from './reader.ts';
import type { ConnectionEnvironment } from './flags.ts';
import type { Target } from './target.ts';
import type { Answer } from './transport.ts';

/** A JSON answer; refused requests carry the server's Status. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface ClientOptions {
  /** --request-timeout in milliseconds; absent: only silence ends a request. */
  readonly timeout?: number;
}

const patience = 30_000;
const mostAttempts = 5;
/** Each connection costs both sides a handshake: worth it only where much is asked, or most of the time goes into waiting. */
const atOnceNear = 4;
const atOnceFar = 10;
const nearMs = 5;
const perConnectionNear = 4;
/** The first answer takes a handshake longer. */
const quickMs = { first: 50, later: 8 };

/** What is sent with a request that is more than a question. */
export interface Sending {
  readonly method: 'POST' | 'DELETE';
  readonly body?: unknown;
}

/** Requests with retries: 429, 5xx and connections that break off are tried again inside the request timeout. */
export class ApiClient {
  readonly #target: Target;
  readonly #transport: Transport;
  readonly #credentials: Credentials;
  readonly #environment: ConnectionEnvironment;
  readonly #budget: number;
  readonly #isHard: boolean;
  readonly #queue: (() => void)[] = [];
  #running = 0;
  /** How many of them have taken longer than a quick one. */
  #slow = 0;
  /** What the quickest answer took so far, once a connection was open. */
  #quickest = 0;
  #offset = 0;
  /** Once the server has answered, a failure is one of many reads; before, there is nothing to show. */
  #hasAnswered = false;

  constructor(target: Target, environment: ConnectionEnvironment, options: ClientOptions) {
    this.#target = target;
    this.#environment = environment;
    this.#transport = new Transport(target, environment);
    this.#credentials = new Credentials(target, environment);
    this.#budget = options.timeout ?? patience;
    this.#isHard = options.timeout !== undefined;
  }

  now(): Date {
    return new Date(Date.now() + this.#offset);
  }

  close(): void {
    this.#transport.close();
  }

  async get(path: string, accept: string): Promise<JsonAnswer | Refusal> {
    return this.#exchange(path, accept, undefined);
  }

  /** For what is not a reading: a question that must be posted, or a pod that a flag asked for. */
  async send(path: string, sending: Sending): Promise<JsonAnswer | Refusal> {
    return this.#exchange(path, plainJson, sending);
  }

  async #exchange(path: string, accept: string, sending: Sending | undefined): Promise<JsonAnswer | Refusal> {
    const leave = await this.#enter();
    try {
      const answer = await this.#askPatiently(path, accept, sending);
      return this.#read(answer);
    } catch (error) {
      const explained = explainConnection(error, this.#target, this.#budget, this.#transport.proxy);
      if (error instanceof EnvironmentError || !this.#hasAnswered) throw explained;
      return { state: 'failed', message: explained.message };
    } finally {
      leave();
    }
  }

  /**
   * One GET whose answer may be anything and may come from behind the server, such as from a pod. Whatever the answer is,
   * it is not asked for again: an error may be what the caller wants to know.
   */
  async ask(path: string, limit: number): Promise<Answer> {
    for (let mayRenew = true; ; mayRenew = false) {
      const credential = await this.#credentials.current();
      const begin = performance.now();
      const answer = await this.#transport.ask({ path, accept: '*/*', silence: limit, isHard: true }, credential);
      this.#environment.trace?.({
        method: 'GET',
        path,
        status: answer.status,
        ms: performance.now() - begin,
        bytes: answer.size,
      });
      if (answer.status !== 401 || !mayRenew || !this.#credentials.renew()) return answer;
    }
  }

  /** A websocket, or what the server said instead. */
  async upgrade(path: string, protocols: readonly string[], limit: number): Promise<WebSocket | Answer> {
    for (let mayRenew = true; ; mayRenew = false) {
      const credential = await this.#credentials.current();
      const begin = performance.now();
      const opened = await this.#transport.upgrade({ path, silence: limit }, protocols, credential);
      this.#environment.trace?.({
        method: 'CONNECT',
        path,
        status: 'body' in opened ? opened.status : 101,
        ms: performance.now() - begin,
        bytes: 0,
      });
      if (!('body' in opened) || opened.status !== 401 || !mayRenew || !this.#credentials.renew()) return opened;
    }
  }

  /** Opens a watch: the caller reads the answer as it comes. */
  async stream(
    path: string,
    silence: number,
    signal: AbortSignal,
    accept: string,
  ): Promise<{ readonly response: IncomingMessage; readonly timer: NodeJS.Timeout }> {
    const credential = await this.#credentials.current();
    const opened = await this.#transport
      .stream({ path, accept, silence, signal }, credential)
      .catch((error: unknown) => {
        // In the words of any other request, but no end of the watch: it tries again.
        throw error instanceof EnvironmentError
          ? error
          : new Error(explainConnection(error, this.#target, this.#budget, this.#transport.proxy).message, {
              cause: error,
            });
      });
    if (opened.response.statusCode === 401) this.#credentials.renew();
    this.#environment.trace?.({ method: 'WATCH', path, status: opened.response.statusCode ?? 0, ms: 0, bytes: 0 });
    return opened;
  }

  async #askPatiently(path: string, accept: string, sending: Sending | undefined): Promise<Answer> {
    const deadline = performance.now() + this.#budget;
    let mayRenew = true;
    for (let attempt = 1; ; attempt += 1) {
      const left = deadline - performance.now();
      let pause: number;
      try {
        const answer = await this.#askOnce(path, accept, Math.max(left, 1), sending);
        if (answer.status === 401) {
          if (!mayRenew || !this.#credentials.renew()) throw explainUnauthorized(this.#target);
          mayRenew = false;
          continue;
        }
        if (answer.status !== 429 && answer.status < 500) return answer;
        pause = waitBefore(attempt, answer);
        if (attempt >= mostAttempts || performance.now() + pause > deadline) return answer;
      } catch (error) {
        pause = waitBefore(attempt);
        if (
          error instanceof Silence ||
          !isWorthRetrying(error) ||
          attempt >= mostAttempts ||
          performance.now() + pause > deadline
        )
          throw error;
      }
      await sleep(pause);
    }
  }

  async #askOnce(path: string, accept: string, left: number, sending: Sending | undefined): Promise<Answer> {
    const credential = await this.#credentials.current();
    const begin = performance.now();
    const trace = (status: number, bytes: number): void =>
      this.#environment.trace?.({
        method: sending?.method ?? 'GET',
        path,
        status,
        ms: performance.now() - begin,
        bytes,
      });
    try {
      const answer = await this.#transport.ask(
        {
          path,
          accept,
          silence: left,
          isHard: this.#isHard,
          ...(sending && {
            method: sending.method,
            ...(sending.body !== undefined && { body: JSON.stringify(sending.body) }),
          }),
        },
        credential,
      );
      trace(answer.status, answer.size);
      this.#hasAnswered ||= answer.status < 500 && answer.status !== 401;
      const date = Date.parse(answer.headers.date ?? '');
      // The header counts whole seconds: a smaller difference says nothing.
      if (!Number.isNaN(date)) this.#offset = Math.abs(date - Date.now()) < 2000 ? 0 : date - Date.now();
      return answer;
    } catch (error) {
      trace(0, 0);
      throw error;
    }
  }

  #read(answer: Answer): JsonAnswer | Refusal {
    const type = answer.headers['content-type'] ?? '';
    let body: unknown;
    try {
      body = JSON.parse(answer.body.toString('utf8')) as unknown;
    } catch {
      body = undefined;
    }
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
      const { message } = body as { readonly message?: unknown };
      return {
        status: answer.status,
        body: body as JsonAnswer['body'],
        message: typeof message === 'string' ? message.slice(0, 500) : `status ${answer.status}`,
      };
    }
    // An API group that is not installed is answered in plain text.
    if (answer.status === 404 && !/html/i.test(type))
      return { status: 404, body: {}, message: 'the server does not know this resource' };
    if (answer.status >= 500 || answer.status === 429) {
      const message = `the server answers with status ${answer.status}`;
      if (this.#hasAnswered) return { state: 'failed', message };
      throw new EnvironmentError(
        `the server ${this.#target.cluster.server} answers with status ${answer.status}`,
        'check the API server and what stands in front of it, and try again',
      );
    }
    if (answer.status === 403 && !/html/i.test(type))
      return { state: 'denied', message: answer.body.toString('utf8', 0, 300).trim() };
    throw explainStranger(this.#target, answer.body, type);
  }

  /** Near, one connection answers a few questions sooner than several are open; but none waits behind one that takes its time. */
  get #atOnce(): number {
    const { roundTrip } = this.#transport;
    // Behind a proxy it never shows how long a connection takes.
    if (roundTrip === undefined) return this.#transport.proxy === undefined ? atOnceNear : atOnceFar;
    // A tunnel begins on this machine and ends far away.
    if (roundTrip >= nearMs || this.#quickest > quickMs.later) return atOnceFar;
    const quick = this.#running - this.#slow;
    return Math.min(
      atOnceFar,
      this.#slow + Math.min(atOnceNear, Math.ceil((quick + this.#queue.length) / perConnectionNear)),
    );
  }

  /** Answers with what is to be called when the answer is there. */
  async #enter(): Promise<() => void> {
    await new Promise<void>((resolve) => {
      this.#queue.push(resolve);
      this.#admit();
    });
    let isSlow = false;
    const { [this.#hasAnswered ? 'later' : 'first']: patienceMs } = quickMs;
    const begun = performance.now();
    const timer = setTimeout(() => {
      isSlow = true;
      this.#slow += 1;
      this.#admit();
    }, patienceMs);
    timer.unref();
    return () => {
      clearTimeout(timer);
      if (patienceMs === quickMs.later)
        this.#quickest = Math.min(this.#quickest || Number.POSITIVE_INFINITY, performance.now() - begun);
      this.#running -= 1;
      if (isSlow) this.#slow -= 1;
      this.#admit();
    };
  }

  #admit(): void {
    while (this.#queue.length > 0 && this.#running < this.#atOnce) {
      this.#running += 1;
      this.#queue.shift()?.();
    }
  }
}

/** What the server asks for, or ever longer; never all clients at the same moment. */
function waitBefore(attempt: number, answer?: Answer): number {
  const asked = Number(answer?.headers['retry-after']);
  if (Number.isFinite(asked) && asked >= 0 && answer?.headers['retry-after'] !== undefined) return asked * 1000;
  return 150 * 2 ** attempt * (0.75 + Math.random() / 2);
}
