import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ProbeItem, ProbeReport } from '../../../src/core/report/probe-report.ts';
import { clusterFailures, probeFailures } from '../../../src/core/report/probe-report.ts';
import { dial } from '../../../src/io/csi/client.ts';
import { failureWords } from '../../../src/io/csi/failure-words.ts';
import { probeEndpoint } from '../../../src/io/csi/probe-endpoint.ts';
import type { ProbeOptions } from '../../../src/io/csi/probe-endpoint.ts';
import {
  chunk,
  deepAnswers,
  healthy,
  pluginInfo,
  registrationInfo,
  rpcCapabilities,
  startDriver,
  varint,
} from '../../kit/csi-driver.ts';
import type { Answers } from '../../kit/csi-driver.ts';
import {
  leaveStale,
  refuseStream,
  startDatagram,
  startFull,
  startHttp1,
  startHttp2,
  startRaw,
  startSilent,
  startTls,
} from '../../kit/strange-listeners.ts';
import type { Stop } from '../../kit/strange-listeners.ts';

let directory = '';
let stops: Stop[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'csi-probe-'));
});
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  stops = [];
  await rm(directory, { recursive: true, force: true });
});

/** Nothing but what hangs takes this long, and says a limit of its own. */
const timeoutMs = 60_000;

function probe(path: string, options: Partial<ProbeOptions> = {}): Promise<ProbeItem> {
  return probeEndpoint({ type: 'unix', path }, { timeoutMs, deep: false, ...options });
}

const answering =
  (answers: Answers) =>
  async (path: string): Promise<void> => {
    const driver = await startDriver(path, answers);
    stops.push(driver.stop);
  };
const running =
  (start: (path: string) => Promise<Stop>) =>
  async (path: string): Promise<void> => {
    stops.push(await start(path));
  };
const identity = (answers: Answers): Answers => ({ ...healthy, ...answers });
const infoPath = '/csi.v1.Identity/GetPluginInfo';
const probePath = '/csi.v1.Identity/Probe';
const v0 = '/csi.v0.Identity/GetPluginInfo';
const manifest = chunk(3, chunk(1, 'key'), chunk(2, Buffer.alloc(8 * 1024 * 1024, 'a')));

describe('every failure has its own verdict, within the deadline', () => {
  const prompt: readonly [string, string, Partial<ProbeItem>, (path: string) => unknown][] = [
    ['missing', 'socket-missing', { status: 'unreachable', stage: 'stat' }, () => undefined],
    [
      'a dangling link',
      'socket-missing',
      { status: 'unreachable', stage: 'stat' },
      (path) => symlink('/nonexistent', path),
    ],
    ['stale', 'socket-stale', { status: 'unreachable', stage: 'connect' }, leaveStale],
    ['a regular file', 'not-a-socket', { status: 'unreachable', stage: 'stat' }, (path) => writeFile(path, 'x')],
    ['a directory', 'not-a-socket', { status: 'unreachable', stage: 'stat' }, (path) => mkdir(path)],
    ['a full queue', 'backlog-full', { status: 'unreachable', stage: 'connect' }, running(startFull)],
    [
      'closed at once',
      'closed-at-once',
      { status: 'unreachable', stage: 'http2' },
      running((path) => startRaw(path, (socket) => socket.destroy())),
    ],
    ['TLS', 'tls-expected', { status: 'unreachable', stage: 'http2' }, running(startTls)],
    ['HTTP/1', 'http1-server', { status: 'unreachable', stage: 'http2' }, running(startHttp1)],
    [
      'a banner',
      'not-http2',
      { status: 'unreachable', stage: 'http2' },
      running((path) => startRaw(path, (socket) => void socket.write('220 mail.example.com\r\n'))),
    ],
    [
      'garbage bytes',
      'not-http2',
      { status: 'unreachable', stage: 'http2' },
      running((path) => startRaw(path, (socket) => void socket.end(Buffer.alloc(5000, 0xa5)))),
    ],
    [
      'GOAWAY at once',
      'stream-refused',
      { stage: 'rpc' },
      running((path) =>
        startRaw(path, (socket) => void socket.write(Buffer.from([0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]))),
      ),
    ],
    [
      'HTTP/2 without gRPC',
      'http2-not-grpc',
      { status: 'unhealthy', stage: 'rpc' },
      running((path) => startHttp2(path, (stream) => stream.respond({ ':status': 404 }, { endStream: true }))),
    ],
    [
      'a web page over HTTP/2',
      'http2-not-grpc',
      { status: 'unhealthy' },
      running((path) =>
        startHttp2(
          path,
          (stream) => (
            stream.respond({ ':status': 200, 'content-type': 'text/html' }),
            stream.end('<html><body>hello, this is a page</body></html>')
          ),
        ),
      ),
    ],
    [
      'no gRPC status',
      'no-grpc-status',
      { status: 'unhealthy', stage: 'rpc' },
      running((path) =>
        startHttp2(path, (stream) =>
          stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { endStream: true }),
        ),
      ),
    ],
    [
      'refused streams',
      'stream-refused',
      { status: 'unhealthy', stage: 'rpc' },
      running((path) => startHttp2(path, refuseStream)),
    ],
    [
      'reset midway',
      'connection-dropped',
      { status: 'unhealthy', stage: 'rpc' },
      running((path) => startHttp2(path, (stream) => stream.session?.destroy())),
    ],
    [
      'another gRPC service',
      'service-absent',
      { status: 'unhealthy', stage: 'rpc' },
      answering({ '/other.Service/Call': Buffer.alloc(0) }),
    ],
    [
      'CSI v0',
      'csi-v0',
      { status: 'unhealthy', driver: 'old.example.com', version: '0.3' },
      answering({ [v0]: pluginInfo('old.example.com', '0.3') }),
    ],
    [
      'a registration socket under another name',
      'registration-socket',
      { status: 'unhealthy' },
      answering({ '/pluginregistration.Registration/GetInfo': registrationInfo('disk.example.com', '/csi/csi.sock') }),
    ],
    [
      'no Probe',
      'probe-unimplemented',
      { status: 'unhealthy', stage: 'rpc', driver: 'disk.example.com' },
      answering({ [infoPath]: healthy[infoPath]!, '/csi.v1.Identity/GetPluginCapabilities': Buffer.alloc(0) }),
    ],
    [
      'not ready',
      'not-ready',
      { status: 'initialising', stage: 'semantic' },
      answering(identity({ [probePath]: Buffer.from([0x0a, 0x00]) })),
    ],
    [
      'FAILED_PRECONDITION',
      'failed-precondition',
      { status: 'unhealthy', stage: 'rpc', code: 'FAILED_PRECONDITION' },
      answering(identity({ [probePath]: { code: 'FAILED_PRECONDITION', message: 'no iscsid on this host' } })),
    ],
    [
      'UNAVAILABLE from the driver itself',
      'driver-error',
      { status: 'unhealthy', code: 'UNAVAILABLE' },
      answering(identity({ [infoPath]: { code: 'UNAVAILABLE', message: 'Driver is missing version' } })),
    ],
    [
      'DEADLINE_EXCEEDED from the driver itself',
      'driver-error',
      { code: 'DEADLINE_EXCEEDED' },
      answering(identity({ [probePath]: { code: 'DEADLINE_EXCEEDED', message: 'the backend was slow' } })),
    ],
    [
      'an empty name',
      'name-empty',
      { status: 'unhealthy', stage: 'semantic' },
      answering(identity({ [infoPath]: pluginInfo('', '1') })),
    ],
    [
      'a name that CSI forbids',
      'name-invalid',
      { stage: 'semantic' },
      answering(identity({ [infoPath]: pluginInfo('disk_example', '1') })),
    ],
    [
      'a name that Kubernetes forbids',
      'name-invalid',
      { stage: 'semantic' },
      answering(identity({ [infoPath]: pluginInfo('a..b', '1') })),
    ],
    [
      'no version',
      'version-empty',
      { status: 'unhealthy', stage: 'semantic' },
      answering(identity({ [infoPath]: pluginInfo('disk.example.com', '') })),
    ],
    [
      'huge',
      'response-too-large',
      { status: 'unhealthy', stage: 'rpc' },
      answering(identity({ [infoPath]: Buffer.concat([pluginInfo('disk.example.com', '1'), manifest]) })),
    ],
    [
      'truncated',
      'malformed-response',
      { status: 'unhealthy', stage: 'decode' },
      answering(identity({ [infoPath]: Buffer.from([0x0a, 0x20, 0x61]) })),
    ],
    ['a wrong wire type', 'malformed-response', { stage: 'decode' }, answering(identity({ [infoPath]: varint(1, 7) }))],
    [
      'invalid UTF-8',
      'invalid-utf8',
      { stage: 'decode' },
      answering(identity({ [infoPath]: chunk(1, Buffer.from([0xff, 0xfe])) })),
    ],
  ];
  it.each(prompt)('%s: %s', async (_name, failure, expected, arrange) => {
    const path = join(directory, 'csi.sock');
    await arrange(path);
    const item = await probe(path);
    expect(item).toMatchObject({ endpoint: `unix://${path}`, via: 'socket', failure, ...expected });
    expect(item.summary).toMatch(/^[A-Z].*[^.]\.$/);
    expect(item.fix.length).toBeGreaterThan(0);
  });

  it('the parent is a file', async () => {
    await writeFile(join(directory, 'file'), '');
    expect(await probe(join(directory, 'file', 'csi.sock'))).toMatchObject({
      failure: 'parent-not-directory',
      status: 'unreachable',
      summary: `The path cannot exist: ${join(directory, 'file')} is not a directory.`,
    });
  });
  it('says which directory is missing', async () => {
    expect((await probe(join(directory, 'a', 'b', 'csi.sock'))).summary).toBe(
      `The socket does not exist: the directory ${join(directory, 'a')} does not exist either.`,
    );
  });
  it('a path of more than 107 bytes, told before anything is touched', async () => {
    expect(await probe(join(directory, 'x'.repeat(120)))).toMatchObject({ failure: 'path-too-long', stage: 'stat' });
  });
  it('a datagram socket', async ({ skip }) => {
    const stop = await startDatagram(join(directory, 'csi.sock'));
    if (stop === undefined) return skip('no python3 here');
    stops.push(stop);
    expect(await probe(join(directory, 'csi.sock'))).toMatchObject({ failure: 'wrong-socket-type', stage: 'connect' });
  });
  it('hangs after accept', async () => {
    stops.push(await startSilent(join(directory, 'csi.sock')));
    expect(await probe(join(directory, 'csi.sock'), { timeoutMs: 3000 })).toMatchObject({
      failure: 'handshake-hang',
      status: 'unreachable',
      stage: 'http2',
    });
  });
  it('hangs in a call, and says in which', async () => {
    await answering(identity({ [probePath]: 'hang' }))(join(directory, 'csi.sock'));
    const item = await probe(join(directory, 'csi.sock'), { timeoutMs: 5000 });
    expect(item).toMatchObject({ failure: 'rpc-hang', status: 'unhealthy', stage: 'rpc', driver: 'disk.example.com' });
    expect(item.summary).toMatch(/^The driver is connected but does not answer Probe: no answer within /);
  });
  it('another name than the one that was asked for', async () => {
    await answering(healthy)(join(directory, 'csi.sock'));
    expect(await probe(join(directory, 'csi.sock'), { expectedName: 'other.example.com' })).toMatchObject({
      failure: 'name-mismatch',
      status: 'unhealthy',
      driver: 'disk.example.com',
    });
  });
  it.each([
    ['empty', Buffer.alloc(0)],
    ['too long', chunk(1, 'n'.repeat(257))],
  ])('a node id that is %s', async (_name, bytes) => {
    await answering({ ...deepAnswers, '/csi.v1.Node/NodeGetInfo': bytes })(join(directory, 'csi.sock'));
    expect(await probe(join(directory, 'csi.sock'), { deep: true })).toMatchObject({
      failure: 'nodeid-invalid',
      status: 'unhealthy',
      stage: 'semantic',
    });
  });
  it('tcp: refused, and a host without an address', async () => {
    const { stop, port } = await startDriver('127.0.0.1:0', healthy);
    expect(await probeEndpoint({ type: 'tcp', host: '127.0.0.1', port }, { timeoutMs, deep: false })).toMatchObject({
      endpoint: `tcp://127.0.0.1:${port}`,
      status: 'ready',
    });
    stop();
    const refused = await probeEndpoint({ type: 'tcp', host: '127.0.0.1', port }, { timeoutMs, deep: false });
    // A label of DNS has 63 letters at most, so nobody needs to be asked.
    const unknown = await probeEndpoint({ type: 'tcp', host: 'x'.repeat(64), port: 1 }, { timeoutMs, deep: false });
    expect([refused.failure, unknown.failure]).toEqual(['tcp-refused', 'host-not-found']);
  });

  it('a socket of somebody else: not proven unhealthy', async ({ skip }) => {
    const path = join(directory, 'csi.sock');
    await answering(healthy)(path);
    await chmod(directory, 0o755);
    await chmod(path, 0o700);
    const main = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
    const isRoot = process.getuid?.() === 0;
    if (!isRoot) return skip('only root can become somebody else');
    const { status, stdout } = spawnSync(process.execPath, [main, 'probe', path, '-o', 'json'], {
      uid: 65_534,
      gid: 65_534,
      encoding: 'utf8',
      env: { ...process.env, HOME: '/nonexistent' },
    });
    if (stdout === '') return skip('nobody else may read the sources here');
    expect((JSON.parse(stdout) as ProbeReport).items).toMatchObject([
      { failure: 'permission-denied', status: 'unknown' },
    ]);
    expect(status).toBe(3);
    await chmod(directory, 0o700);
    for (const words of [[join(directory, '*.sock')], ['--kubelet-root', directory]]) {
      const closed = spawnSync(process.execPath, [main, 'probe', ...words, '-o', 'json'], {
        uid: 65_534,
        gid: 65_534,
        encoding: 'utf8',
        env: { ...process.env, HOME: '/nonexistent' },
      });
      expect((JSON.parse(closed.stdout) as ProbeReport).items).toMatchObject([
        { failure: 'permission-denied', status: 'unknown', stage: 'stat', endpoint: `unix://${directory}` },
      ]);
      expect(closed.status).toBe(3);
    }
  });

  it('none is left out', () => {
    const playedAlone = [
      'parent-not-directory',
      'path-too-long',
      'wrong-socket-type',
      'handshake-hang',
      'rpc-hang',
      'name-mismatch',
      'nodeid-invalid',
      'tcp-refused',
      'host-not-found',
      'permission-denied',
    ];
    const played = [...prompt.map(([, failure]) => failure), ...playedAlone];
    expect(probeFailures.filter((failure) => !played.includes(failure))).toEqual([...clusterFailures]);
  });
});

it('has a sentence and a fix of its own for every failure of this machine', () => {
  const words = Object.entries(failureWords);
  expect(words.map(([failure]) => failure)).toEqual(
    probeFailures.filter((failure) => !clusterFailures.some((other) => other === failure)),
  );
  expect(new Set(words.map(([, { summary }]) => summary({ failure: 'not-ready' }))).size).toBe(words.length);
});

describe('a driver that works', () => {
  it('is ready when `ready` is absent and when it is true', async () => {
    for (const [name, bytes] of [
      ['absent', Buffer.alloc(0)],
      ['true', Buffer.from([0x0a, 0x02, 0x08, 0x01])],
    ] as const) {
      await answering(identity({ [probePath]: bytes }))(join(directory, `${name}.sock`));
      expect(await probe(join(directory, `${name}.sock`))).toMatchObject({
        status: 'ready',
        driver: 'disk.example.com',
        version: 'v1.2.3',
        capabilities: { plugin: ['CONTROLLER_SERVICE', 'VOLUME_ACCESSIBILITY_CONSTRAINTS'], expansion: ['ONLINE'] },
      });
    }
  });
  it('is ready when it is slow, and whom it is too slow for is said', async () => {
    await answering(identity({ [probePath]: { after: 1100, bytes: Buffer.alloc(0) } }))(join(directory, 'csi.sock'));
    const item = await probe(join(directory, 'csi.sock'));
    expect(item.status).toBe('ready');
    expect(item.notes.join()).toMatch(
      /^it answers in [\d.]+ s, which is longer than the node-driver-registrar \(1 s\)/,
    );
  });
  it('is not blamed for the time that our own client takes to load', async () => {
    await answering(healthy)(join(directory, 'csi.sock'));
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const loadDialer = async (): Promise<typeof dial> => {
      vi.advanceTimersByTime(timeoutMs * 2);
      return dial;
    };
    expect(await probe(join(directory, 'csi.sock'), { loadDialer })).toMatchObject({ status: 'ready' });
  });
  it('may have capabilities that are newer than we are', async () => {
    await answering(deepAnswers)(join(directory, 'csi.sock'));
    const item = await probe(join(directory, 'csi.sock'), { deep: true });
    expect(item).toMatchObject({
      status: 'ready',
      capabilities: {
        node: ['STAGE_UNSTAGE_VOLUME', 'GET_VOLUME_STATS', 'EXPAND_VOLUME', 'SINGLE_NODE_MULTI_WRITER', '99'],
        accessModes: ['ReadWriteOncePod'],
      },
      nodeInfo: { nodeId: 'worker-1', maxVolumes: 25, topology: { 'topology.example.com/zone': 'a' } },
    });
    expect(item.calls.map((call) => [call.method, call.note])).toContainEqual([
      'ListVolumes',
      '2 volumes on the first page, and more',
    ]);
  });
  it('reports the health of volumes and storage, asked only where the capability is announced', async () => {
    const health = {
      '/csi.v1.Controller/ControllerListVolumeHealth': chunk(
        1,
        chunk(1, 'volume-7'),
        chunk(2, varint(1, 2), chunk(2, 'NoQuorum')),
      ),
      '/csi.v1.Node/NodeGetStorageHealth': chunk(1, varint(1, 1), chunk(2, 'PathLost'), chunk(3, '1 of 2 paths')),
    };
    const without = await startDriver(join(directory, 'old.sock'), { ...deepAnswers, ...health });
    stops.push(without.stop);
    await probe(join(directory, 'old.sock'), { deep: true });
    expect(without.called.filter((path) => path.includes('Health'))).toEqual([]);

    await answering({
      ...deepAnswers,
      ...health,
      '/csi.v1.Controller/ControllerGetCapabilities': rpcCapabilities([1, 16, 17]),
      '/csi.v1.Node/NodeGetCapabilities': rpcCapabilities([1, 7, 8]),
    })(join(directory, 'csi.sock'));
    const item = await probe(join(directory, 'csi.sock'), { deep: true });
    expect(item.status).toBe('ready');
    expect(item.notes).toContain('the driver reports volume volume-7: inaccessible (NoQuorum)');
    expect(item.notes).toContain('the driver reports its storage: degraded (PathLost: 1 of 2 paths)');
  });
  it('does not call the health fine that a driver refuses to tell', async () => {
    await answering({
      ...deepAnswers,
      '/csi.v1.Node/NodeGetStorageHealth': { code: 'INVALID_ARGUMENT', message: 'secrets are required' },
      '/csi.v1.Node/NodeGetCapabilities': rpcCapabilities([8]),
    })(join(directory, 'csi.sock'));
    const item = await probe(join(directory, 'csi.sock'), { deep: true });
    expect(item.notes).toContainEqual(expect.stringContaining('the health is not known'));
  });
  it('may serve only a part: a node plugin without a Controller', async () => {
    const { '/csi.v1.Node/NodeGetInfo': info, '/csi.v1.Node/NodeGetCapabilities': capabilities } = deepAnswers;
    await answering({
      ...healthy,
      '/csi.v1.Node/NodeGetInfo': info!,
      '/csi.v1.Node/NodeGetCapabilities': capabilities!,
    })(join(directory, 'csi.sock'));
    const item = await probe(join(directory, 'csi.sock'), { deep: true });
    expect(item).toMatchObject({
      status: 'ready',
      notes: ['the Controller service is not served on this socket, which is usual for a node plugin'],
    });
    expect(item.capabilities).not.toHaveProperty('controller');
  });
  it('is not judged by what its backend refuses', async () => {
    await answering({
      ...deepAnswers,
      '/csi.v1.Controller/GetCapacity': { code: 'INVALID_ARGUMENT', message: 'pool is missing' },
    })(join(directory, 'csi.sock'));
    expect(await probe(join(directory, 'csi.sock'), { deep: true })).toMatchObject({
      status: 'ready',
      notes: [
        'GetCapacity failed with INVALID_ARGUMENT: pool is missing, possibly because it needs parameters or secrets',
      ],
    });
  });
  it('is asked nothing but its identity without --deep, and nothing that changes anything with it', async () => {
    const path = join(directory, 'csi.sock');
    const driver = await startDriver(path, { ...deepAnswers, '/csi.v1.Controller/CreateVolume': Buffer.alloc(0) });
    stops.push(driver.stop);
    await probe(path);
    expect([...new Set(driver.called)].sort()).toEqual(Object.keys(healthy).sort());
    await probe(path, { deep: true });
    expect(
      driver.called.filter((called) => !/\/(Get|List|Probe|ControllerGet|NodeGet)[A-Za-z]*$/.test(called)),
    ).toEqual([]);
  });
});
