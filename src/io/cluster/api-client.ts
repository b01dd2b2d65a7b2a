import { setTimeout as sleep } from 'node:timers/promises';
import type { IncomingMessage } from 'node:http';
import { EnvironmentError } from '../../core/kube/errors.ts';
import type { WebSocket } from 'ws';
import { Credentials } from './credentials.ts';
import type { Credential } from './credentials.ts';
import { isKubernetes, readAnswer } from './answers.ts';
import type { JsonAnswer } from './answers.ts';
import { explainConnection, explainUnauthorized, isWorthRetrying } from './failures.ts';
import { plainJson } from './paths.ts';
import { RequestQueue } from './request-queue.ts';
import { trustFor } from './secure-context.ts';
import { resourceIn, ServerStanding } from './server-standing.ts';
import type { TextAnswer } from './usage/usage-request.ts';
import { Silence, Transport } from './transport.ts';
import type { Refusal } from './reader.ts';
import type { ConnectionEnvironment } from './flags.ts';
import type { Target } from './target.ts';
import type { Answer } from './answer-body.ts';
import type { Question } from './transport.ts';

export interface ClientOptions {
  /** --request-timeout in milliseconds; without it a request ends only when the server is silent for too long. */
  readonly timeout?: number;
}

const usualPatience = 30_000;
const mostAttempts = 5;
/** Anything shorter is no token, and may be part of any word. */
const leastSecret = 8;

/** A request that is not a GET. */
export interface Sending {
  readonly method: 'POST' | 'PUT' | 'DELETE';
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
  readonly #standing: ServerStanding;
  /** The token that was sent last: a server may repeat it in its answer. */
  #secret = '';

  constructor(target: Target, environment: ConnectionEnvironment, options: ClientOptions) {
    this.#target = target;
    this.#environment = environment;
    this.#transport = new Transport(target, environment);
    this.#queue = new RequestQueue(() => ({
      roundTripMs: this.#transport.roundTrip,
      hasProxy: this.#transport.proxy !== undefined,
    }));
    this.#credentials = new Credentials(target, environment);
    this.#budget = options.timeout ?? usualPatience;
    this.#isHard = options.timeout !== undefined;
    this.#standing = new ServerStanding(this.#budget);
  }

  /** How long one request may take: --request-timeout, or else how long the server may be silent. */
  get patience(): number {
    return this.#budget;
  }

  /** Whether each round of requests is a wait. */
  get isDistant(): boolean {
    return this.#queue.isDistant;
  }

  /** The text without the token, which a server may repeat in its messages. */
  hide(text: string): string {
    return this.#secret === '' ? text : text.replaceAll(this.#secret, '***');
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

  /** For access reviews, which are posted, and for pods and leases, which only a flag creates. */
  async send(path: string, sending: Sending): Promise<JsonAnswer | Refusal> {
    return this.#exchange(path, plainJson, sending);
  }

  async #exchange(path: string, accept: string, sending: Sending | undefined): Promise<JsonAnswer | Refusal> {
    const leaveQueue = await this.#queue.enter();
    const leaveStanding = this.#standing.enter();
    const resource = resourceIn(path);
    const begun = performance.now();
    try {
      if (this.#standing.isKnown && this.#standing.isSilent(resource)) throw new Silence();
      const answer = readAnswer(await this.#askPatiently(path, accept, sending), this.#target);
      if ('problem' in answer) return await this.#fail(answer.problem);
      if (isKubernetes(answer) && answer.status < 500 && answer.status !== 429) {
        this.#standing.noteAnswer(resource);
        this.#queue.noteAnswer();
      } else if (answer.status >= 500 || answer.status === 429) {
        this.#standing.noteFailure(resource);
        // An API server that answers with errors only has nothing to read.
        return await this.#fail(
          new EnvironmentError(
            `the server ${this.#target.cluster.server} answered with status ${answer.status}: ${answer.message}`,
            'Check the API server and any proxy in front of it, and try again',
          ),
          answer.message,
        );
      }
      return answer;
    } catch (error) {
      if (error instanceof EnvironmentError) throw error;
      if (error instanceof Silence) this.#standing.noteSilence(resource, begun);
      else this.#standing.noteFailure(resource);
      return await this.#fail(explainConnection(error, this.#target, this.#budget, this.#transport.proxy));
    } finally {
      leaveStanding();
      leaveQueue();
    }
  }

  /** The failure of one read, or the end of the program if there is no sign of an API server. */
  async #fail(problem: EnvironmentError, message = problem.message): Promise<Refusal> {
    if (!(await this.#standing.decide())) throw problem;
    return { state: 'failed', message };
  }

  /**
   * One GET that the server may pass on, such as to a pod. The answer may be anything and is never retried: an error
   * may be what the caller needs.
   */
  async ask(path: string, limit: number): Promise<Answer> {
    for (let mayRenew = true; ; mayRenew = false) {
      const credential = await this.#credentials.current();
      const begin = performance.now();
      const answer = this.#withoutSecret(
        await this.#transport.ask({ path, accept: '*/*', silence: limit, isHard: true }, credential),
        credential,
      );
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

  /**
   * One GET of another server that accepts the same credentials: a kubelet at its own port. Its certificate is verified
   * against the given authority or that of the cluster, before any credential is sent.
   */
  async askOther(address: URL, authority: string | undefined): Promise<TextAnswer> {
    const credential = await this.#credentials.current();
    this.#secret = secretOf(credential);
    const { cluster } = this.#target;
    const trust =
      authority === undefined
        ? { ...cluster, 'insecure-skip-tls-verify': false }
        : { 'certificate-authority-data': Buffer.from(authority).toString('base64') };
    const { getText } = await import('./usage/get-text.ts');
    const answer = await getText(address, {
      headers: credential.headers,
      secureContext: trustFor(trust, credential),
    });
    return answer.type === 'failed' ? { ...answer, message: this.hide(answer.message) } : answer;
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
    this.#secret = secretOf(credential);
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
        if (this.#standing.isFailing(resourceIn(path))) return answer;
      } catch (error) {
        pause = waitBefore(attempt);
        if (
          error instanceof Silence ||
          !isWorthRetrying(error) ||
          attempt >= mostAttempts ||
          performance.now() + pause > deadline ||
          this.#standing.isFailing(resourceIn(path))
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
      const body = sending?.body === undefined ? undefined : JSON.stringify(sending.body);
      const question: Question = {
        path,
        accept,
        silence: left,
        isHard: this.#isHard,
        ...(sending && { method: sending.method }),
        ...(body !== undefined && { body }),
      };
      const answer = this.#withoutSecret(await this.#transport.ask(question, credential), credential);
      trace(answer.status, answer.size);
      const date = Date.parse(answer.headers.date ?? '');
      // The Date header has whole seconds, so a smaller difference means nothing.
      if (!Number.isNaN(date)) this.#clockOffset = Math.abs(date - Date.now()) < 2000 ? 0 : date - Date.now();
      return answer;
    } catch (error) {
      trace(0, 0);
      throw error;
    }
  }

  #withoutSecret(answer: Answer, credential: Credential): Answer {
    this.#secret = secretOf(credential);
    // What was read is not touched: only refusals are quoted.
    if (answer.status < 300 || this.#secret === '' || !answer.body.includes(this.#secret)) return answer;
    return { ...answer, body: Buffer.from(this.hide(answer.body.toString('utf8'))) };
  }
}

/** The token or password in the headers. */
function secretOf({ headers }: Credential): string {
  const authorization = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  const secret = typeof authorization === 'string' ? authorization.slice(authorization.indexOf(' ') + 1) : '';
  return secret.length < leastSecret ? '' : secret;
}

/**
 * The delay that Retry-After requests, or exponential backoff with jitter, so that clients do not return all at once.
 */
function waitBefore(attempt: number, answer?: Answer): number {
  const asked = Number(answer?.headers['retry-after']);
  if (Number.isFinite(asked) && asked >= 0 && answer?.headers['retry-after'] !== undefined) return asked * 1000;
  return 150 * 2 ** attempt * (0.75 + Math.random() / 2);
}
