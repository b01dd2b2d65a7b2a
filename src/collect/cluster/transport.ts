import http from 'node:http';
import https from 'node:https';
import { checkServerIdentity, createSecureContext } from 'node:tls';
import type { IncomingMessage } from 'node:http';
import type { PeerCertificate } from 'node:tls';
import { EnvironmentError } from '../../model/errors.ts';
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
  #agent: Promise<http.Agent> | undefined;
  /** To read a certificate and a key takes longer than to send a request. */
  #checked: Credential | undefined;

  constructor(target: Target, environment: ConnectionEnvironment) {
    this.#target = target;
    this.#server = new URL(target.cluster.server);
    this.#proxy = proxyFor(this.#server, target.cluster['proxy-url'], environment.variables ?? process.env);
    this.proxy = this.#proxy?.replace(/\/\/[^/@]*@/, '//');
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
    return { status: response.statusCode ?? 0, headers: response.headers, body: await unpack(raw, response.headers['content-encoding']), size: raw.length };
  }

  /** For a watch: the answer as it comes in. The caller reads it to its end. */
  async stream(question: Question, credential: Credential): Promise<{ readonly response: IncomingMessage; readonly timer: NodeJS.Timeout }> {
    return this.#open(question, credential);
  }

  /** Opens a websocket under the same TLS, credentials and proxy; what the server says instead of opening it is an answer. */
  async upgrade(question: Pick<Question, 'path' | 'silence'>, protocols: readonly string[], credential: Credential): Promise<WebSocket | Answer> {
    const { WebSocket } = await import('ws');
    const agent = await (this.#agent ??= this.#makeAgent());
    const { headers, host, port, path, ...rest } = this.#requestOptions({ ...question, accept: '*/*' }, credential, agent);
    const isSecure = this.#server.protocol === 'https:';
    const address = `${isSecure ? 'wss' : 'ws'}://${String(host).includes(':') ? `[${host}]` : host}:${port}${path}`;
    const socket = new WebSocket(address, [...protocols], { ...rest, headers: headers as Record<string, string>, handshakeTimeout: question.silence, perMessageDeflate: false, followRedirects: false });
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
    void this.#agent?.then((agent) => agent.destroy()).catch(() => undefined);
  }

  async #open(question: Question, credential: Credential): Promise<{ readonly response: IncomingMessage; readonly timer: NodeJS.Timeout }> {
    const agent = await (this.#agent ??= this.#makeAgent());
    const isSecure = this.#server.protocol === 'https:';
    const options = this.#requestOptions(question, credential, agent);
    return new Promise((resolve, reject) => {
      const request = (isSecure ? https : http).request(options);
      const timer = setTimeout(() => request.destroy(new Silence()), question.silence);
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

  #requestOptions(question: Question, credential: Credential, agent: http.Agent): https.RequestOptions {
    const isSecure = this.#server.protocol === 'https:';
    const base = this.#server.pathname.replace(/\/$/, '');
    if (isSecure && (this.#checked === undefined || this.#checked.certificate !== credential.certificate || this.#checked.key !== credential.key)) checkPair(credential);
    this.#checked = credential;
    return {
      method: question.method ?? 'GET',
      host: this.#server.hostname.replace(/^\[|\]$/g, ''),
      port: this.#server.port || (isSecure ? 443 : 80),
      path: base + question.path,
      headers: {
        accept: question.accept,
        'user-agent': 'kubectl-csi',
        ...(question.body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(question.body)) }),
        // The server packs only long lists, fast, and to a tenth. The way may be long even where it begins on this machine.
        'accept-encoding': 'gzip',
        ...(credential.headers as Record<string, string>),
      },
      agent,
      // Behind a SOCKS proxy the name to check gets lost on the way.
      ...(isSecure ? { checkServerIdentity: (_: string, certificate: PeerCertificate) => checkServerIdentity(this.#expectedName, certificate) } : {}),
      ...(question.signal ? { signal: question.signal } : {}),
      ...(isSecure && credential.certificate !== undefined ? { cert: credential.certificate } : {}),
      ...(isSecure && credential.key !== undefined ? { key: credential.key } : {}),
    };
  }

  async #makeAgent(): Promise<http.Agent> {
    const { cluster } = this.#target;
    const isSecure = this.#server.protocol === 'https:';
    const ca = isSecure ? await readPem(cluster['certificate-authority'], cluster['certificate-authority-data'], 'certificate authority') : undefined;
    if (ca !== undefined && !ca.includes('-----BEGIN')) throw new EnvironmentError('the certificate authority of the cluster is not a PEM certificate', 'repair certificate-authority-data in the kubeconfig, or pass --certificate-authority');
    const options: https.AgentOptions = {
      keepAlive: true,
      ...(ca === undefined ? {} : { ca }),
      ...(cluster['tls-server-name'] === undefined ? {} : { servername: cluster['tls-server-name'] }),
      ...(cluster['insecure-skip-tls-verify'] === true ? { rejectUnauthorized: false } : {}),
    };
    if (this.#proxy !== undefined) return proxyAgent(this.#proxy, isSecure, options);
    return isSecure ? new https.Agent(options) : new http.Agent({ keepAlive: true });
  }
}

/** OpenSSL's own words for a bad certificate help nobody. */
function checkPair({ certificate, key }: Credential): void {
  if (certificate === undefined && key === undefined) return;
  if (certificate === undefined || key === undefined) throw new EnvironmentError(`the user has a client ${certificate === undefined ? 'key but no client certificate' : 'certificate but no client key'}`, 'repair the user of the kubeconfig, or pass both --client-certificate and --client-key');
  try {
    createSecureContext({ cert: certificate, key });
  } catch (error) {
    throw new EnvironmentError('the client certificate and key of the user cannot be used together', 'check that both are PEM and belong to each other', { cause: error });
  }
}

async function readWhole(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  return { status: response.statusCode ?? 0, headers: response.headers, body: await unpack(raw, response.headers['content-encoding']), size: raw.length };
}

async function unpack(raw: Buffer, encoding: string | undefined): Promise<Buffer> {
  if (encoding !== 'gzip') return raw;
  const { gunzip } = await import('node:zlib');
  return new Promise((resolve, reject) => {
    gunzip(raw, (error, body) => (error ? reject(error) : resolve(body)));
  });
}
