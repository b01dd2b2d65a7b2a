import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { connect as dial, createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../../src/io/cluster/connect.ts';
import type { ConnectionFlags } from '../../../src/io/cluster/flags.ts';
import { Authority } from '../../e2e/cluster/certificates.ts';
import type { Certificate } from '../../e2e/cluster/certificates.ts';
import { runProgram } from '../../kit/run-program.ts';

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));

let directory: string;
let authority: Authority;
let user: Certificate;
let server: ReturnType<typeof createServer>;
let port: number;
let connections = 0;
const users: string[] = [];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-'));
  authority = await Authority.create(directory);
  const serving = await authority.issue('serving', 'server', [], ['127.0.0.1']);
  user = await authority.issue('user', 'jo');
  server = createServer(
    {
      cert: readFileSync(serving.certificate),
      key: readFileSync(serving.key),
      ca: readFileSync(authority.certificate),
      requestCert: true,
      rejectUnauthorized: true,
    },
    (request, response) => {
      users.push(String((request.socket as TLSSocket).getPeerCertificate().subject.CN));
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          kind: 'StorageClass',
          apiVersion: 'storage.k8s.io/v1',
          metadata: { name: (request.url ?? '').split('/').at(-1) },
          provisioner: 'x',
        }),
      );
    },
  );
  server.on('secureConnection', () => (connections += 1));
  port = await listen(server);
}, 30_000);
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(directory, { recursive: true, force: true });
});

async function readMany(flags: ConnectionFlags = {}): Promise<number> {
  const before = connections;
  const reader = await connect(
    { kubeconfig: authority.writeKubeconfig('jo', `https://127.0.0.1:${port}`, user), ...flags },
    { variables: {} },
  );
  try {
    const results = await Promise.all(
      Array.from({ length: 30 }, (_, at) => reader.get('StorageClass', undefined, `fast-${at}`)),
    );
    for (let at = 0; at < 10; at += 1) results.push(await reader.get('StorageClass', undefined, `slow-${at}`));
    expect(results.filter(({ state }) => state === 'found')).toHaveLength(40);
  } finally {
    reader.close();
  }
  return connections - before;
}

describe('connections over TLS', () => {
  it('are few, and each is used again: every request once had a handshake of its own', async () => {
    expect(await readMany()).toBeLessThanOrEqual(10);
    expect(new Set(users)).toEqual(new Set(['jo']));
  });

  it('are refused where the certificate is for another name', async () => {
    await expect(readMany({ tlsServerName: 'elsewhere.example.com' })).rejects.toThrow(/certificate/);
  });

  it('are trusted where the environment adds the authority, which the launcher keeps from Node; a plugin finds it where it was', async () => {
    const config = JSON.parse(
      readFileSync(authority.writeKubeconfig('stranger', `https://127.0.0.1:${port}`, user), 'utf8'),
    ) as { clusters: { cluster: Record<string, string> }[]; users: { user: Record<string, unknown> }[] };
    for (const { cluster } of config.clusters) delete cluster['certificate-authority-data'];
    const kubeconfig = write(join(directory, 'stranger'), JSON.stringify(config));
    const run = (at: string, authorities: string | undefined) =>
      runProgram(['why', 'sc/fast', '--kubeconfig', at], { env: { NODE_EXTRA_CA_CERTS: authorities } });
    expect(await run(kubeconfig, undefined)).toMatchObject({
      exitCode: 4,
      stderr: expect.stringMatching(/certificate/) as string,
    });
    expect(await run(kubeconfig, authority.certificate)).toMatchObject({
      stderr: '',
      stdout: expect.stringContaining('fast') as string,
    });
    const seen = join(directory, 'seen');
    for (const { user: entry } of config.users)
      entry['exec'] = {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: 'sh',
        args: ['-c', `echo "$NODE_EXTRA_CA_CERTS|$KUBECTL_CSI_EXTRA_CA_CERTS" > ${seen}; exit 1`],
        interactiveMode: 'Never',
      };
    for (const { user: entry } of config.users)
      for (const name of Object.keys(entry)) if (name.startsWith('client-')) delete entry[name];
    await run(write(join(directory, 'plugin'), JSON.stringify(config)), authority.certificate);
    expect(readFileSync(seen, 'utf8')).toBe(`${authority.certificate}|\n`);
  });

  it('go through a proxy that tunnels', async () => {
    const proxy = createHttpServer();
    const tunnels: string[] = [];
    proxy.on('connect', (request, socket, head) => {
      tunnels.push(request.url ?? '');
      const upstream = dial(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.write(head);
        upstream.pipe(socket).pipe(upstream);
      });
      for (const end of [socket, upstream]) end.on('error', () => end.destroy());
    });
    const at = await listen(proxy);
    const reader = authority.writeKubeconfig('proxied', `https://127.0.0.1:${port}`, user);
    expect(await readMany({ kubeconfig: withProxy(reader, `http://127.0.0.1:${at}`) })).toBeLessThanOrEqual(10);
    expect(tunnels[0]).toBe(`127.0.0.1:${port}`);
    proxy.closeAllConnections();
    proxy.close();
  });

  it('go through a SOCKS proxy', async () => {
    const proxy = createTcpServer((socket) => {
      socket.once('data', () => {
        socket.write(Buffer.from([5, 0]));
        socket.once('data', () => {
          const upstream = dial(port, '127.0.0.1', () => {
            socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
            upstream.pipe(socket).pipe(upstream);
          });
          for (const end of [socket, upstream]) end.on('error', () => end.destroy());
        });
      });
    });
    const at = await listen(proxy);
    expect(
      await readMany({
        kubeconfig: withProxy(
          authority.writeKubeconfig('socks', `https://127.0.0.1:${port}`, user),
          `socks5://127.0.0.1:${at}`,
        ),
      }),
    ).toBeGreaterThan(0);
    proxy.close();
  });
});

function withProxy(path: string, proxy: string): string {
  const config = JSON.parse(readFileSync(path, 'utf8')) as { clusters: { cluster: Record<string, string> }[] };
  for (const { cluster } of config.clusters) cluster['proxy-url'] = proxy;
  return write(path, JSON.stringify(config));
}

function write(path: string, text: string): string {
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}
