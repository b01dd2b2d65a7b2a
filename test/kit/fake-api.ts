import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resourceNamed } from '../../src/core/kube/resources.ts';

export interface FakeRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

export interface FakeAnswer {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Never answer. */
  readonly hangs?: boolean;
  /** Cut the connection before answering. */
  readonly breaks?: boolean;
  /** Lines of a watch; the connection stays open after them when asked to. */
  readonly lines?: readonly unknown[];
  readonly staysOpen?: boolean;
}

export interface FakeApi {
  readonly url: string;
  readonly requests: FakeRequest[];
  close(): Promise<void>;
}

/** A loopback server that answers as it is told, for one test. Credentials are sent only to one with a certificate. */
export async function startFakeApi(
  answer: (request: FakeRequest, count: number) => FakeAnswer | undefined,
  tls?: { readonly certificate: string; readonly key: string },
): Promise<FakeApi> {
  const requests: FakeRequest[] = [];
  const listener: RequestListener = (incoming, response) => {
    const url = new URL(incoming.url ?? '/', 'http://fake');
    const request = { path: url.pathname, query: url.searchParams, headers: incoming.headers };
    requests.push(request);
    const given = answer(request, requests.filter(({ path }) => path === request.path).length) ?? notFound();
    respond(response, given, listKindOf(request));
  };
  const server = tls
    ? createTlsServer({ cert: readFileSync(tls.certificate), key: readFileSync(tls.key) }, listener)
    : createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** The identity of a list of what the path names, in the form that was asked for. */
function listKindOf({ path, headers }: FakeRequest): Readonly<Record<string, string>> {
  if (/PartialObjectMetadataList/.test(headers.accept ?? ''))
    return { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' };
  const [, core, group] = /^\/(?:api\/([^/]+)|apis\/([^/]+\/[^/]+))\//.exec(path) ?? [];
  const resource = resourceNamed(path.split('/').at(-1) ?? '');
  return { kind: `${resource?.kind ?? ''}List`, apiVersion: core ?? group ?? '' };
}

function respond(response: ServerResponse, answer: FakeAnswer, list: Readonly<Record<string, string>>): void {
  if (answer.hangs === true) return;
  if (answer.breaks === true) {
    response.destroy();
    return;
  }
  const isText = typeof answer.body === 'string';
  response.writeHead(answer.status ?? 200, {
    'content-type': isText ? 'text/plain' : 'application/json',
    ...answer.headers,
  });
  if (answer.lines) {
    for (const line of answer.lines) response.write(`${JSON.stringify(line)}\n`);
    if (answer.staysOpen !== true) response.end();
    return;
  }
  const { body = {} } = answer;
  const isList = (body as { readonly kind?: unknown }).kind === 'List';
  response.end(isText ? body : JSON.stringify(isList ? { ...(body as object), ...list } : body));
}

/** A list of whatever the request was for. */
export function listOf(items: readonly unknown[], metadata: Readonly<Record<string, unknown>> = {}): FakeAnswer {
  return { body: { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '100', ...metadata }, items } };
}

/** 404 for an API group that is not there, as the API server sends it. */
export function notFound(): FakeAnswer {
  return { status: 404, body: '404 page not found\n', headers: { 'audit-id': '7a6b' } };
}

export function missing(resource: string, name: string): FakeAnswer {
  return status(404, 'NotFound', `${resource} "${name}" not found`, { name, kind: resource });
}

export function forbidden(resource: string, user = 'jo'): FakeAnswer {
  return status(
    403,
    'Forbidden',
    `${resource} is forbidden: User "${user}" cannot list resource "${resource}" in API group "" at the cluster scope`,
  );
}

export function status(
  code: number,
  reason: string,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): FakeAnswer {
  return {
    status: code,
    body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message, code, details },
  };
}
