import { createServer as createHttp } from 'node:http';
import { createServer } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { RawObject } from '../../src/core/kube/snapshot.ts';
import type { ApiServer, ApiServerOptions } from '../../src/sim/api-server.ts';
import { placeOf, saying, socketNamedIn, tunnelTo, withoutShell, withoutTools } from '../../src/sim/pod-programs.ts';
import { listenerOf } from '../../src/sim/pod-streams.ts';
import { ask, pod, serve } from './cluster.ts';

const running: RawObject = {
  ...pod('kube-system', 'disk-node', 'node-a'),
  status: { phase: 'Running', podIP: '10.0.0.5' },
};
const node: RawObject = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } };
const base = '/api/v1/namespaces/kube-system/pods';
const exec = `${base}/disk-node/exec?container=main&command=sh&command=-c&command=true&stdin=true&stdout=true&stderr=true`;

interface Talk {
  readonly protocol: string;
  readonly frames: Buffer[];
  readonly closed: Promise<number>;
  readonly text: (channel: number) => string;
  readonly send: (bytes: Buffer) => void;
  readonly until: (isThere: () => boolean) => Promise<void>;
  readonly leave: () => void;
}

/** The answer in place of an upgrade, or the stream. */
async function open(
  server: ApiServer,
  path: string,
  protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'],
): Promise<Talk | { readonly status: number; readonly body: string }> {
  const socket = new WebSocket(server.url.replace('http', 'ws') + path, protocols);
  onTestFinished(() => socket.terminate());
  const frames: Buffer[] = [];
  socket.on('message', (data: Buffer) => frames.push(data));
  const closed = new Promise<number>((resolve) => void socket.on('close', resolve));
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('unexpected-response', (_request, response) => {
      let body = '';
      response
        .setEncoding('utf8')
        .on('data', (text: string) => (body += text))
        .on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    socket.on('open', () =>
      resolve({
        protocol: socket.protocol,
        frames,
        closed,
        text: (channel) =>
          frames
            .filter((frame) => frame[0] === channel)
            .map((frame) => frame.subarray(1).toString())
            .join(''),
        send: (bytes) => socket.send(bytes),
        until: async (isThere) => {
          while (!isThere()) await sleep(5);
        },
        leave: () => socket.close(),
      }),
    );
  });
}

async function talk(server: ApiServer, path: string, protocols?: string[]): Promise<Talk> {
  const opened = await open(server, path, protocols);
  if ('status' in opened) throw new Error(`${opened.status} ${opened.body}`);
  return opened;
}

const start = (options: ApiServerOptions = {}): Promise<ApiServer> =>
  serve([running, pod('kube-system', 'unplaced', undefined), node], { podStepMs: 5, ...options });

async function echoSocket(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-test-'));
  const path = join(directory, 'csi.sock');
  const server = createServer({ allowHalfOpen: true }, (socket) => void socket.pipe(socket));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  onTestFinished(async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(directory, { recursive: true, force: true });
  });
  return path;
}

describe('a command in a container', () => {
  it.each([['v5.channel.k8s.io'], ['v4.channel.k8s.io']])(
    'carries bytes to a socket and back in %s',
    async (protocol) => {
      const path = await echoSocket();
      const stream = await talk(await start({ streams: () => tunnelTo(path) }), exec, [protocol]);
      expect(stream.protocol).toBe(protocol);
      await stream.until(() => stream.frames.length > 0);
      expect(stream.frames[0]).toEqual(Buffer.of(1));
      const bytes = Buffer.alloc(300_000, 'x');
      stream.send(Buffer.concat([Buffer.of(0), bytes]));
      await stream.until(() => stream.text(1).length === bytes.length);
      if (protocol.startsWith('v5')) {
        stream.send(Buffer.of(255, 0));
        expect(await stream.closed).toBe(1000);
        expect(JSON.parse(stream.text(3))).toMatchObject({ status: 'Success' });
      } else {
        stream.leave();
        await stream.closed;
        expect(stream.text(3)).toBe('');
      }
    },
  );

  it('writes nothing before the client reads: kubectl drops what comes for a channel that it has yet to make', async () => {
    const server = await start({ streams: () => saying({ stdout: 'hello', exitCode: 0 }) });
    const socket = new WebSocket(server.url.replace('http', 'ws') + exec, ['v5.channel.k8s.io'], { autoPong: false });
    onTestFinished(() => socket.terminate());
    const seen: string[] = [];
    socket.on('message', (data: Buffer) => seen.push(data.subarray(1).toString()));
    await new Promise((resolve) => void socket.once('ping', resolve));
    await sleep(100);
    expect(seen).toEqual([]);
    socket.pong();
    await new Promise((resolve) => void socket.once('close', resolve));
    expect(seen).toContain('hello');
  });

  it('offers the newest protocol that the client knows', async () => {
    const server = await start({ streams: () => saying({}) });
    expect((await talk(server, exec)).protocol).toBe('v5.channel.k8s.io');
    expect(await open(server, exec, ['v3.channel.k8s.io'])).toMatchObject({ status: 403 });
  });

  it('says how the command ended', async () => {
    const end = async (streams: NonNullable<ApiServerOptions['streams']>): Promise<{ stderr: string; status: any }> => {
      const stream = await talk(await start({ streams }), exec);
      await stream.closed;
      return { stderr: stream.text(2), status: JSON.parse(stream.text(3)) };
    };
    expect(await end(() => withoutTools)).toMatchObject({
      stderr: 'sh: socat: not found\n',
      status: { reason: 'NonZeroExitCode', details: { causes: [{ reason: 'ExitCode', message: '127' }] } },
    });
    expect((await end((_pod, _container, command) => withoutShell(command))).status).toMatchObject({
      reason: 'InternalError',
      message: expect.stringMatching(/exec: "sh": executable file not found in \$PATH$/),
    });
    expect(await end(() => tunnelTo('/nowhere/csi.sock', '/csi/csi.sock'))).toMatchObject({
      stderr: expect.stringContaining('"/csi/csi.sock", 16): No such file or directory'),
      status: { reason: 'NonZeroExitCode' },
    });
  });

  it('is told who asks for what', async () => {
    const asked: unknown[] = [];
    const server = await start({
      streams: (asker, container, command) => (
        asked.push([asker.metadata.name, container, command]),
        saying({ stdout: 'hello' })
      ),
    });
    const stream = await talk(server, `${base}/disk-node/exec?command=echo&command=a%20b&stdout=1`);
    await stream.closed;
    expect(stream.text(1)).toBe('hello');
    expect(asked).toEqual([['disk-node', 'main', ['echo', 'a b']]]);
    expect(server.requests.at(-1)).toMatchObject({ method: 'GET', path: `${base}/disk-node/exec`, status: 101 });
  });

  it('is refused before the upgrade in the words of the server', async () => {
    const server = await start();
    const refusal = async (path: string): Promise<string> => {
      const answer = await open(server, path);
      return 'status' in answer ? `${answer.status} ${JSON.parse(answer.body).message}` : 'opened';
    };
    expect(await refusal(`${base}/none/exec?command=sh&stdout=true`)).toBe('404 pods "none" not found');
    expect(await refusal(`${base}/unplaced/exec?command=sh&stdout=true`)).toBe(
      '400 pod unplaced does not have a host assigned',
    );
    expect(await refusal(`${base}/disk-node/exec?command=sh&stdout=true&container=nope`)).toBe(
      '400 container nope is not valid for pod disk-node',
    );
    expect(await refusal(`${base}/disk-node/exec?stdout=true`)).toMatch(/^400 you must specify at least 1 command/);
    expect((await ask(server, exec)).body).toMatchObject({ code: 400, message: 'Upgrade request required' });
  });

  it.each(['get', 'create'])('needs the right to %s', async (right) => {
    const server = await start({ faults: { deny: (kind, verb) => kind === 'Pod/exec' && verb === right } });
    const answer = await open(server, exec);
    expect('status' in answer && JSON.parse(answer.body).message).toBe(
      `pods "disk-node" is forbidden: User "viewer" cannot ${right} resource "pods/exec" in API group "" in the namespace "kube-system"`,
    );
    const may = async (verb: string, subresource: string): Promise<boolean> =>
      (
        await ask(server, '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', 'application/json', {
          method: 'POST',
          body: JSON.stringify({
            spec: { resourceAttributes: { verb, resource: 'pods', subresource, namespace: 'kube-system' } },
          }),
        })
      ).body.status.allowed;
    expect(await may(right, 'exec')).toBe(false);
    expect(await may(right, 'portforward')).toBe(true);
  });

  it('knows on which node a file of a container lies', () => {
    const mounts = [
      { name: 'socket-dir', mountPath: '/csi' },
      { name: 'shared', mountPath: '/csi/run/' },
    ];
    const mounted: RawObject = {
      ...running,
      spec: {
        nodeName: 'node-a',
        containers: [{ name: 'main', volumeMounts: mounts }],
        volumes: [
          { name: 'socket-dir', hostPath: { path: '/var/lib/kubelet/plugins/disk/' } },
          { name: 'shared', emptyDir: {} },
        ],
      },
    };
    expect(placeOf(mounted, 'main', '/csi/csi.sock')).toEqual({
      node: 'node-a',
      path: '/var/lib/kubelet/plugins/disk/csi.sock',
    });
    expect(placeOf(mounted, 'main', '/csi/run/csi.sock')).toEqual({
      pod: 'uid-disk-node',
      volume: 'shared',
      path: '/csi.sock',
    });
    expect(placeOf(mounted, 'main', '/tmp/csi.sock')).toBeUndefined();
    expect(socketNamedIn(['sh', '-c', 'exec socat - UNIX-CONNECT:/csi/csi.sock'])).toBe('/csi/csi.sock');
  });
});

describe('a port of a pod', () => {
  const health = createHttp(
    (request, response) =>
      void response
        .writeHead(request.url === '/healthz' ? 200 : 500, { 'Content-Type': 'text/plain' })
        .end(request.url === '/healthz' ? 'ok' : 'driver responded but is not ready'),
  );
  const forward = (port: number): string => `${base}/disk-node/portforward?ports=${port}`;

  it('answers through the proxy of the server', async () => {
    const server = await start({
      listeners: (_pod, port) => ([9808, 9809].includes(port) ? listenerOf(health, port === 9809) : undefined),
    });
    expect(await ask(server, `${base}/disk-node:9808/proxy/healthz`)).toMatchObject({ status: 200, body: 'ok' });
    expect(await ask(server, `${base}/http:disk-node:9808/proxy/other`)).toMatchObject({
      status: 500,
      body: 'driver responded but is not ready',
    });
    for (const port of [9809, 9810]) {
      expect((await ask(server, `${base}/disk-node:${port}/proxy/healthz`)).body).toMatchObject({
        code: 503,
        reason: 'ServiceUnavailable',
        message: `error trying to reach service: dial tcp 10.0.0.5:${port}: connect: connection refused`,
      });
    }
    expect((await ask(server, `${base}/disk-node:healthz/proxy/healthz`)).body.message).toContain('unknown port');
    expect((await ask(server, `${base}/none:9808/proxy/healthz`)).status).toBe(404);
  });

  it('is behind a right of its own', async () => {
    const server = await start({ faults: { deny: (kind) => kind === 'Pod/proxy' } });
    expect((await ask(server, `${base}/disk-node:9808/proxy/healthz`)).body.message).toBe(
      'pods "disk-node" is forbidden: User "viewer" cannot get resource "pods/proxy" in API group "" in the namespace "kube-system"',
    );
    expect((await ask(server, `${base}/disk-node`)).status).toBe(200);
  });

  it('is forwarded, also where it listens on the loopback address only', async () => {
    const stream = await talk(await start({ listeners: () => listenerOf(health, true) }), forward(9808), [
      'v4.channel.k8s.io',
    ]);
    await stream.until(() => stream.frames.length === 2);
    expect(stream.frames.map((frame) => [...frame])).toEqual([
      [0, 0x50, 0x26],
      [1, 0x50, 0x26],
    ]);
    stream.send(
      Buffer.concat([Buffer.of(0), Buffer.from('GET /healthz HTTP/1.1\r\nHost: pod\r\nConnection: close\r\n\r\n')]),
    );
    expect(await stream.closed).toBe(1000);
    expect(stream.text(0)).toMatch(/HTTP\/1\.1 200 OK[^]*\bok\b/);
  });

  it('says on the channel for errors that nobody listens', async () => {
    const stream = await talk(await start(), forward(9808), ['v4.channel.k8s.io']);
    await stream.closed;
    expect(stream.text(1)).toContain('dial tcp4 127.0.0.1:9808: connect: connection refused');
    expect(await open(await start(), `${base}/disk-node/portforward`, ['v4.channel.k8s.io'])).toMatchObject({
      status: 400,
    });
  });
});

describe('a pod that a client makes', () => {
  const manifest = (name: string, spec: object = {}): string =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { containers: [{ name: 'main', image: 'example/probe' }], ...spec },
    });
  const onNode = (name: string): object => ({
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }],
        },
      },
    },
  });
  const post = (server: ApiServer, body: string): ReturnType<typeof ask> =>
    ask(server, base, 'application/json', { method: 'POST', body });
  const until = async (server: ApiServer, name: string, isThere: (answer: any) => boolean): Promise<any> => {
    for (;;) {
      const { body } = await ask(server, `${base}/${name}`);
      if (isThere(body)) return body;
      await sleep(5);
    }
  };

  it('is scheduled, runs, and ends with its deletion', async () => {
    const server = await start({ streams: () => saying({ stdout: 'there' }) });
    const created = await post(server, manifest('probe', onNode('node-a')));
    expect(created).toMatchObject({
      status: 201,
      body: {
        metadata: { name: 'probe', namespace: 'kube-system', uid: expect.any(String) },
        status: { phase: 'Pending' },
      },
    });
    const pod = await until(server, 'probe', (body) => body.status.phase === 'Running');
    expect(pod).toMatchObject({
      spec: { nodeName: 'node-a' },
      status: { podIP: expect.stringMatching(/^10\./), containerStatuses: [{ name: 'main', ready: true }] },
    });
    const stream = await talk(server, `${base}/probe/exec?command=x&stdout=true`);
    await stream.closed;
    expect(stream.text(1)).toBe('there');
    expect(
      (await ask(server, `${base}/probe`, 'application/json', { method: 'DELETE' })).body.metadata.deletionTimestamp,
    ).toBeTruthy();
    expect(await until(server, 'probe', (body) => body.code === 404)).toMatchObject({ reason: 'NotFound' });
  });

  it('is gone at once without a period of grace', async () => {
    const server = await start();
    await post(server, manifest('probe'));
    await ask(server, `${base}/probe?gracePeriodSeconds=0`, 'application/json', { method: 'DELETE' });
    expect((await ask(server, `${base}/probe`)).status).toBe(404);
  });

  it('stays pending where its node does not exist, and fails after its deadline', async () => {
    const server = await start();
    await post(server, manifest('lost', onNode('node-z')));
    expect(
      (await until(server, 'lost', (body) => body.status.conditions !== undefined)).status.conditions[0],
    ).toMatchObject({ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' });
    await post(server, manifest('short', { activeDeadlineSeconds: 0.02 }));
    expect((await until(server, 'short', (body) => body.status.phase === 'Failed')).status.reason).toBe(
      'DeadlineExceeded',
    );
  });

  it('is deleted with all others of its label', async () => {
    const server = await start();
    for (const name of ['a', 'b'])
      await post(
        server,
        JSON.stringify({ ...JSON.parse(manifest(name)), metadata: { name, labels: { app: 'probe' } } }),
      );
    const gone = await ask(server, `${base}?labelSelector=app%3Dprobe&gracePeriodSeconds=0`, 'application/json', {
      method: 'DELETE',
    });
    expect(gone.body.items).toHaveLength(2);
    expect((await ask(server, base)).body.items.map((item: RawObject) => item.metadata.name)).toEqual([
      'disk-node',
      'unplaced',
    ]);
  });

  it('is refused where it may not be made', async () => {
    const strict: RawObject = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'kube-system', labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } },
    };
    const server = await serve([running, node, strict], {
      faults: { deny: (kind, verb) => kind === 'Pod' && verb === 'delete' },
    });
    expect(
      (await post(server, manifest('probe', { volumes: [{ name: 'sock', hostPath: { path: '/x' } }] }))).body,
    ).toMatchObject({
      code: 403,
      message: 'pods "probe" is forbidden: violates PodSecurity "baseline:latest": hostPath volumes (volume "sock")',
    });
    expect((await post(server, manifest('disk-node'))).body).toMatchObject({ code: 409, reason: 'AlreadyExists' });
    expect((await post(server, manifest(''))).body).toMatchObject({ code: 422, reason: 'Invalid' });
    expect((await post(server, 'what?')).status).toBe(400);
    expect(
      (await ask(server, '/api/v1/namespaces/none/pods', 'application/json', { method: 'POST', body: manifest('x') }))
        .body.message,
    ).toBe('namespaces "none" not found');
    expect((await ask(server, `${base}/disk-node`, 'application/json', { method: 'DELETE' })).status).toBe(403);
  });
});
