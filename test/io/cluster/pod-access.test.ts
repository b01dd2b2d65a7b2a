import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect as dial } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocketServer } from 'ws';
import type { WebSocket } from 'ws';
import { connectBoth } from '../../../src/io/cluster/connect.ts';
import type { ConnectionFlags } from '../../../src/io/cluster/flags.ts';
import { PodAccess } from '../../../src/io/cluster/pod-access.ts';
import { openTlsFront } from '../../kit/tls-front.ts';

const pod = { namespace: 'storage', name: 'disk-0' };

interface Upgraded {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}
interface Served {
  readonly access: PodAccess;
  readonly upgrades: Upgraded[];
  readonly url: string;
}

/** A server that opens websockets in one of these protocols, or answers as it is told. */
async function serve(options: {
  readonly protocols?: readonly string[];
  readonly talk?: (socket: WebSocket) => void;
  readonly refuse?: { readonly status: number; readonly body: object | string };
  readonly flags?: ConnectionFlags;
  readonly base?: string;
  readonly variables?: Record<string, string>;
  readonly isSecure?: boolean;
}): Promise<Served> {
  const upgrades: Upgraded[] = [];
  const answer = options.refuse ?? { status: 404, body: 'page not found' };
  const type = typeof answer.body === 'string' ? 'text/plain' : 'application/json';
  const body = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  const server = createServer(
    (_request, response) => void response.writeHead(answer.status, { 'content-type': type }).end(body),
  );
  const sockets = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) =>
      (options.protocols ?? ['v5.channel.k8s.io']).find((protocol) => offered.has(protocol)) ?? false,
  });
  server.on('upgrade', (request, socket, head) => {
    upgrades.push({ url: request.url ?? '', headers: request.headers });
    if (options.refuse !== undefined)
      return void socket.end(
        `HTTP/1.1 ${answer.status} No\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      );
    sockets.handleUpgrade(request, socket, head, (client) => options.talk?.(client));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void (server.closeAllConnections(), server.close()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const front = options.isSecure === true ? await openTlsFront(url) : undefined;
  if (front) onTestFinished(() => front.close());
  const { client } = await connectBoth(
    {
      server: `${front?.url ?? url}${options.base ?? ''}`,
      ...(front && { certificateAuthority: front.authority }),
      ...options.flags,
    },
    { variables: { KUBECONFIG: '/nonexistent', ...options.variables } },
  );
  onTestFinished(() => client.close());
  return { access: new PodAccess(client), upgrades, url };
}

const say = (socket: WebSocket, channel: number, bytes: Buffer | string): void =>
  socket.send(Buffer.concat([Buffer.of(channel), Buffer.from(bytes as string)]));

/** Says back what it reads until its input ends, in both protocols. */
function echo(socket: WebSocket): void {
  say(socket, 1, '');
  socket.on('message', (data: Buffer) => {
    if (data[0] === 0) say(socket, 1, data.subarray(1));
    if (data[0] === 255) {
      say(socket, 3, JSON.stringify({ status: 'Success' }));
      socket.close(1000);
    }
  });
}

async function run(access: PodAccess): Promise<Extract<Awaited<ReturnType<PodAccess['exec']>>, { type: 'session' }>> {
  const session = await access.exec(pod, 'driver', ['sh', '-c', 'cat & true', '/a b'], 5000);
  if (session.type !== 'session') throw new Error(session.message);
  return session;
}

describe('a command in a container', () => {
  it('reads and writes bytes, and tells how it ended', async () => {
    const { access, upgrades } = await serve({ talk: echo, base: '/k8s/clusters/one' });
    const session = await run(access);
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 256));
    session.stream.end(bytes);
    const chunks: Buffer[] = [];
    for await (const chunk of session.stream) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).equals(bytes)).toBe(true);
    expect(await session.ended).toEqual({ stderr: '', exitCode: 0 });
    const asked = new URL(upgrades[0]?.url ?? '', 'http://server');
    expect(asked.pathname).toBe('/k8s/clusters/one/api/v1/namespaces/storage/pods/disk-0/exec');
    expect(asked.searchParams.getAll('command')).toEqual(['sh', '-c', 'cat & true', '/a b']);
    expect(Object.fromEntries(asked.searchParams)).toMatchObject({
      container: 'driver',
      stdin: 'true',
      stdout: 'true',
      stderr: 'true',
    });
    expect(asked.searchParams.get('tty')).toBeNull();
  });
  it('goes under the credentials and as the user that was asked for', async () => {
    const { access, upgrades } = await serve({
      talk: echo,
      flags: { token: 'secret-token', as: 'jo', asGroup: ['ops', 'dev'] },
      isSecure: true,
    });
    (await run(access)).stream.destroy();
    expect(upgrades[0]?.headers).toMatchObject({
      authorization: 'Bearer secret-token',
      'impersonate-user': 'jo',
      'impersonate-group': 'ops, dev',
    });
  });
  it('works with servers before 1.30, which close all at the end of the input', async () => {
    const { access } = await serve({ protocols: ['v4.channel.k8s.io'], talk: echo });
    const session = await run(access);
    const heard = new Promise(
      (resolve) => void session.stream.once('data', (data: Buffer) => resolve(data.toString())),
    );
    session.stream.write('ping');
    expect(await heard).toBe('ping');
    session.stream.end();
    expect(await session.ended).toEqual({ stderr: '' });
  });
  it('tells its exit code and what it said', async () => {
    const { access } = await serve({
      talk: (socket) => {
        say(socket, 2, 'no tool\n');
        say(
          socket,
          3,
          JSON.stringify({
            status: 'Failure',
            reason: 'NonZeroExitCode',
            details: { causes: [{ reason: 'ExitCode', message: '127' }] },
          }),
        );
        socket.close(1000);
      },
    });
    expect(await (await run(access)).ended).toEqual({ stderr: 'no tool\n', exitCode: 127 });
  });
  it('tells why it never began', async () => {
    const { access } = await serve({
      talk: (socket) => {
        say(
          socket,
          3,
          JSON.stringify({
            status: 'Failure',
            reason: 'InternalError',
            message: 'exec: "sh": executable file not found in $PATH',
          }),
        );
        socket.close(1000);
      },
    });
    expect(await (await run(access)).ended).toEqual({
      stderr: '',
      message: 'exec: "sh": executable file not found in $PATH',
    });
  });
  it('does not keep what a command pours out', async () => {
    const { access } = await serve({
      talk: (socket) => {
        for (let part = 0; part < 100; part += 1) say(socket, 2, 'x'.repeat(10_000));
        socket.close(1000);
      },
    });
    expect((await (await run(access)).ended).stderr.length).toBeLessThanOrEqual(4096);
  });
  it.each([
    [403, { kind: 'Status', message: 'pods "disk-0" is forbidden' }, 'forbidden', 'pods "disk-0" is forbidden'],
    [404, { kind: 'Status', message: 'pods "disk-0" not found' }, 'missing', 'pods "disk-0" not found'],
    [
      400,
      { kind: 'Status', message: 'container driver is not valid for pod disk-0' },
      'failed',
      'container driver is not valid for pod disk-0',
    ],
    [502, 'bad gateway', 'failed', 'the server answered with status 502 instead of opening the stream'],
  ] as const)('is refused with %i', async (status, body, reason, message) => {
    const { access } = await serve({ refuse: { status, body } });
    expect(await access.exec(pod, 'driver', ['true'], 5000)).toEqual({ type: 'no way', reason, message });
  });
  it('of a log is refused in one sentence, and cut where the server sends too much', async () => {
    const limits = { lines: 5, bytes: 100, milliseconds: 5000 };
    const forbidden = { kind: 'Status', message: 'pods "disk-0" is forbidden: cannot get pods/log' };
    const refused = await serve({ refuse: { status: 403, body: forbidden } });
    expect(await refused.access.log(pod, 'driver', limits)).toEqual({
      type: 'no way',
      reason: 'forbidden',
      message: forbidden.message,
    });
    const talkative = await serve({ refuse: { status: 200, body: 'a line\n'.repeat(1000) } });
    const log = await talkative.access.log(pod, 'driver', limits);
    expect(log).toMatchObject({ type: 'log', isCut: true });
    expect(log.type === 'log' && log.text.length).toBe(100);
  });
  it('is not waited for longer than it may take to open', async () => {
    const deaf = createServer();
    deaf.on('upgrade', () => undefined);
    await new Promise<void>((resolve) => void deaf.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void (deaf.closeAllConnections(), deaf.close()));
    const { client } = await connectBoth(
      { server: `http://127.0.0.1:${(deaf.address() as AddressInfo).port}` },
      { variables: { KUBECONFIG: '/nonexistent' } },
    );
    onTestFinished(() => client.close());
    expect(await new PodAccess(client).exec(pod, 'driver', ['true'], 200)).toMatchObject({
      type: 'no way',
      reason: 'unreachable',
    });
  });
});

describe('a port of a pod', () => {
  const announce = (socket: WebSocket): void => {
    for (const channel of [0, 1]) say(socket, channel, Buffer.from([9898 & 0xff, 9898 >> 8]));
  };
  it('answers a GET that was forwarded to it', async () => {
    const web = createServer(
      (request, response) =>
        void response.writeHead(500, { 'content-type': 'text/plain' }).end(`asked for ${request.url}`),
    );
    await new Promise<void>((resolve) => void web.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void web.close());
    const { access, upgrades } = await serve({
      protocols: ['v4.channel.k8s.io'],
      talk: (socket) => {
        announce(socket);
        const wire = dial((web.address() as AddressInfo).port, '127.0.0.1');
        socket.on('message', (data: Buffer) => void wire.write(data.subarray(1)));
        wire.on('data', (bytes: Buffer) => say(socket, 0, bytes));
        wire.on('close', () => socket.close(1000));
      },
    });
    expect(await access.forwardGet(pod, 9898, '/healthz', 5000)).toMatchObject({
      type: 'answer',
      status: 500,
      body: 'asked for /healthz',
    });
    expect(upgrades[0]?.url).toBe('/api/v1/namespaces/storage/pods/disk-0/portforward?ports=9898');
  });
  it('on which nobody listens is told apart from one that cannot be reached', async () => {
    const failing = (words: string): ReturnType<typeof serve> =>
      serve({
        protocols: ['v4.channel.k8s.io'],
        talk: (socket) => {
          announce(socket);
          say(socket, 1, words);
        },
      });
    const refused = 'error forwarding port 9898: dial tcp4 127.0.0.1:9898: connect: connection refused';
    expect(await (await failing(refused)).access.forwardGet(pod, 9898, '/healthz', 5000)).toEqual({
      type: 'no way',
      reason: 'closed',
      message: refused,
    });
    expect(
      await (
        await failing('unable to do port forwarding: socat not found')
      ).access.forwardGet(pod, 9898, '/healthz', 5000),
    ).toMatchObject({ reason: 'unreachable' });
  });
  it('is asked through the API server, whose own words are no answer of the pod', async () => {
    const get = async (status: number, body: object | string): Promise<unknown> =>
      (await serve({ refuse: { status, body } })).access.proxyGet(pod, 9898, '/healthz', 5000);
    expect(await get(500, 'context deadline exceeded')).toMatchObject({
      type: 'answer',
      status: 500,
      body: 'context deadline exceeded',
    });
    expect(
      await get(503, {
        kind: 'Status',
        message: 'error trying to reach service: dial tcp 10.0.0.5:9898: connect: connection refused',
      }),
    ).toMatchObject({ type: 'no way', reason: 'closed' });
    expect(
      await get(503, { kind: 'Status', message: 'error trying to reach service: dial tcp 10.0.0.5:9898: i/o timeout' }),
    ).toMatchObject({ type: 'no way', reason: 'unreachable' });
    expect(await get(403, { kind: 'Status', message: 'pods "disk-0" is forbidden' })).toMatchObject({
      type: 'no way',
      reason: 'forbidden',
    });
  });
});

describe('a stream through a proxy', () => {
  it('takes the same proxy as every other request', async () => {
    const { url, upgrades } = await serve({ talk: echo });
    const seen: string[] = [];
    const proxy = createServer();
    proxy.on('connect', (request, socket, head) => {
      seen.push(request.url ?? '');
      const [host = '', port = ''] = new URL(url).host.split(':');
      const onward = dial(Number(port), host, () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        onward.write(head);
        onward.pipe(socket).pipe(onward);
      });
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
    });
    await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void (proxy.closeAllConnections(), proxy.close()));
    const { client } = await connectBoth(
      { server: 'http://cluster.example:6443' },
      {
        variables: {
          KUBECONFIG: '/nonexistent',
          HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
        },
      },
    );
    onTestFinished(() => client.close());
    const session = await run(new PodAccess(client));
    session.stream.end('ping');
    expect(await text(session.stream)).toBe('ping');
    expect(seen).toEqual(['cluster.example:6443']);
    expect(upgrades).toHaveLength(1);
  });
});
