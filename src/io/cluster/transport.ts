import http from 'node:http';
import https from 'node:https';
import { devNull } from 'node:os';
import { checkServerIdentity, createSecureContext } from 'node:tls';
import type { IncomingMessage } from 'node:http';
import type { SecureContext } from 'node:tls';
import { EnvironmentError } from '../../core/kube/errors.ts';
import { publicAuthorities } from './authorities.ts';
import { readPem } from './credentials.ts';
import { proxyAgent, proxyFor } from './proxy.ts';
import type { Credential } from './credentials.ts';
import type { ConnectionEnvironment } from './flags.ts';
import type { WebSocket } from 'ws';
import type { Target } from './target.ts';

export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  /** Bytes on the wire. */
  readonly size: number;
}

export interface Question {
  readonly path: string;
  readonly accept: string;
  /** GET unless said otherwise. */
  readonly method?: 'GET' | 'POST' | 'DELETE';
  /** Sent as JSON. */
  readonly body?: string;
  /** How long the socket may be silent, in milliseconds. */
  readonly silence: number;
  /** The limit is for the whole exchange, not for each silence in it. */
  readonly isHard?: boolean;
  readonly signal?: AbortSignal;
}

/** No byte came for too long. */
export class Silence extends Error {
  override readonly name = 'Silence';
}

/** Single HTTP exchanges over kept-alive connections; knows TLS and proxies, but nothing of Kubernetes. */
export class Transport {
  readonly #target: Target;
  readonly #server: URL;
  /** The proxy on the way, without its password. */
  readonly proxy: string | undefined;
  readonly #proxy: string | undefined;
  /** Connections and the TLS context that they share: to read certificates and a key takes longer than to send a request. */
  readonly #lines: { readonly credential: Credential; readonly line: Promise<Line> }[] = [];
  #roundTrip: number | undefined;

  constructor(target: Target, environment: ConnectionEnvironment) {
    this.#target = target;
    this.#server = new URL(target.cluster.server);
    this.#proxy = proxyFor(this.#server, target.cluster['proxy-url'], environment.variables ?? process.env);
    this.proxy = this.#proxy?.replace(/\/\/[^/@]*@/, '//');
    // What is measured is never less than what this program was busy with meanwhile.
    if (this.#proxy === undefined && /^(localhost|127\..*|\[::1\])$/.test(this.#server.hostname)) this.#roundTrip = 0;
  }

  /** How long the quickest connection took to open, in milliseconds: one way there and back. */
  get roundTrip(): number | undefined {
    return this.#roundTrip;
  }

  async ask(question: Question, credential: Credential): Promise<Answer> {
    const { response, timer } = await this.#open(question, credential);
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of response) {
        if (question.isHard !== true) timer.refresh();
        chunks.push(chunk as Buffer);
      }
    } finally {
      clearTimeout(timer);
    }
    const raw = Buffer.concat(chunks);
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      body: await unpack(raw, response.headers['content-encoding']),
      size: raw.length,
    };
  }

  /** For a watch: the answer as it comes in. The caller reads it to its end. */
  async stream(
    question: Question,
    credential: Credential,
  ): Promise<{ readonly response: IncomingMessage; readonly timer: NodeJS.Timeout }> {
    return this.#open(question, credential);
  }

  /** Opens a websocket under the same TLS, credentials and proxy; what the server says instead of opening it is an answer. */
  async upgrade(
    question: Pick<Question, 'path' | 'silence'>,
    protocols: readonly string[],
    credential: Credential,
  ): Promise<WebSocket | Answer> {
    const { WebSocket } = await import('ws');
    const { headers, host, port, path, ...rest } = this.#requestOptions(
      { ...question, accept: '*/*' },
      credential,
      await this.#lineFor(credential),
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
        // The first bytes may be here already, and whoever shall read them is not.
        socket.pause();
        resolve(socket);
      });
      socket.once('error', (error) => reject(/handshake has timed out/.test(error.message) ? new Silence() : error));
      socket.once('unexpected-response', (_request, response) => {
        readWhole(response).then(resolve, reject);
      });
    });
  }

  get #expectedName(): string {
    return this.#target.cluster['tls-server-name'] ?? this.#server.hostname.replace(/^\[|\]$/g, '');
  }

  close(): void {
    for (const { line } of this.#lines) void line.then(({ agent }) => agent.destroy()).catch(() => undefined);
  }

  async #open(
    question: Question,
    credential: Credential,
  ): Promise<{ readonly response: IncomingMessage; readonly timer: NodeJS.Timeout }> {
    const isSecure = this.#server.protocol === 'https:';
    const options = this.#requestOptions(question, credential, await this.#lineFor(credential));
    return new Promise((resolve, reject) => {
      const request = (isSecure ? https : http).request(options);
      const timer = setTimeout(() => request.destroy(new Silence()), question.silence);
      request.once('socket', (socket) => {
        if (!socket.connecting) return;
        const begun = performance.now();
        socket.once(
          'connect',
          () => (this.#roundTrip = Math.min(this.#roundTrip ?? Number.POSITIVE_INFINITY, performance.now() - begun)),
        );
      });
      request.on('response', (response) => {
        if (question.isHard !== true) timer.refresh();
        resolve({ response, timer });
      });
      request.on('error', (error) => {
        clearTimeout(timer);
        reject(error);
      });
      request.end(question.body);
    });
  }

  #requestOptions(question: Question, credential: Credential, { agent, secureContext }: Line): https.RequestOptions {
    const isSecure = this.#server.protocol === 'https:';
    const base = this.#server.pathname.replace(/\/$/, '');
    return {
      method: question.method ?? 'GET',
      host: this.#server.hostname.replace(/^\[|\]$/g, ''),
      port: this.#server.port || (isSecure ? 443 : 80),
      path: base + question.path,
      headers: {
        accept: question.accept,
        'user-agent': 'kubectl-csi',
        ...(question.body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(question.body)) }),
        // The server packs only long lists, fast, and to a tenth. The way may be long even where it begins on this machine.
        'accept-encoding': 'gzip',
        ...(credential.headers as Record<string, string>),
      },
      agent,
      ...(question.signal ? { signal: question.signal } : {}),
      ...(secureContext ? { secureContext } : {}),
    };
  }

  /** Another certificate needs connections of its own: those that are open have been told the old one. */
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
    const ca = isSecure
      ? await readPem(cluster['certificate-authority'], cluster['certificate-authority-data'], 'certificate authority')
      : undefined;
    if (ca !== undefined && !ca.includes('-----BEGIN'))
      throw new EnvironmentError(
        'the certificate authority of the cluster is not a PEM certificate',
        'repair certificate-authority-data in the kubeconfig, or pass --certificate-authority',
      );
    const options: https.AgentOptions = {
      keepAlive: true,
      // Behind a SOCKS proxy the name to check gets lost on the way. A request with a check of its own would get a connection of its own.
      checkServerIdentity: (_, certificate) => checkServerIdentity(this.#expectedName, certificate),
      ...(cluster['tls-server-name'] === undefined ? {} : { servername: cluster['tls-server-name'] }),
      ...(cluster['insecure-skip-tls-verify'] === true ? { rejectUnauthorized: false } : {}),
    };
    const agent =
      this.#proxy !== undefined
        ? await proxyAgent(this.#proxy, isSecure, options)
        : isSecure
          ? new https.Agent(options)
          : new http.Agent({ keepAlive: true });
    return isSecure
      ? {
          agent,
          secureContext: contextOf(
            ca ?? (cluster['insecure-skip-tls-verify'] === true ? [] : publicAuthorities()),
            credential,
          ),
        }
      : { agent };
  }
}

/** A file is read anew whenever a token is renewed, and most often says the same. */
function isSame(one: Credential['key'], other: Credential['key']): boolean {
  return one === other || (one !== undefined && other !== undefined && Buffer.from(one).equals(Buffer.from(other)));
}

interface Line {
  readonly agent: http.Agent;
  readonly secureContext?: SecureContext;
}

/**
 * Before Node adds the authorities that it is given, it reads those of SSL_CERT_FILE or of this machine (SecureContext::AddCACert makes
 * the default store). They are not used, so for that moment there are none: 7 ms less where that file is a whole bundle.
 */
function contextOf(ca: string[] | Buffer, { certificate, key }: Credential): SecureContext {
  const { SSL_CERT_FILE: authorities } = process.env;
  process.env['SSL_CERT_FILE'] = devNull;
  try {
    if (certificate === undefined && key === undefined) return createSecureContext({ ca });
    if (certificate === undefined || key === undefined)
      throw new EnvironmentError(
        `the user has a client ${certificate === undefined ? 'key but no client certificate' : 'certificate but no client key'}`,
        'repair the user of the kubeconfig, or pass both --client-certificate and --client-key',
      );
    return createSecureContext({ ca, cert: certificate, key });
  } catch (error) {
    if (error instanceof EnvironmentError || certificate === undefined) throw error;
    // OpenSSL's own words for a bad certificate help nobody.
    throw new EnvironmentError(
      'the client certificate and key of the user cannot be used together',
      'check that both are PEM and belong to each other',
      { cause: error },
    );
  } finally {
    if (authorities === undefined) delete process.env['SSL_CERT_FILE'];
    else process.env['SSL_CERT_FILE'] = authorities;
  }
}

async function readWhole(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: await unpack(raw, response.headers['content-encoding']),
    size: raw.length,
  };
}

async function unpack(raw: Buffer, encoding: string | undefined): Promise<Buffer> {
  if (encoding !== 'gzip') return raw;
  const { gunzip } = await import('node:zlib');
  return new Promise((resolve, reject) => {
    gunzip(raw, (error, body) => (error ? reject(error) : resolve(body)));
  });
}
