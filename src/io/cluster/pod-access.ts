import { request } from 'node:http';
import { codeOf } from './failures.ts';
import { plainJson } from './paths.ts';
import { execSession, forwardedPort } from './pod-stream.ts';
import type { ExecSession, ForwardedPort } from './pod-stream.ts';
import { Silence } from './transport.ts';
import type { NoWay, PodAnswer, PodName } from '../csi/pod-conversation.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import type { ApiClient } from './api-client.ts';
import type { Answer } from './answer-body.ts';

const mostText = 4096;
const execProtocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'] as const;
const forwardProtocols = ['v4.channel.k8s.io'] as const;

/** How much of a log is read, and which. */
interface LogLimits {
  readonly lines: number;
  readonly bytes: number;
  readonly milliseconds: number;
  /** Nothing older, RFC 3339. */
  readonly since?: string;
  /** The log of the instance before the last restart. */
  readonly isPrevious?: boolean;
  /** Each line begins with the time at which the container runtime received it. */
  readonly isStamped?: boolean;
}

/** Connections into the pods of a cluster, all of them through its API server. */
export class PodAccess {
  readonly #client: ApiClient;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  /** A GET that the API server proxies to a port of the pod. */
  async proxyGet(pod: PodName, port: number, path: string, limit: number): Promise<PodAnswer | NoWay> {
    const begun = performance.now();
    return this.#attempt(async () => {
      const answer = await this.#client.ask(`${podPath(pod, `:${port}`)}/proxy${path}`, limit);
      const refusal = refusalOf(answer);
      return (
        refusal ?? {
          type: 'answer',
          status: answer.status,
          body: answer.body.toString('utf8', 0, mostText),
          milliseconds: performance.now() - begun,
        }
      );
    });
  }

  /**
   * A GET through a port-forward: the kubelet connects inside the pod, so it also reaches listeners on the pod's
   * loopback address.
   */
  async forwardGet(pod: PodName, port: number, path: string, limit: number): Promise<PodAnswer | NoWay> {
    return this.#attempt(async () => {
      const opened = await this.#client.upgrade(`${podPath(pod)}/portforward?ports=${port}`, forwardProtocols, limit);
      if ('body' in opened) return refusalOf(opened) ?? unexpected(opened);
      const forwarded = forwardedPort(opened);
      try {
        return await getOver(forwarded, path, limit);
      } finally {
        forwarded.stream.destroy();
      }
    });
  }

  /** Runs a command in a container, without a terminal, for as long as the stream is open. */
  async exec(
    pod: PodName,
    container: string,
    command: readonly string[],
    limit: number,
  ): Promise<({ readonly type: 'session' } & ExecSession) | NoWay> {
    const parameters = new URLSearchParams({ container, stdin: 'true', stdout: 'true', stderr: 'true' });
    for (const word of command) parameters.append('command', word);
    return this.#attempt(async () => {
      const opened = await this.#client.upgrade(`${podPath(pod)}/exec?${parameters}`, execProtocols, limit);
      if ('body' in opened) return refusalOf(opened) ?? unexpected(opened);
      return { type: 'session', ...execSession(opened) };
    });
  }

  /** The last lines of a container. The server counts the bytes too, and a server that does not is cut off here. */
  async log(
    pod: PodName,
    container: string,
    { lines, bytes, milliseconds, since, isPrevious = false, isStamped = false }: LogLimits,
  ): Promise<{ readonly type: 'log'; readonly text: string; readonly isCut: boolean } | NoWay> {
    const parameters = new URLSearchParams({ container, tailLines: String(lines), limitBytes: String(bytes) });
    if (since !== undefined) parameters.set('sinceTime', since);
    if (isPrevious) parameters.set('previous', 'true');
    if (isStamped) parameters.set('timestamps', 'true');
    return this.#attempt(async () => {
      const answer = await this.#client.ask(`${podPath(pod)}/log?${parameters}`, milliseconds);
      if (answer.status !== 200)
        return refusalOf(answer) ?? noWay('failed', `the server answers with status ${answer.status}`);
      return { type: 'log', text: answer.body.toString('utf8', 0, bytes), isCut: answer.body.length >= bytes };
    });
  }

  async create(pod: RawObject): Promise<{ readonly type: 'created'; readonly object: RawObject } | NoWay> {
    const answer = await this.#client.send(
      `/api/v1/namespaces/${encodeURIComponent(pod.metadata.namespace ?? '')}/pods`,
      { method: 'POST', body: pod },
    );
    if ('state' in answer) return noWay(answer.state === 'denied' ? 'forbidden' : 'failed', answer.message);
    // 409: the name is unique to this run, so the pod is the one that an earlier attempt created.
    if (answer.status === 201 || answer.status === 200 || answer.status === 409)
      return { type: 'created', object: answer.body as unknown as RawObject };
    return noWay(reasonOf(answer.status), answer.message);
  }

  /** Deletes a pod without a grace period. A pod that is already gone is no failure. */
  async remove(pod: PodName): Promise<NoWay | undefined> {
    const answer = await this.#client.send(podPath(pod), {
      method: 'DELETE',
      body: { apiVersion: 'v1', kind: 'DeleteOptions', gracePeriodSeconds: 0 },
    });
    if ('state' in answer) return noWay(answer.state === 'denied' ? 'forbidden' : 'failed', answer.message);
    return answer.status < 300 || answer.status === 404 ? undefined : noWay(reasonOf(answer.status), answer.message);
  }

  /** The pod as it is now; undefined if it does not exist or cannot be read. */
  async look(pod: PodName): Promise<Readonly<Record<string, unknown>> | undefined> {
    const answer = await this.#client.get(podPath(pod), plainJson);
    return 'state' in answer || answer.status !== 200 ? undefined : answer.body;
  }

  /** The API server has answered before, so a failure here concerns this one way into the pod. */
  async #attempt<Result>(work: () => Promise<Result>): Promise<Result | NoWay> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Silence) return noWay('unreachable', 'no answer came in time');
      const code = codeOf(error);
      if (code === '' && !(error instanceof Error)) throw error;
      return noWay('failed', error instanceof Error ? (error.message.split('\n', 1)[0] ?? code) : code);
    }
  }
}

/** One GET over the stream of a forwarded port. */
function getOver({ stream, problem }: ForwardedPort, path: string, limit: number): Promise<PodAnswer | NoWay> {
  const begun = performance.now();
  return new Promise((resolve) => {
    const fail = (error: Error): void =>
      resolve(problem() === undefined ? noWay('unreachable', error.message) : noWayByWords(problem() ?? ''));
    const headers = { host: 'localhost', connection: 'close' };
    const asked = request(
      { path, method: 'GET', headers, createConnection: () => stream, timeout: limit },
      (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (text: string) => {
          if (body.length < mostText) body += text;
        });
        response.on('end', () =>
          resolve({
            type: 'answer',
            status: response.statusCode ?? 0,
            body: body.slice(0, mostText),
            milliseconds: performance.now() - begun,
          }),
        );
        response.on('error', fail);
      },
    );
    asked.on('error', fail);
    const late = setTimeout(() => asked.destroy(new Error('no answer came through the forwarded port')), limit);
    asked.on('close', () => clearTimeout(late));
    asked.end();
  });
}

function podPath({ namespace, name }: PodName, suffix = ''): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}${suffix}`;
}

const noWay = (reason: NoWay['reason'], message: string): NoWay => ({ type: 'no way', reason, message });
const unexpected = ({ status }: Answer): NoWay =>
  noWay('failed', `the server answered with status ${status} instead of opening the stream`);

/** A Status is the answer of the API server; anything else is the answer of the pod behind it. */
function refusalOf(answer: Answer): NoWay | undefined {
  if (answer.status < 400) return undefined;
  if (!/json/i.test(answer.headers['content-type'] ?? ''))
    return answer.status === 403 || answer.status === 401
      ? noWay('forbidden', answer.body.toString('utf8', 0, 300).trim())
      : undefined;
  try {
    const { kind, message } = JSON.parse(answer.body.toString('utf8')) as {
      readonly kind?: unknown;
      readonly message?: unknown;
    };
    if (kind !== 'Status') return undefined;
    const words = typeof message === 'string' ? message.slice(0, 500) : `status ${answer.status}`;
    if (answer.status >= 500) return noWayByWords(words);
    return noWay(reasonOf(answer.status), words);
  } catch {
    return undefined;
  }
}

function reasonOf(status: number): NoWay['reason'] {
  if (status === 401 || status === 403) return 'forbidden';
  return status === 404 ? 'missing' : 'failed';
}

/** Only the message distinguishes a port without a listener from a network without a route. */
function noWayByWords(words: string): NoWay {
  return noWay(/connection refused/i.test(words) ? 'closed' : 'unreachable', words);
}
