import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { connect as dial, createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { Authority } from '../e2e/cluster/certificates.ts';

/** Where the servers of the lab listen; all on this machine. */
export interface Places {
  readonly directory: string;
  readonly tls: number;
  readonly plain: number;
  readonly httpProxy: number;
  readonly httpsProxy: number;
  readonly socksProxy: number;
  readonly issuer: number;
}

/** A request as it arrived: who sent it, by which way. Ports and directories are left out, so that outcomes can be kept in a file. */
export type Arrival = Readonly<Record<string, string | readonly string[]>>;

export interface ArrivedRequest {
  readonly path: string;
  readonly agent: string;
  readonly arrival: Arrival;
}

/**
 * Loopback servers that record which identity arrives: an API server with TLS and one without, three kinds of proxies, an OIDC issuer,
 * and credential plugins.
 */
export class Lab {
  readonly places: Places;
  readonly #servers: readonly Server[];
  readonly #sockets: Set<Duplex>;
  readonly arrivals: ArrivedRequest[];

  private constructor(places: Places, servers: readonly Server[], sockets: Set<Duplex>, arrivals: ArrivedRequest[]) {
    this.places = places;
    this.#servers = servers;
    this.#sockets = sockets;
    this.arrivals = arrivals;
  }

  static async open(): Promise<Lab> {
    const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-lab-'));
    const sockets = new Set<Duplex>();
    const arrivals: ArrivedRequest[] = [];
    const authority = await Authority.create(directory);
    await Authority.create(join(directory, 'other'));
    const names = ['127.0.0.1', '0.0.0.0', 'localhost', 'api.lab.example'];
    const [serving] = await Promise.all([
      authority.issue('serving', 'serving', [], names),
      authority.issue('jo', 'jo', ['team']),
      authority.issue('kim', 'kim'),
    ]);
    const pair = ({ certificate, key }: typeof serving): { cert: Buffer; key: Buffer } => ({
      cert: readFileSync(certificate),
      key: readFileSync(key),
    });
    const asksForCertificate = {
      ca: readFileSync(authority.certificate),
      requestCert: true,
      rejectUnauthorized: false,
    };
    const tunnelled = new Map<number, string>();
    const api: RequestListener = (request, response) => {
      const arrival = arrivalOf(request, tunnelled.get(request.socket.remotePort ?? 0));
      arrivals.push({ path: request.url ?? '', agent: request.headers['user-agent'] ?? '', arrival });
      answerAsApi(request.url ?? '', (status, body) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      });
    };
    const keep = <S extends Server>(server: S): S => {
      server.on('connection', (socket: Socket) => {
        sockets.add(socket);
        socket.on('close', () => sockets.delete(socket));
        socket.on('error', () => socket.destroy());
      });
      return server;
    };
    const tls = keep(createHttpsServer({ ...pair(serving), ...asksForCertificate }, api));
    const plain = keep(createHttpServer(api));
    const tunnel = (name: string) => (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const { port } = new URL(`tcp://${request.url}`);
      const login = request.headers['proxy-authorization'];
      const certificate = commonName(request.socket);
      const way = [name, login, certificate && `certificate ${certificate}`].filter(Boolean).join(', ');
      relay(socket, head, Number(port), tunnelled, way, 'HTTP/1.1 200 Connection established\r\n\r\n');
    };
    const forward =
      (name: string): RequestListener =>
      (request, response) => {
        // A request in absolute form is answered here, as a forwarding proxy would after asking the server.
        const isAbsolute = /^http:\/\//.test(request.url ?? '');
        const login = request.headers['proxy-authorization'];
        const way = [`${name} (${isAbsolute ? 'absolute form' : 'origin form'})`, login].filter(Boolean).join(', ');
        const path = isAbsolute ? new URL(request.url ?? '').pathname : (request.url ?? '');
        arrivals.push({ path, agent: request.headers['user-agent'] ?? '', arrival: arrivalOf(request, way, 'plain') });
        answerAsApi(path, (status, body) => {
          response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        });
      };
    const httpProxy = keep(createHttpServer(forward('http proxy')));
    httpProxy.on('connect', tunnel('http proxy'));
    const httpsProxy = keep(createHttpsServer({ ...pair(serving), ...asksForCertificate }, forward('https proxy')));
    httpsProxy.on('connect', tunnel('https proxy'));
    const socksProxy = keep(createTcpServer((socket) => speakSocks(socket, tunnelled)));
    const issuer = keep(createHttpsServer(pair(serving), (request, response) => answerAsIssuer(request, response)));
    const servers = [tls, plain, httpProxy, httpsProxy, socksProxy, issuer];
    const ports = await Promise.all(servers.map(listen));
    const [tlsPort, plainPort, httpPort, httpsPort, socksPort, issuerPort] = ports as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const places = {
      directory,
      tls: tlsPort,
      plain: plainPort,
      httpProxy: httpPort,
      httpsProxy: httpsPort,
      socksProxy: socksPort,
      issuer: issuerPort,
    };
    writeFiles(directory);
    return new Lab(places, servers, sockets, arrivals);
  }

  /** Forgets what arrived. */
  reset(): void {
    this.arrivals.length = 0;
    rmSync(join(this.places.directory, 'plugin-input'), { force: true });
  }

  /** What credential plugins were given, each once. */
  get pluginInputs(): readonly string[] {
    const path = join(this.places.directory, 'plugin-input');
    return existsSync(path) ? [...new Set(readFileSync(path, 'utf8').split('\n').filter(Boolean))] : [];
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => void server.close(resolve))));
    rmSync(this.places.directory, { recursive: true, force: true });
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function commonName(socket: Duplex): string | undefined {
  const subject = 'getPeerCertificate' in socket ? (socket as TLSSocket).getPeerCertificate().subject : undefined;
  return subject?.CN?.toString();
}

function arrivalOf(request: IncomingMessage, way: string | undefined, place?: 'plain'): Arrival {
  const { socket, headers } = request;
  const isTls = place === undefined && 'encrypted' in socket;
  const identity = Object.entries(request.headersDistinct)
    .filter(([name]) => name === 'authorization' || name.startsWith('impersonate-'))
    // Node reads header bytes as Latin-1, and both programs write UTF-8.
    .map(([name, values]) => [name, (values ?? []).map((value) => Buffer.from(value, 'latin1').toString())])
    .sort();
  const certificate = place === undefined ? commonName(socket) : undefined;
  const serverName = isTls ? (socket as TLSSocket & { servername?: string | false }).servername : undefined;
  return {
    place: isTls ? 'TLS' : 'plain',
    ...(way !== undefined && { way }),
    ...Object.fromEntries(identity),
    ...(certificate !== undefined && { certificate }),
    ...(typeof serverName === 'string' && serverName !== '' && { serverName }),
    ...(headers['accept-encoding'] === undefined && { compression: 'off' }),
  };
}

type Reply = (status: number, body: object) => void;

function answerAsApi(written: string, reply: Reply): void {
  const path = written.replace(/\?.*/, '').replace(/^\/base(?=\/)/, '');
  if (path === '/api') return reply(200, { kind: 'APIVersions', versions: ['v1'] });
  if (path === '/apis') return reply(200, { kind: 'APIGroupList', apiVersion: 'v1', groups: [] });
  if (path === '/api/v1') {
    const pods = { name: 'pods', singularName: 'pod', namespaced: true, kind: 'Pod', verbs: ['get', 'list'] };
    return reply(200, { kind: 'APIResourceList', groupVersion: 'v1', resources: [pods] });
  }
  if (path.endsWith('/pods'))
    return reply(200, { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items: [] });
  reply(404, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404, message: 'no' });
}

function relay(
  socket: Duplex,
  head: Buffer,
  to: number,
  tunnelled: Map<number, string>,
  way: string,
  greeting: string | Buffer,
): void {
  const upstream = dial(to, '127.0.0.1', () => {
    const port = upstream.localPort ?? 0;
    tunnelled.set(port, way);
    // The next connection with this port may come without a proxy.
    upstream.on('close', () => tunnelled.delete(port));
    socket.write(greeting);
    upstream.write(head);
    upstream.pipe(socket).pipe(upstream);
  });
  for (const end of [socket, upstream]) end.on('error', () => end.destroy());
  socket.on('close', () => upstream.destroy());
}

function speakSocks(socket: Socket, tunnelled: Map<number, string>): void {
  socket.once('data', () => {
    socket.write(Buffer.from([5, 0]));
    socket.once('data', (request) => {
      const port = request.readUInt16BE(request.length - 2);
      const isName = request[3] === 3;
      const way = `SOCKS proxy (${isName ? 'name' : 'address'})`;
      relay(socket, Buffer.alloc(0), port, tunnelled, way, Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
    });
  });
}

const jwt = (claims: object): string =>
  ['{"alg":"none"}', JSON.stringify(claims), 'x'].map((part) => Buffer.from(part).toString('base64url')).join('.');
export const validToken = jwt({ exp: 4_000_000_000, sub: 'kept' });
export const expiredToken = jwt({ exp: 1_000_000_000, sub: 'old' });
const refreshedToken = jwt({ exp: 4_000_000_000, sub: 'refreshed' });

function answerAsIssuer(request: IncomingMessage, response: Parameters<RequestListener>[1]): void {
  const send = (status: number, body: object): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const [, variant = ''] = /^\/(\w*)/.exec(request.url ?? '') ?? [];
  const issuer = `https://${request.headers.host}/${variant}`;
  if (request.url?.endsWith('/.well-known/openid-configuration'))
    return send(200, { issuer, token_endpoint: `${issuer}/token` });
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    const form = new URLSearchParams(body);
    const basic = Buffer.from((request.headers.authorization ?? '').replace(/^Basic /, ''), 'base64').toString();
    const inForm = `${form.get('client_id') ?? ''}:${form.get('client_secret') ?? ''}`;
    const login = variant === 'form' ? inForm : basic;
    if (login !== 'kubernetes:s3cret' || form.get('refresh_token') !== 'refresh-me')
      return send(401, { error: 'invalid_client' });
    send(200, {
      access_token: 'access',
      token_type: 'Bearer',
      ...(variant !== 'bare' && { id_token: refreshedToken }),
    });
  });
}

/** Plugins note what they are given; the name says what they do. */
const plugins: Readonly<Record<string, string>> = {
  token: credential({ token: 'of-plugin' }),
  beta: credential({ token: 'of-plugin' }, 'v1beta1'),
  alpha: credential({ token: 'of-plugin' }, 'v1alpha1'),
  arguments: `printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s-%s-%s"}}' "$WHO" "$1" "$#"`,
  certificate: `here=$(dirname "$0"); quote() { awk '{printf "%s\\\\n", $0}' "$here/../$1"; }
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"clientCertificateData":"%s","clientKeyData":"%s"}}' "$(quote kim.crt)" "$(quote kim.key)"`,
  both: `here=$(dirname "$0"); quote() { awk '{printf "%s\\\\n", $0}' "$here/../$1"; }
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"of-plugin","clientCertificateData":"%s","clientKeyData":"%s"}}' "$(quote kim.crt)" "$(quote kim.key)"`,
  'only-certificate': credential({ token: 'of-plugin', clientCertificateData: 'x' }),
  'only-key': credential({ clientKeyData: 'x' }),
  'bad-certificate': credential({ clientCertificateData: 'x', clientKeyData: 'y' }),
  'no-version': `echo '{"kind":"ExecCredential","status":{"token":"of-plugin"}}'`,
  'no-kind': `echo '{"apiVersion":"client.authentication.k8s.io/v1","status":{"token":"of-plugin"}}'`,
  'other-kind': `echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"Secret","status":{"token":"of-plugin"}}'`,
  'other-group': `echo '{"apiVersion":"example.com/v1","kind":"ExecCredential","status":{"token":"of-plugin"}}'`,
  'no-status': `echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential"}'`,
  'empty-status': credential({}),
  'empty-token': credential({ token: '' }),
  'number-token': `echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":5}}'`,
  'bad-time': credential({ token: 'of-plugin', expirationTimestamp: 'soon' }),
  expired: credential({ token: 'of-plugin', expirationTimestamp: '2001-01-01T00:00:00Z' }),
  expires: credential({ token: 'of-plugin', expirationTimestamp: '2091-01-01T00:00:00Z' }),
  yaml: `printf 'apiVersion: client.authentication.k8s.io/v1\\nkind: ExecCredential\\nstatus:\\n  token: of-plugin\\n'`,
  garbage: 'echo hello',
  nothing: ':',
  failing: 'echo "please log in" >&2; exit 2',
  talkative: `echo "opening the browser" >&2; ${credential({ token: 'of-plugin' })}`,
  reading: `read -r line; ${credential({ token: 'of-plugin' })}`,
};

function credential(status: object, version = 'v1'): string {
  const answer = { apiVersion: `client.authentication.k8s.io/${version}`, kind: 'ExecCredential', status };
  return `echo '${JSON.stringify(answer)}'`;
}

function writeFiles(directory: string): void {
  mkdirSync(join(directory, 'plugins'), { recursive: true });
  mkdirSync(join(directory, 'home'), { recursive: true });
  for (const [name, script] of Object.entries(plugins)) {
    const path = join(directory, 'plugins', name);
    writeFileSync(
      path,
      `#!/bin/sh\nprintf '%s\\n' "$KUBERNETES_EXEC_INFO" >> "${directory}/plugin-input"\n${script}\n`,
    );
    chmodSync(path, 0o755);
  }
  writeFileSync(join(directory, 'plugins', 'not-executable'), '#!/bin/sh\n', { mode: 0o644 });
  writeFileSync(join(directory, 'token'), 'of-file\n');
  writeFileSync(join(directory, 'empty-token'), '');
  writeFileSync(join(directory, 'garbage.pem'), 'no certificate\n');
}
