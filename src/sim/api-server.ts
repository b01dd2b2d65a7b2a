import { randomUUID } from 'node:crypto';
import { createServer, ServerResponse } from 'node:http';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RawObject, Snapshot } from '../core/kube/snapshot.ts';
import type { Callers } from './caller-reviews.ts';
import { failureAnswer, readBody } from './api-answer.ts';
import type { Answer } from './api-answer.ts';
import { ClusterApi } from './cluster-api.ts';
import { runControllers } from './controllers/loop.ts';
import type { ControllerOptions } from './controllers/loop.ts';
import { FaultPlan } from './faults.ts';
import type { Faults } from './faults.ts';
import { textAt } from './fields.ts';
import { keepLeasesFresh } from './heartbeat.ts';
import type { PodContents } from './pod-api.ts';
import { agreeOn, serveStream } from './pod-streams.ts';
import type { PodStream } from './pod-streams.ts';
import { ApiFailure, internalError } from './status.ts';

export interface ApiServerOptions extends PodContents {
  /** 0 or absent: any free port. */
  readonly port?: number;
  readonly faults?: Faults;
  /** The user whose name appears when something is denied. */
  readonly user?: string;
  /** The clock of ages in tables, in milliseconds; by default it starts at the snapshot's time and runs on. */
  readonly now?: () => number;
  /** Leases that were held when the snapshot was taken stay held; true by default. */
  readonly renewsLeases?: boolean;
  /** How long a pod that a client creates takes to be scheduled, to start and to end; a moment by default. */
  readonly podStepMs?: number;
  /** Whose tokens the server recognises in a TokenReview. */
  readonly callers?: Callers;
  /** Accepts changes, and runs these controllers over them. Without it, the cluster never changes. */
  readonly controllers?: ControllerOptions;
}

export interface RequestRecord {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly accept: string;
  /** 0 while there is no answer yet. */
  readonly status: number;
  /** Bytes of the body as sent. */
  readonly bytes: number;
}

export interface ApiServer {
  readonly url: string;
  readonly port: number;
  /** In the order of arrival; the oldest are forgotten after some thousands. */
  readonly requests: readonly RequestRecord[];
  apply(object: RawObject): RawObject;
  remove(kind: string, namespace: string | undefined, name: string): boolean;
  /** Calls back with each pod that begins to run. */
  onPodStarted(callback: (pod: RawObject) => void): void;
  close(): Promise<void>;
}

type MutableRecord = { -readonly [Field in keyof RequestRecord]: RequestRecord[Field] };

interface Upgrade {
  readonly socket: Socket;
  readonly head: Buffer;
}

/** What every request of one server uses. */
interface ServerParts {
  readonly api: ClusterApi;
  readonly faults: FaultPlan;
  readonly now: () => number;
  readonly requests: MutableRecord[];
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly upgrade: Upgrade | undefined;
  readonly url: URL;
  readonly record: MutableRecord;
}

/** What a proxy in front of a cluster answers to a client that has not signed in. */
const signInPage: Answer = {
  status: 200,
  body: '<!doctype html>\n<html><head><title>Sign in</title></head><body>Sign in to continue</body></html>\n',
  contentType: 'text/html; charset=utf-8',
};

const compress = promisify(gzip);
/** The real server compresses from here on (apiserver's defaultGzipThresholdBytes). */
const gzipFromBytes = 128 * 1024;
const rememberedRequests = 10_000;

/** An API server over a snapshot, on the loopback address only. */
export async function startApiServer(snapshot: Snapshot, options: ApiServerOptions = {}): Promise<ApiServer> {
  const faults = new FaultPlan(options.faults ?? {});
  const now = options.now ?? clockOf(snapshot);
  const api = new ClusterApi(snapshot, {
    ...options,
    faults,
    user: options.user ?? 'viewer',
    now,
    podStepMs: options.podStepMs ?? 30,
    isWritable: options.controllers !== undefined,
    callers: options.callers ?? {},
  });
  const upgraded = new Set<Socket>();
  const requests: MutableRecord[] = [];
  const server = serve({ api, faults, now, requests }, upgraded);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const stopWorking = startWorking(snapshot, api, options, now);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    apply: (object) => api.store.apply(object),
    remove: (kind, namespace, name) => api.store.remove(kind, namespace, name),
    onPodStarted: (callback) =>
      void api.store.subscribeAll(({ entry: { object }, previous }) => {
        const isRunning = (candidate: RawObject | undefined): boolean =>
          candidate?.kind === 'Pod' && textAt(candidate, 'status', 'phase') === 'Running';
        if (isRunning(object) && !isRunning(previous?.object)) callback(object);
      }),
    close: () =>
      new Promise((resolve) => {
        stopWorking();
        api.stop();
        for (const socket of upgraded) socket.destroy();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Controllers, or at least leases that stay held. */
function startWorking(snapshot: Snapshot, api: ClusterApi, options: ApiServerOptions, now: () => number): () => void {
  if (options.controllers !== undefined) return runControllers(api.cluster, api.writes, options.controllers);
  return options.renewsLeases === false ? () => undefined : keepLeasesFresh(snapshot, api.store, now);
}

function serve(parts: ServerParts, upgraded: Set<Socket>): Server {
  const server = createServer((request, response) => {
    handle(parts, request, response).catch(() => response.destroy());
  });
  server.on('upgrade', (request, socket: Socket, head) => {
    upgraded.add(socket);
    socket.on('close', () => upgraded.delete(socket)).on('error', () => undefined);
    // What is refused before the upgrade is answered as any other request.
    const response = new ServerResponse(request);
    response.assignSocket(socket);
    response.shouldKeepAlive = false;
    response.on('finish', () => socket.end());
    handle(parts, request, response, { socket, head }).catch(() => socket.destroy());
  });
  // A client that goes away in the middle is no concern of the others.
  server.on('clientError', (_error, socket) => socket.destroy());
  return server;
}

/** One request, from its record to the last byte of its answer. */
async function handle(
  parts: ServerParts,
  request: IncomingMessage,
  response: ServerResponse,
  upgrade?: Upgrade,
): Promise<void> {
  const { faults, now } = parts;
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const record = recordRequest(parts.requests, request, url);
  response.setHeader('Date', new Date(now()).toUTCString());
  // As on every answer of a real server (filter WithAuditInit): it tells the page for an unknown API from that of a
  // proxy.
  response.setHeader('Audit-Id', randomUUID());
  const path = url.pathname + url.search;
  const latency = faults.latency(path);
  if (latency > 0) await sleep(latency, undefined, { ref: false });
  const disruption = faults.disruption(path);
  if (disruption === 'hang') return;
  if (disruption === 'disconnect') return void request.socket.destroy();
  const exchange: Exchange = { request, response, upgrade, url, record };
  const answer = disruption === 'html' ? signInPage : await answerOf(() => answerExchange(parts, exchange));
  if (answer !== undefined) await send(answer, request, response, record);
  else if (record.status === 0) record.status = 200;
}

function recordRequest(requests: MutableRecord[], request: IncomingMessage, url: URL): MutableRecord {
  const record: MutableRecord = {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    accept: request.headers.accept ?? '',
    status: 0,
    bytes: 0,
  };
  requests.push(record);
  if (requests.length > rememberedRequests) requests.splice(0, requests.length - rememberedRequests);
  return record;
}

async function answerExchange({ api, faults }: ServerParts, exchange: Exchange): Promise<Answer | undefined> {
  const { request, response, upgrade, url, record } = exchange;
  faults.admit(url.pathname + url.search, request.headers.authorization);
  const stream = upgrade && api.openStream(url.pathname, url.searchParams);
  if (upgrade && stream) return answerStream(stream, upgrade, exchange);
  const write = (line: string): void => {
    record.status = 200;
    record.bytes += Buffer.byteLength(line);
    response.write(line);
  };
  const { method, accept } = record;
  let read: Promise<Buffer> | undefined;
  const body = (): Promise<Buffer> => (read ??= readBody(request));
  const { 'content-type': contentType, 'user-agent': userAgent } = request.headers;
  const asked = { method, path: url.pathname, query: url.searchParams, accept, contentType, userAgent, body };
  return api.answer(asked, response, write);
}

async function answerStream(
  stream: PodStream,
  { socket, head }: Upgrade,
  { request, response, record }: Exchange,
): Promise<Answer | undefined> {
  const protocol = agreeOn(stream, request);
  if (protocol === undefined)
    return { status: 403, body: 'no matching protocol\n', contentType: 'text/plain; charset=utf-8' };
  record.status = 101;
  response.detachSocket(socket);
  await serveStream(stream, protocol, request, socket, head);
  return undefined;
}

async function answerOf(work: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
  try {
    return await work();
  } catch (error) {
    return failureAnswer(error instanceof ApiFailure ? error : internalError(error));
  }
}

async function send(
  answer: Answer,
  request: IncomingMessage,
  response: ServerResponse,
  record: MutableRecord,
): Promise<void> {
  const plain = Buffer.from(answer.body);
  const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  const isCompressed = takesGzip && plain.length >= gzipFromBytes;
  const body = isCompressed ? await compress(plain, { level: 1 }) : plain;
  record.status = answer.status;
  record.bytes = body.length;
  response.writeHead(answer.status, {
    'Content-Type': answer.contentType,
    'Content-Length': body.length,
    'Cache-Control': 'no-cache, private',
    ...(isCompressed ? { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' } : {}),
    ...retryAfter(answer),
  });
  response.end(body);
}

function retryAfter(answer: Answer): Record<string, string> {
  if (answer.status !== 429) return {};
  const status = JSON.parse(answer.body) as { details?: { retryAfterSeconds?: number } };
  return { 'Retry-After': String(status.details?.retryAfterSeconds ?? 1) };
}

function clockOf(snapshot: Snapshot): () => number {
  const taken = Date.parse(snapshot.takenAt);
  const started = Date.now();
  return Number.isNaN(taken) ? Date.now : () => taken + (Date.now() - started);
}
