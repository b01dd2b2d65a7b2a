import http from 'node:http';
import https from 'node:https';
import { checkServerIdentity } from 'node:tls';
import type { IncomingMessage } from 'node:http';
import type { SecureContext } from 'node:tls';
import { withoutLogin } from './address.ts';
import { readWhole } from './answer-body.ts';
import type { Answer } from './answer-body.ts';
import { proxyFor } from './proxy-choice.ts';
import { waitedMs } from './request-queue.ts';
import { secureContextFor, trustFor } from './secure-context.ts';
import type { Credential } from './credentials.ts';
import type { ConnectionEnvironment } from './flags.ts';
import type { Forwarding } from './proxy.ts';
import type { WebSocket } from 'ws';
import type { Target } from './target.ts';

export interface Question {
  readonly path: string;
  readonly accept: string;
  /** GET by default. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: string;
  /** How long the socket may be silent, in milliseconds. */
  readonly silence: number;
  /** The limit is for the whole exchange, not for each silence. */
  readonly isHard?: boolean;
  readonly signal?: AbortSignal;
}

/** The server sent nothing for too long, or began an answer and did not finish it in time. */
export class Silence extends Error {
  override readonly name = 'Silence';
  readonly phase: 'answer' | 'body';
  constructor(phase: Silence['phase'] = 'answer') {
    super(phase === 'answer' ? 'no answer in time' : 'the answer did not end in time');
    this.phase = phase;
  }
}

/** Without a time limit for the whole exchange an answer may take as long as it brings this much a second. */
const slowestBytesPerSecond = 4096;

interface Opened {
  readonly response: IncomingMessage;
  readonly timer: NodeJS.Timeout;
}

/** Single HTTP exchanges over kept-alive connections; knows TLS and proxies, but nothing of Kubernetes. */
export class Transport {
  readonly #target: Target;
  readonly #server: URL;
  /** The address of the proxy, without its password. */
  readonly proxy: string | undefined;
  readonly #proxy: string | undefined;
  /** Connections and the TLS context that they share: making one takes longer than sending a request. */
  readonly #lines: { readonly credential: Credential; readonly line: Promise<Line> }[] = [];
  #roundTrip: number | undefined;

  constructor(target: Target, environment: ConnectionEnvironment) {
    this.#target = target;
    this.#server = new URL(target.cluster.server);
    this.#proxy = proxyFor(this.#server, target.cluster['proxy-url'], environment.variables ?? process.env);
    this.proxy = this.#proxy === undefined ? undefined : withoutLogin(this.#proxy);
  }

  /** How long this process waited for the quickest connection to open, in milliseconds: one round trip. */
  get roundTrip(): number | undefined {
    return this.#roundTrip;
  }

  async ask(question: Question, credential: Credential): Promise<Answer> {
    const begun = performance.now();
    const { response, timer, expiry } = await this.#open(question, credential);
    try {
      return await readWhole(response, (size) => {
        if (question.isHard === true) return;
        timer.refresh();
        const slowest = question.silence + (size / slowestBytesPerSecond) * 1000;
        if (performance.now() - begun > slowest) throw new Silence('body');
      });
    } catch (error) {
      // A request that is destroyed at its limit ends as if the server had cut the connection.
      throw expiry.silence ?? error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** For a watch: the answer as it comes in; the caller reads it to its end. */
  async stream(question: Question, credential: Credential): Promise<Opened> {
    return this.#open(question, credential);
  }

  /**
   * Opens a websocket with the same TLS, credentials and proxy, or returns the server's answer if it does not open one.
   */
  async upgrade(
    question: Pick<Question, 'path' | 'silence'>,
    protocols: readonly string[],
    credential: Credential,
  ): Promise<WebSocket | Answer> {
    const { WebSocket } = await import('ws');
    // A websocket needs a tunnel of its own, even where requests are forwarded.
    const { forwarding: _, ...line } = await this.#lineFor(credential);
    const { headers, host, port, path, ...rest } = this.#requestOptions(
      { ...question, accept: '*/*' },
      credential,
      line,
    );
    const isSecure = this.#server.protocol === 'https:';
    const address = `${isSecure ? 'wss' : 'ws'}://${String(host).includes(':') ? `[${host}]` : host}:${port}${path}`;
    const socket = new WebSocket(address, [...protocols], {
      ...rest,
      headers: headers as Record<string, string>,
      handshakeTimeout: question.silence,
      perMessageDeflate: false,
      followRedirects: false,
    });
    return new Promise((resolve, reject) => {
      socket.once('open', () => {
        // The first bytes may have arrived before anything listens for them.
        socket.pause();
        resolve(socket);
      });
      socket.once('error', (error) => reject(/handshake has timed out/.test(error.message) ? new Silence() : error));
      socket.once('unexpected-response', (_request, response) => {
        const timer = setTimeout(() => response.destroy(new Silence('body')), question.silence);
        readWhole(response)
          .finally(() => clearTimeout(timer))
          .then(resolve, reject);
      });
    });
  }

  get #expectedName(): string {
    const { 'tls-server-name': name } = this.#target.cluster;
    return isSet(name) ? name : this.#server.hostname.replace(/^\[|\]$/g, '');
  }

  close(): void {
    for (const { line } of this.#lines) void line.then(closeLine).catch(() => undefined);
  }

  async #open(
    question: Question,
    credential: Credential,
  ): Promise<Opened & { readonly expiry: { readonly silence?: Silence } }> {
    const line = await this.#lineFor(credential);
    const isSecure = line.forwarding?.isTls ?? this.#server.protocol === 'https:';
    const options = this.#requestOptions(question, credential, line);
    return new Promise((resolve, reject) => {
      const request = (isSecure ? https : http).request(options);
      const expiry: { silence?: Silence } = {};
      let phase: Silence['phase'] = 'answer';
      const timer = setTimeout(() => {
        expiry.silence = new Silence(phase);
        request.destroy(expiry.silence);
        // A request that still waits for a connection, such as one through a proxy, reports nothing when it is
        // destroyed.
        reject(expiry.silence);
      }, question.silence);
      request.once('socket', (socket) => {
        if (!socket.connecting) return;
        const begun = waitedMs();
        socket.once(
          'connect',
          () => (this.#roundTrip = Math.min(this.#roundTrip ?? Number.POSITIVE_INFINITY, waitedMs() - begun)),
        );
      });
      request.on('response', (response) => {
        phase = 'body';
        if (question.isHard !== true) timer.refresh();
        resolve({ response, timer, expiry });
      });
      // Nothing requests an upgrade here; without this, Node waits for an answer that never comes.
      request.on('upgrade', (_response, socket) => {
        socket.destroy();
        clearTimeout(timer);
        reject(Object.assign(new Error('upgrade'), { code: 'HPE_UPGRADE' }));
      });
      request.on('error', (error) => {
        clearTimeout(timer);
        reject(error);
      });
      request.end(question.body);
    });
  }

  #requestOptions(question: Question, credential: Credential, line: Line): https.RequestOptions {
    const { agent, secureContext, forwarding } = line;
    const isSecure = this.#server.protocol === 'https:';
    const path = this.#server.pathname.replace(/\/$/, '') + question.path;
    return {
      method: question.method ?? 'GET',
      host: this.#server.hostname.replace(/^\[|\]$/g, ''),
      port: this.#server.port || (isSecure ? 443 : 80),
      ...forwarding?.place,
      path: forwarding ? `http://${this.#server.host}${path}` : path,
      headers: {
        ...(forwarding && { host: this.#server.host, ...forwarding.headers }),
        accept: question.accept,
        'user-agent': 'kubectl-csi',
        ...(question.body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(question.body)) }),
        // The server compresses only long lists, quickly and to a tenth; even a server on this machine may be the end
        // of a tunnel.
        ...(this.#target.cluster['disable-compression'] !== true && { 'accept-encoding': 'gzip' }),
        ...(credential.headers as Record<string, string>),
      },
      agent: forwarding?.agent ?? agent,
      ...(question.signal ? { signal: question.signal } : {}),
      ...(secureContext ? { secureContext } : {}),
    };
  }

  /** Another client certificate needs new connections: those that are open have presented the old one. */
  #lineFor(credential: Credential): Promise<Line> {
    const known = this.#lines.at(-1);
    if (
      known !== undefined &&
      isSame(known.credential.certificate, credential.certificate) &&
      isSame(known.credential.key, credential.key)
    )
      return known.line;
    const line = this.#makeLine(credential);
    this.#lines.push({ credential, line });
    return line;
  }

  async #makeLine(credential: Credential): Promise<Line> {
    const { cluster } = this.#target;
    const isSecure = this.#server.protocol === 'https:';
    const secureContext = isSecure ? await secureContextFor(cluster, credential) : undefined;
    const options = this.#agentOptions();
    const forwarding = isSecure ? undefined : await this.#makeForwarding(options);
    return {
      agent: await this.#makeAgent(isSecure, options, secureContext),
      ...(forwarding && { forwarding }),
      ...(secureContext && { secureContext }),
    };
  }

  /** For a server without TLS behind a proxy with TLS. Collecting the public authorities takes long, so only then. */
  #trustForProxy(): SecureContext | undefined {
    return /^https:/i.test(this.#proxy ?? '') ? trustFor(this.#target.cluster) : undefined;
  }

  #agentOptions(): https.AgentOptions {
    const { cluster } = this.#target;
    return {
      keepAlive: true,
      // Behind a SOCKS proxy the expected name would get lost. The agent checks it, since a request with its own check
      // would get its own connection.
      checkServerIdentity: (_, certificate) => checkServerIdentity(this.#expectedName, certificate),
      ...(isSet(cluster['tls-server-name']) && { servername: cluster['tls-server-name'] }),
      // Set in either case, so that NODE_TLS_REJECT_UNAUTHORIZED changes nothing.
      rejectUnauthorized: cluster['insecure-skip-tls-verify'] !== true,
    };
  }

  /** The code for proxies loads all of TLS, so it is loaded only where there is one. */
  async #makeForwarding(options: https.AgentOptions): Promise<Forwarding | undefined> {
    if (this.#proxy === undefined) return undefined;
    const { forwardingTo } = await import('./proxy.ts');
    return forwardingTo(this.#proxy, options, this.#trustForProxy());
  }

  async #makeAgent(
    isSecure: boolean,
    options: https.AgentOptions,
    secureContext: SecureContext | undefined,
  ): Promise<http.Agent> {
    if (this.#proxy === undefined) return isSecure ? new https.Agent(options) : new http.Agent({ keepAlive: true });
    const { proxyAgent } = await import('./proxy.ts');
    return proxyAgent(this.#proxy, isSecure, options, secureContext ?? this.#trustForProxy());
  }
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

/** Certificate files are read again whenever a token is renewed, and are usually unchanged. */
function isSame(one: Credential['key'], other: Credential['key']): boolean {
  return one === other || (one !== undefined && other !== undefined && Buffer.from(one).equals(Buffer.from(other)));
}

interface Line {
  readonly agent: http.Agent;
  readonly forwarding?: Forwarding;
  readonly secureContext?: SecureContext;
}

function closeLine({ agent, forwarding }: Line): Line {
  agent.destroy();
  forwarding?.agent.destroy();
  return { agent };
}
