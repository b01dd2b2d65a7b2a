import http from 'node:http';
import https from 'node:https';
import { isIPv6 } from 'node:net';
import type { ClientRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import { basicAuthorization, loginOf } from './address.ts';

type Connected = (error: Error | null, socket?: Duplex) => void;
interface Destination {
  readonly host?: string | null;
  readonly port?: string | number | null;
}

/** How to speak to a proxy, and how to verify one with TLS. */
export interface ProxyLine {
  readonly url: URL;
  readonly tls: https.AgentOptions;
}

export function proxyPlace({ url }: ProxyLine): { readonly host: string; readonly port: number } {
  const usualPort = url.protocol === 'https:' ? 443 : 80;
  return { host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || usualPort) };
}

export function proxyHeaders({ url }: ProxyLine): Readonly<Record<string, string>> {
  const login = loginOf(url);
  return login ? { 'proxy-authorization': basicAuthorization(login) } : {};
}

/** Asks a proxy for connections to a server with CONNECT. */
class Tunnels {
  readonly #line: ProxyLine;
  readonly #open = new Set<ClientRequest>();

  constructor(line: ProxyLine) {
    this.#line = line;
  }

  connect({ host, port }: Destination, done: Connected): void {
    const authority = `${isIPv6(host ?? '') ? `[${host}]` : host}:${port}`;
    const isTls = this.#line.url.protocol === 'https:';
    const request = (isTls ? https : http).request({
      ...(isTls && this.#line.tls),
      ...proxyPlace(this.#line),
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...proxyHeaders(this.#line) },
      agent: false,
    });
    this.#open.add(request);
    request.on('close', () => this.#open.delete(request));
    request.once('connect', (response, socket) => {
      if (response.statusCode === 200) return done(null, socket);
      socket.destroy();
      done(new Error(`Bad response: ${response.statusCode}`));
    });
    request.once('response', (response) => {
      request.destroy();
      done(new Error(`Bad response: ${response.statusCode}`));
    });
    request.on('error', (error) => done(error));
    request.end();
  }

  destroy(): void {
    for (const request of this.#open) request.destroy();
  }
}

export class SecureTunnelAgent extends https.Agent {
  readonly #tunnels: Tunnels;

  constructor(line: ProxyLine, options: https.AgentOptions) {
    super(options);
    this.#tunnels = new Tunnels(line);
  }

  override createConnection(options: https.RequestOptions, done: Connected): undefined {
    this.#tunnels.connect(options, (error, socket) => {
      if (error || !socket) return done(error);
      done(null, super.createConnection({ ...options, socket } as https.RequestOptions) as Duplex);
    });
  }

  override destroy(): void {
    this.#tunnels.destroy();
    super.destroy();
  }
}

export class PlainTunnelAgent extends http.Agent {
  readonly #tunnels: Tunnels;

  constructor(line: ProxyLine) {
    super({ keepAlive: true });
    this.#tunnels = new Tunnels(line);
  }

  override createConnection(options: http.ClientRequestArgs, done: Connected): undefined {
    this.#tunnels.connect(options, done);
  }

  override destroy(): void {
    this.#tunnels.destroy();
    super.destroy();
  }
}
