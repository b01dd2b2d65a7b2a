import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostHeaderValidation, originValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Server } from '@modelcontextprotocol/server';
import { EnvironmentError } from '../core/kube/errors.ts';
import { loopbackNames } from './listen-address.ts';
import type { ListenAddress } from './listen-address.ts';

interface HttpOptions {
  readonly address: ListenAddress;
  /** Names under which the server may be called, in addition to those of this machine. */
  readonly hosts: readonly string[];
  /** What clients must send as `Authorization: Bearer TOKEN`. */
  readonly token: string | undefined;
  readonly onProblem: (line: string) => void;
}

interface Listening {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const path = '/mcp';
/** All addresses of this machine: no client calls it by one of these. */
const wildcards: readonly string[] = ['0.0.0.0', '::'];
/** Manifests and logs make a request long. */
const mostBytes = 4 * 1024 * 1024;
/** A client that sends slowly must not occupy a connection for long. */
const headersMs = 10_000;

/** Serves the protocol as streamable HTTP. */
export async function serveHttp(newServer: () => Server, options: HttpOptions): Promise<Listening> {
  const { address, hosts, token, onProblem } = options;
  const handler = createMcpHandler(newServer, {
    onerror: (error) => onProblem(error.message),
    maxRequestBodySize: mostBytes,
  });
  const answer = toNodeHandler(handler, {
    maxRequestBodySize: mostBytes,
    onerror: (error) => onProblem(error.message),
  });
  const own = wildcards.includes(address.host) ? [] : [address.hostName];
  const names = [...loopbackNames, ...own, ...hosts];
  const isHost = hostHeaderValidation(names);
  const isOrigin = originValidation(names);
  const server = createServer({ headersTimeout: headersMs }, (request, response) => {
    // A page in a browser can send requests to this machine, and a name that it controls can resolve to it.
    if (!isHost(request, response) || !isOrigin(request, response)) return;
    if (token !== undefined && !bears(request, token)) return refuse(response, 401, 'A token is needed.');
    if (request.url?.split('?', 1)[0] !== path) return refuse(response, 404, `The protocol is served at ${path}.`);
    answer(request, response).catch((error: unknown) => {
      onProblem(String(error));
      response.destroy();
    });
  });
  await listen(server, address);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${address.hostName}:${port}${path}`,
    close: async () => {
      server.closeAllConnections();
      await handler.close();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listen(server: HttpServer, { host, port }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new EnvironmentError(`cannot listen on ${host}:${port}: ${error.message}`, 'Choose another address or port'),
      ),
    );
    server.listen(port, host, resolve);
  });
}

/** Compared as digests, so that the time it takes reveals nothing about the token. */
function bears({ headers: { authorization = '' } }: IncomingMessage, token: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(authorization), digest(`Bearer ${token}`));
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const headers = { 'content-type': 'application/json', ...(status === 401 && { 'www-authenticate': 'Bearer' }) };
  response.writeHead(status, headers);
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }));
}
