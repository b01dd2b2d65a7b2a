import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { EnvironmentError, UserError } from '../../../core/kube/errors.ts';
import { authority, isLoopback, isOwnHost } from '../addresses.ts';
import { guardedPath, routeOf } from '../routes.ts';
import type { Route } from '../routes.ts';

/** An answer that is complete; `stream` takes over the response instead. */
export interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}
export type Outcome = Reply | { readonly stream: (response: ServerResponse) => void };

/** Whether a caller may see a path; `busy` when that could not be found out. */
export type Admission = 'allowed' | 'unknown caller' | 'forbidden' | 'busy';

export interface WebOptions {
  readonly addresses: readonly string[];
  readonly port: number;
  readonly basePath: string;
  /** Further names by which browsers may ask. */
  readonly hosts: readonly string[];
  readonly tls?: { readonly cert: Buffer; readonly key: Buffer };
  /** Decides for callers at addresses that are not loopback; absent: they need no permission. */
  readonly admit?: (authorization: string | undefined, path: string) => Promise<Admission>;
  readonly answer: (route: Route, request: IncomingMessage) => Promise<Outcome>;
  readonly onAnswer?: (route: Route['type'], status: number) => void;
  readonly limits?: Partial<WebLimits>;
}

export interface WebLimits {
  readonly connections: number;
  /** A connection on which nothing moves for so long is closed. */
  readonly idleMs: number;
  /** An answer that takes longer to send is cut off. */
  readonly answerMs: number;
}

export interface WebServer {
  readonly addresses: readonly string[];
  readonly port: number;
  /** Takes no more connections, and lets answers end that have begun, for a moment. */
  close(): Promise<void>;
}

const usualLimits: WebLimits = { connections: 256, idleMs: 30_000, answerMs: 60_000 };
const closingMs = 1000;

/** Every answer has these. Pages add their own policy. */
const safeHeaders = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
} as const;
const closedPolicy = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** Serves at all addresses, on one port. */
export async function startWebServer(options: WebOptions): Promise<WebServer> {
  const limits = { ...usualLimits, ...options.limits };
  const opened: { readonly server: Server; readonly address: string; readonly port: number }[] = [];
  try {
    for (const address of options.addresses) {
      const server = serverAt(address, options, limits);
      const port = await listen(server, address, opened[0]?.port ?? options.port);
      opened.push({ server, address, port });
    }
  } catch (error) {
    for (const { server } of opened) server.close();
    throw error;
  }
  return {
    addresses: opened.map(({ address, port }) => authority(address, port)),
    port: opened[0]?.port ?? options.port,
    close: async () => void (await Promise.all(opened.map(({ server }) => closeServer(server)))),
  };
}

function serverAt(address: string, options: WebOptions, limits: WebLimits): Server {
  const handler = (request: IncomingMessage, response: ServerResponse): void => {
    handle(request, response, address, options, limits).catch(() => response.destroy());
  };
  const settings = {
    headersTimeout: 10_000,
    requestTimeout: 15_000,
    keepAliveTimeout: 5000,
    connectionsCheckingInterval: 2000,
    maxHeaderSize: 16_384,
  };
  const server =
    options.tls === undefined
      ? createServer(settings, handler)
      : createSecureServer({ ...settings, ...options.tls, handshakeTimeout: settings.headersTimeout }, handler);
  server.maxConnections = limits.connections;
  server.timeout = limits.idleMs;
  // What is not HTTP gets a short answer at most, and never an explanation. A connection that a browser has opened in
  // advance gets none: an answer without a question would be taken for that of its next request.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable || error.code?.startsWith('HPE_') !== true) return void socket.destroy();
    const isLarge = error.code === 'HPE_HEADER_OVERFLOW';
    const status = isLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });
  server.on('upgrade', (_request, socket) => socket.destroy());
  return server;
}

function listen(server: Server, address: string, port: number): Promise<number> {
  const host = address.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, address, port)));
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

function explain({ code, message }: NodeJS.ErrnoException, address: string, port: number): Error {
  if (code === 'EADDRINUSE' || code === 'EACCES')
    return new UserError(
      `port ${port} of ${address} cannot be used: ${code === 'EACCES' ? 'permission denied' : 'another program uses it'}`,
      'Choose another --port, or 0 for any free one',
    );
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return new UserError(`${address} is not an address of this machine`, 'Choose another --address');
  return new EnvironmentError(`cannot listen on ${authority(address, port)}: ${message}`);
}

async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    const late = setTimeout(() => server.closeAllConnections(), closingMs);
    server.close(() => {
      clearTimeout(late);
      resolve();
    });
    server.closeIdleConnections();
  });
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  address: string,
  options: WebOptions,
  limits: WebLimits,
): Promise<void> {
  const route = routeOf(request.url ?? '', options.basePath);
  response.on('finish', () => options.onAnswer?.(route.type, response.statusCode));
  // Nothing that is asked here has a body.
  request.resume();
  const refusal = await refuse(request, route, address, options);
  const outcome = refusal ?? (await options.answer(route, request));
  if ('stream' in outcome) {
    setHeaders(response, {});
    if (request.method === 'HEAD') return void response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end();
    return outcome.stream(response);
  }
  send(request, response, outcome, limits);
}

async function refuse(
  request: IncomingMessage,
  route: Route,
  address: string,
  { hosts, admit }: WebOptions,
): Promise<Reply | undefined> {
  const isLocal = isLoopback(address);
  const isRestricted = isLocal || hosts.length > 0;
  const isProbe = guardedPath(route) === undefined;
  if (isRestricted && !isProbe && !isOwnHost(request.headers.host, hosts))
    return errorReply(
      421,
      `this server does not answer as "${(request.headers.host ?? '').slice(0, 100)}"`,
      'Use localhost, or start it with --host NAME to allow a name',
    );
  // A page of another site can make a browser send requests, though it cannot read the answers: they must not use up
  // connections.
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode } = request.headers;
  if (site === 'cross-site' && mode !== 'navigate') return errorReply(403, 'requests from other sites are refused');
  const guarded = guardedPath(route);
  if (!isLocal && admit !== undefined && guarded !== undefined) {
    const reply = refusalOf(await admit(request.headers.authorization, guarded), guarded);
    if (reply !== undefined) return reply;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return {
      ...errorReply(405, `${request.method ?? 'this method'} is not allowed`, 'Everything here is only read, with GET'),
      headers: { Allow: 'GET, HEAD' },
    };
  if (Number(request.headers['content-length'] ?? 0) > 0 || request.headers['transfer-encoding'] !== undefined)
    return errorReply(400, 'a request here has no body');
  if (route.type === 'error') return errorReply(route.status, route.message, route.next);
  return undefined;
}

function refusalOf(admission: Admission, path: string): Reply | undefined {
  switch (admission) {
    case 'allowed':
      return undefined;
    case 'unknown caller':
      return {
        ...errorReply(
          401,
          'a bearer token of this cluster is needed',
          'Send Authorization: Bearer TOKEN, or use kubectl port-forward',
        ),
        headers: { 'WWW-Authenticate': 'Bearer realm="kubectl-csi"' },
      };
    case 'forbidden':
      return errorReply(403, `this user may not get ${path}`, `Grant the verb get on the nonResourceURL ${path}`);
    case 'busy':
      return {
        ...errorReply(503, 'who asks could not be checked with the API server'),
        headers: { 'Retry-After': '5' },
      };
  }
}

function send(request: IncomingMessage, response: ServerResponse, reply: Reply, { answerMs }: WebLimits): void {
  const body = typeof reply.body === 'string' ? Buffer.from(reply.body) : reply.body;
  setHeaders(response, reply.headers ?? {});
  response.writeHead(reply.status, { 'Content-Type': reply.type, 'Content-Length': body.length });
  const late = setTimeout(() => response.destroy(), answerMs);
  response.on('close', () => clearTimeout(late));
  response.end(request.method === 'HEAD' ? undefined : body);
}

function setHeaders(response: ServerResponse, own: Readonly<Record<string, string>>): void {
  const headers = { 'Content-Security-Policy': closedPolicy, ...safeHeaders, ...own };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** An error as JSON: it is as readable to a person with curl as to a program. */
export function errorReply(status: number, message: string, next?: string): Reply {
  const error = {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Error',
    code: status,
    message,
    ...(next !== undefined && { next }),
  };
  return { status, type: 'application/json; charset=utf-8', body: `${JSON.stringify(error, null, 2)}\n` };
}
