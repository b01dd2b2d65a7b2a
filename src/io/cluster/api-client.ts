import { setTimeout as sleep } from 'node:timers/promises';
import type { IncomingMessage } from 'node:http';
import { EnvironmentError } from '../../core/kube/errors.ts';
import type { WebSocket } from 'ws';
import { Credentials } from './credentials.ts';
import { explainConnection, explainStranger, explainUnauthorized, isWorthRetrying } from './failures.ts';
import { plainJson } from './paths.ts';
import { RequestQueue } from './request-queue.ts';
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
  /** --request-timeout in milliseconds; without it a request ends only when the server is silent for too long. */
  readonly timeout?: number;
}

const patience = 30_000;
const mostAttempts = 5;
/** A request that is not a GET. */
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
  readonly #queue: RequestQueue;
  /** The server's clock minus ours, in milliseconds. */
  #clockOffset = 0;
  /** Before the first answer a failure ends the program; after it, the failure of one read is a result like any other. */
  #hasAnswered = false;

  constructor(target: Target, environment: ConnectionEnvironment, options: ClientOptions) {
    this.#target = target;
    this.#environment = environment;
    this.#transport = new Transport(target, environment);
    this.#queue = new RequestQueue(() => ({
      roundTripMs: this.#transport.roundTrip,
      hasProxy: this.#transport.proxy !== undefined,
    }));
    this.#credentials = new Credentials(target, environment);
    this.#budget = options.timeout ?? patience;
    this.#isHard = options.timeout !== undefined;
  }

  now(): Date {
    return new Date(Date.now() + this.#clockOffset);
  }

  close(): void {
    this.#transport.close();
  }

  async get(path: string, accept: string): Promise<JsonAnswer | Refusal> {
    return this.#exchange(path, accept, undefined);
  }

  /** For access reviews, which are posted, and for pods that a flag asks to create. */
  async send(path: string, sending: Sending): Promise<JsonAnswer | Refusal> {
    return this.#exchange(path, plainJson, sending);
  }

  async #exchange(path: string, accept: string, sending: Sending | undefined): Promise<JsonAnswer | Refusal> {
    const leave = await this.#queue.enter();
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
   * One GET that the server may pass on, such as to a pod. The answer may be anything and is never retried: an error may be what
   * the caller wants to know.
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

  /** A websocket, or the server's answer if it does not open one. */
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

  /** Opens a watch; the caller reads the answer as it comes in. */
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
        // Same sentence as for any other request, but not an EnvironmentError: the watch tries again.
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
      if (answer.status < 500 && answer.status !== 401) {
        this.#hasAnswered = true;
        this.#queue.noteAnswer();
      }
      const date = Date.parse(answer.headers.date ?? '');
      // The Date header has whole seconds, so a smaller difference means nothing.
      if (!Number.isNaN(date)) this.#clockOffset = Math.abs(date - Date.now()) < 2000 ? 0 : date - Date.now();
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
    // The answer for an API group that is not installed is plain text.
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
}

/** What Retry-After asks for, or exponential backoff with jitter, so that clients do not come back all at once. */
function waitBefore(attempt: number, answer?: Answer): number {
  const asked = Number(answer?.headers['retry-after']);
  if (Number.isFinite(asked) && asked >= 0 && answer?.headers['retry-after'] !== undefined) return asked * 1000;
  return 150 * 2 ** attempt * (0.75 + Math.random() / 2);
}
