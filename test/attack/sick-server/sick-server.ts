import { readFileSync } from 'node:fs';
import { createServer as createPlainServer, request as forward } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Snapshot } from '../../../src/core/kube/snapshot.ts';
import { startApiServer } from '../../../src/sim/api-server.ts';
import type { Certificate } from '../../e2e/cluster/certificates.ts';
import type { Fault, SickRequest } from './fault.ts';

export interface SickServer {
  readonly url: string;
  /** Method and path of each request. */
  readonly requests: readonly string[];
  /** What the server that redirects point to was asked. */
  readonly stolen: readonly string[];
  /** Begins with a new fault, and forgets the requests. */
  infect(fault: Fault | undefined): void;
  close(): Promise<void>;
}

/** A sound API server behind a TLS front that can fall ill. */
export async function startSickServer(snapshot: Snapshot, certificate: Certificate): Promise<SickServer> {
  const inner = await startApiServer(snapshot);
  const requests: string[] = [];
  const stolen: string[] = [];
  let fault: Fault | undefined;
  const trap = createPlainServer((request, response) => {
    stolen.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''}`);
    response.end('{}');
  });
  const elsewhere = `http://127.0.0.1:${await listen(trap)}`;
  const front = createServer(
    { cert: readFileSync(certificate.certificate), key: readFileSync(certificate.key) },
    (incoming, response) => {
      requests.push(`${incoming.method} ${incoming.url}`);
      const sick = requestOf(incoming, response, { count: requests.length, elsewhere, inner: inner.url });
      const isHit = fault !== undefined && (fault.hits?.(sick) ?? true);
      Promise.resolve(isHit ? fault?.answer(sick) : pass(incoming, response, inner.url)).catch(() =>
        response.destroy(),
      );
    },
  );
  front.on('clientError', (_error, socket) => socket.destroy());
  front.on('secureConnection', (socket) => socket.on('error', () => undefined));
  const port = await listen(front);
  return {
    url: `https://127.0.0.1:${port}`,
    requests,
    stolen,
    infect(next) {
      fault = next;
      requests.length = 0;
      stolen.length = 0;
    },
    async close() {
      for (const server of [front, trap]) {
        server.closeAllConnections();
        server.close();
      }
      await inner.close();
    },
  };
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function requestOf(
  incoming: IncomingMessage,
  response: ServerResponse,
  { count, elsewhere, inner }: { readonly count: number; readonly elsewhere: string; readonly inner: string },
): SickRequest {
  const url = new URL(incoming.url ?? '/', 'http://sick');
  const [, resource = ''] = /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/)?([^/]+)/.exec(url.pathname) ?? [];
  return {
    path: url.pathname,
    query: url.searchParams,
    authorization: incoming.headers.authorization ?? '',
    resource,
    isWatch: url.searchParams.has('watch'),
    response,
    socket: incoming.socket as Socket,
    count,
    elsewhere,
    sound: () => askSound(incoming, inner),
  };
}

/** Passes the request on, and the answer back as it comes in. */
function pass(incoming: IncomingMessage, response: ServerResponse, inner: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = forward(inner + incoming.url, { method: incoming.method, headers: headersOf(incoming) });
    request.on('error', reject);
    request.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.on('error', reject).on('end', resolve).pipe(response);
      response.on('close', () => request.destroy());
    });
    incoming.pipe(request);
  });
}

function askSound(incoming: IncomingMessage, inner: string): Promise<{ status: number; body: Buffer }> {
  return new Promise((resolve, reject) => {
    // The sound server does not know the tokens that faults invent (pages.ts).
    const url = (incoming.url ?? '').replace(/([?&])continue=(?:the-same|token-\d+)(?=&|$)/, '$1');
    const request = forward(inner + url, { method: incoming.method, headers: headersOf(incoming) });
    request.on('error', reject);
    request.on('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 500, body: Buffer.concat(chunks) }));
    });
    incoming.pipe(request);
  });
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const { accept = '*/*', 'content-type': type } = headers;
  return { accept, ...(type !== undefined && { 'content-type': type }) };
}
