import { createServer } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RawObject, Snapshot } from '../../../src/core/kube/snapshot.ts';
import { startApiServer } from '../../../src/sim/api-server.ts';
import type { ApiServer, ApiServerOptions } from '../../../src/sim/api-server.ts';
import { placeOf, socketNamedIn, tunnelTo, withoutShell } from '../../../src/sim/pod-programs.ts';
import { listenerOf } from '../../../src/sim/pod-streams.ts';
import { deepAnswers, startDriver } from '../../kit/csi-driver.ts';
import { runProgram } from '../../kit/run-program.ts';
import { leaveStale } from '../../kit/strange-listeners.ts';

const driver = 'disk.example.com';
const directory = `/var/lib/kubelet/plugins/${driver}`;
const validate = new Ajv2020({ allErrors: true, strictRequired: false }).compile(
  JSON.parse(readFileSync(new URL('../../../docs/probe-report.schema.json', import.meta.url), 'utf8')) as object,
);

const mounts = [{ name: 'socket', mountPath: '/csi' }];
const containers = [
  {
    name: 'driver',
    image: 'example.com/disk:v1',
    args: ['--endpoint=unix:///csi/csi.sock', `--drivername=${driver}`],
    volumeMounts: mounts,
  },
  {
    name: 'node-driver-registrar',
    image: 'example.com/csi-node-driver-registrar:v2.17.0',
    args: ['--csi-address=/csi/csi.sock', `--kubelet-registration-path=${directory}/csi.sock`],
    volumeMounts: mounts,
  },
  {
    name: 'liveness',
    image: 'example.com/livenessprobe:v2.19.0',
    args: ['--csi-address=/csi/csi.sock', '--health-port=9898'],
    volumeMounts: mounts,
  },
];
const volumes = [{ name: 'socket', hostPath: { path: directory, type: 'DirectoryOrCreate' } }];
const template = { metadata: { labels: { app: 'disk-node' } }, spec: { containers, volumes } };
const running = (name: string): object => ({
  name,
  ready: true,
  restartCount: 0,
  state: { running: { startedAt: '2026-05-01T09:00:00Z' } },
});

function world(nodes: readonly string[], changes: { readonly withoutHealth?: boolean } = {}): Snapshot {
  const own = changes.withoutHealth === true ? containers.slice(0, 2) : containers;
  const objects: RawObject[] = [
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: driver, uid: 'driver' },
      spec: { attachRequired: true },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'disk-node', namespace: 'storage', uid: 'set' },
      spec: { selector: { matchLabels: { app: 'disk-node' } }, template },
    },
    ...nodes.flatMap((node): RawObject[] => [
      { apiVersion: 'v1', kind: 'Node', metadata: { name: node, uid: `node-${node}` } },
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSINode',
        metadata: { name: node, uid: `csinode-${node}` },
        spec: { drivers: [{ name: driver, nodeID: node, allocatable: { count: 25 } }] },
      },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: {
          name: `disk-node-${node}`,
          namespace: 'storage',
          uid: `pod-${node}`,
          labels: { app: 'disk-node' },
          ownerReferences: [
            { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'disk-node', uid: 'set', controller: true },
          ],
        },
        spec: { nodeName: node, containers: own, volumes },
        status: {
          phase: 'Running',
          podIP: '10.0.0.5',
          conditions: [{ type: 'Ready', status: 'True' }],
          containerStatuses: own.map(({ name }) => running(name)),
        },
      },
    ]),
  ];
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Snapshot',
    takenAt: '2026-05-01T12:00:00Z',
    source: { type: 'files', name: 'test' },
    objects,
    observations: [],
  };
}

/** The socket of each node is one of this machine; `say` is what its livenessprobe answers. */
async function start(
  snapshot: Snapshot,
  options: ApiServerOptions & { readonly say?: (node: string) => readonly [status: number, body: string] } = {},
): Promise<ApiServer & { readonly socketOf: (node: string) => string }> {
  const place = await mkdtemp(join(tmpdir(), 'csi-nodes-'));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  const socketOf = (node: string): string => join(place, `${node}.sock`);
  const nodeOf = (pod: RawObject): string => (pod['spec'] as { nodeName?: string }).nodeName ?? '';
  const server = await startApiServer(snapshot, {
    listeners: (pod, port) => {
      if (port !== 9898) return undefined;
      const [status, body] = options.say?.(nodeOf(pod)) ?? [200, 'ok'];
      return listenerOf(
        createServer(
          (_request, response) =>
            void response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(body),
        ),
      );
    },
    streams: (pod, container, command) => {
      const path = socketNamedIn(command) ?? '';
      const found = placeOf(pod, container, path);
      return tunnelTo(
        found !== undefined && 'node' in found && found.path === `${directory}/csi.sock`
          ? socketOf(found.node)
          : undefined,
        path,
      );
    },
    ...options,
  });
  onTestFinished(() => server.close());
  return { ...server, socketOf };
}
async function drive(path: string): Promise<void> {
  const { stop } = await startDriver(path, deepAnswers);
  onTestFinished(() => stop());
}
const probe = (server: ApiServer, ...words: readonly string[]): ReturnType<typeof runProgram> =>
  runProgram(['probe', ...words, '-s', server.url]);
const made = (server: ApiServer, method: string): string[] =>
  server.requests
    .filter((request) => request.method === method && /\/pods(\/[^/]+)?$/.test(request.path))
    .map(({ path }) => path);

describe('probe in a cluster, by the livenessprobes', () => {
  it('says that all is well in a line', async () => {
    const server = await start(world(['a', 'b', 'c']));
    const { exitCode, stdout, stderr } = await probe(server, driver);
    expect(stdout).toBe(`${driver}\n  ✔ ready  all 3 nodes  by healthz\n\n3 ready\n`);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(
      server.requests.filter(
        ({ method, path }) =>
          (method !== 'GET' && !path.includes('selfsubjectaccessreviews')) || path.includes('/exec'),
      ),
    ).toEqual([]);
  });
  it('takes a driver as a type and a name too, and all of them without one', async () => {
    const server = await start(world(['a']));
    for (const words of [['csidriver', driver], [`csidriver/${driver}`], ['--all-nodes'], ['--node', 'a']])
      expect(await probe(server, ...words)).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining('✔ ready  node a storage/disk-node-a  by healthz'),
      });
  });
  it('folds those that are well, and says what is wrong with the rest', async () => {
    const nodes = Array.from({ length: 40 }, (_, index) => `node-${String(index).padStart(2, '0')}`);
    const server = await start(world(nodes), {
      say: (node) => (node.endsWith('7') ? [500, 'context deadline exceeded'] : [200, 'ok']),
    });
    const { exitCode, stdout } = await probe(server, driver, '--concurrency', '20');
    expect(stdout).toContain('✔ ready        36 of 40 nodes  by healthz\n');
    expect(stdout).toContain('✖ unreachable  4 of 40 nodes: node-07, node-17, node-27, node-37  by healthz\n');
    expect(stdout).toMatch(new RegExp(`\\$ kubectl csi probe --\\w+ \\S+ ${driver} --node node-07 --exec`));
    expect(stdout).toMatch(/36 ready, 4 unreachable\n$/);
    expect(exitCode).toBe(1);
  });
  it('goes by port-forward to one that listens for its own pod only', async () => {
    const http = createServer((_request, response) => void response.end('ok'));
    const server = await start(world(['a']), { listeners: () => listenerOf(http, true) });
    const report = JSON.parse((await probe(server, driver, '-o', 'json')).stdout) as { items: { routes: object[] }[] };
    expect(report.items[0]?.routes).toContainEqual({
      via: 'healthz',
      outcome: 'answered',
      note: 'port 9898 by port-forward: ok',
    });
  });
  it('says what would tell more where no way is allowed', async () => {
    const server = await start(world(['a']), { faults: { deny: (kind) => kind.startsWith('Pod/') } });
    const { exitCode, stdout, stderr } = await probe(server, driver, '--exec', '-o', 'wide');
    expect(stdout).toMatch(/\? unknown {2}node a storage\/disk-node-a {2}by objects/);
    expect(stdout).toMatch(/healthz {2}forbidden: you may not get pods\/proxy/);
    expect(stdout).toMatch(/exec {5}forbidden: you may not get pods\/exec/);
    expect(stdout).toContain('exec-forbidden');
    // A pod of ours is entered by exec as well, and what will not run is not announced.
    expect(stdout).not.toContain('--create-pods');
    expect(stderr).toBe('');
    expect(server.requests.filter(({ path }) => path.includes('/exec'))).toEqual([]);
    expect(exitCode).toBe(3);
  });
  it('does not take what it may not list for all there is', async () => {
    const server = await start(world(['a']), { faults: { deny: (kind) => kind === 'CSINode' } });
    const { exitCode, stdout } = await probe(server, driver);
    expect(stdout).toContain('could not read csinodes (forbidden)');
    expect(exitCode).toBe(3);
  });
  it('offers near names', async () => {
    const server = await start(world(['worker-1']));
    expect(await probe(server, 'dsk.example.com')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`error: Driver "dsk.example.com" does not exist.\n  Did you mean "${driver}"?`),
    });
    expect(await probe(server, driver, '--node', 'worker-11')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('error: Node "worker-11" does not exist.\n  Did you mean "worker-1"?'),
    });
  });
});

describe('probe --exec', () => {
  it('says first what it runs where, and then what the driver says', async () => {
    const server = await start(world(['a'], { withoutHealth: true }));
    await drive(server.socketOf('a'));
    const { exitCode, stdout, stderr } = await probe(server, driver, '--exec', '--deep', '-o', 'json');
    const report = JSON.parse(stdout) as object;
    validate(report);
    expect(validate.errors ?? []).toEqual([]);
    expect(report).toMatchObject({
      items: [
        {
          endpoint: 'unix:///csi/csi.sock',
          via: 'exec',
          roles: ['node'],
          node: 'a',
          namespace: 'storage',
          pod: 'disk-node-a',
          container: 'driver',
          driver,
          version: 'v1.2.3',
          status: 'ready',
          nodeInfo: { maxVolumes: 25 },
          routes: [
            { via: 'objects', outcome: 'answered' },
            { via: 'healthz', outcome: 'impossible' },
            { via: 'exec', outcome: 'answered' },
          ],
        },
      ],
    });
    expect(stderr).toMatch(
      /^running in a container: sh, which connects .*\n {2}storage\/disk-node-a, container driver: \/csi\/csi\.sock\n$/,
    );
    expect(exitCode).toBe(0);
  });
  it('tells a leftover from a missing socket', async () => {
    const server = await start(world(['a', 'b']));
    await leaveStale(server.socketOf('a'));
    const { exitCode, stdout } = await probe(server, driver, '--exec', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      items: [
        { node: 'a', failure: 'socket-stale' },
        { node: 'b', failure: 'socket-missing' },
      ],
    });
    expect(exitCode).toBe(1);
  });
  it('does not blame the driver for an image without a shell', async () => {
    const server = await start(world(['a'], { withoutHealth: true }), {
      streams: (_pod, _container, command) => withoutShell(command),
    });
    const { exitCode, stdout } = await probe(server, driver, '--exec', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      items: [
        {
          status: 'unknown',
          failure: 'exec-no-tool',
          fix: [{ command: expect.stringContaining(` ${driver} --node a --create-pods`) }],
        },
      ],
    });
    expect(exitCode).toBe(3);
  });
  it('leaves no socket behind when it is interrupted', async () => {
    const server = await start(world(['a'], { withoutHealth: true }));
    const { stop } = await startDriver(server.socketOf('a'), { ...deepAnswers, '/csi.v1.Identity/Probe': 'hang' });
    onTestFinished(() => stop());
    const place = await mkdtemp(join(tmpdir(), 'csi-bridges-'));
    onTestFinished(() => rm(place, { recursive: true, force: true }));
    let watching: NodeJS.Timeout | undefined;
    let seen = 0;
    const { exitCode, stdout } = await runProgram(['probe', driver, '--exec', '--timeout', '60s', '-s', server.url], {
      env: { TMPDIR: place },
      onOutput: (_printed, _errors, kill) => {
        watching ??= setInterval(() => {
          seen = readdirSync(place).length;
          if (seen === 0 || !server.requests.some(({ path }) => path.includes('/exec'))) return;
          clearInterval(watching);
          kill('SIGINT');
        }, 20);
      },
    });
    clearInterval(watching);
    expect(seen).toBe(1);
    expect(readdirSync(place)).toEqual([]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 130, stdout: '' });
  });
  it('enters many containers only when all are meant', async () => {
    const server = await start(world(Array.from({ length: 21 }, (_, index) => `n${index}`)));
    expect(await probe(server, driver, '--exec')).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: 'error: --exec would run a command in 21 containers.\n  Choose nodes with --node, or pass --all-nodes.\n',
    });
  });
  it('is a test case for each pod in JUnit', async () => {
    const server = await start(world(['a', 'b']));
    await drive(server.socketOf('a'));
    const { stdout } = await probe(server, driver, '--exec', '-o', 'junit');
    expect(stdout).toContain(`<testcase classname="${driver}" name="node storage/disk-node-a on a"`);
    expect(stdout).toContain('<failure type="socket-missing"');
  });
});

describe('probe --create-pods', () => {
  it('asks from a pod on each node, and leaves none behind', async () => {
    const server = await start(world(['a', 'b'], { withoutHealth: true }));
    await Promise.all(['a', 'b'].map((node) => drive(server.socketOf(node))));
    const { exitCode, stdout, stderr } = await probe(
      server,
      driver,
      '--create-pods',
      '--probe-image',
      'example.com/socat:1',
      '-o',
      'json',
    );
    expect(JSON.parse(stdout)).toMatchObject({
      items: [
        { node: 'a', via: 'pod', status: 'ready', version: 'v1.2.3' },
        { node: 'b', via: 'pod', status: 'ready' },
      ],
    });
    expect(stderr).toContain('creating 2 pods in namespace storage on a, b, from image example.com/socat:1\n');
    expect(stderr).toContain(`  mounts ${directory} read-only; deleted at the end`);
    expect(made(server, 'POST')).toHaveLength(2);
    expect(new Set(made(server, 'DELETE')).size).toBe(2);
    expect(await left(server)).toEqual(['disk-node-a', 'disk-node-b']);
    expect(exitCode).toBe(0);
  });
  it.each(['SIGINT', 'SIGTERM'] as const)('leaves none behind on %s', async (signal) => {
    // The pods never come up, so that the signal finds it waiting for them.
    const server = await start(world(['a', 'b'], { withoutHealth: true }), { podStepMs: 600_000 });
    let watching: NodeJS.Timeout | undefined;
    const { exitCode } = await runProgram(['probe', driver, '--create-pods', '-s', server.url], {
      onOutput: (_printed, _errors, kill) => {
        watching ??= setInterval(() => {
          if (made(server, 'POST').length < 2) return;
          clearInterval(watching);
          kill(signal);
        }, 20);
      },
    });
    clearInterval(watching);
    expect(made(server, 'POST')).toHaveLength(2);
    expect(await left(server)).toEqual(['disk-node-a', 'disk-node-b']);
    expect(exitCode).toBe(signal === 'SIGINT' ? 130 : 143);
  });
  it('mentions what an earlier run left', async () => {
    const snapshot = world(['a']);
    const old: RawObject = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'kubectl-csi-probe-old-0',
        namespace: 'storage',
        uid: 'old',
        labels: { 'csi.kubectl.dev/probe': 'old' },
      },
      spec: { nodeName: 'a' },
      status: { phase: 'Failed' },
    };
    const server = await start({ ...snapshot, objects: [...snapshot.objects, old] });
    await drive(server.socketOf('a'));
    expect((await probe(server, driver, '--create-pods')).stderr).toContain(
      '1 probe pod of an earlier run still exists. Delete it with:\n  kubectl -n storage delete pods -l csi.kubectl.dev/probe\n',
    );
  });
  it('says why it may not', async () => {
    const server = await start(world(['a'], { withoutHealth: true }), {
      faults: { deny: (kind, verb) => kind === 'Pod' && verb === 'create' },
    });
    const { exitCode, stdout } = await probe(server, driver, '--create-pods', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      items: [
        {
          status: 'unknown',
          routes: expect.arrayContaining([
            { via: 'pod', outcome: 'forbidden', note: 'you may not create pods in namespace storage' },
          ]),
        },
      ],
    });
    expect(made(server, 'POST')).toEqual([]);
    expect(exitCode).toBe(3);
  });
  it('makes no pod that it could not enter', async () => {
    const server = await start(world(['a'], { withoutHealth: true }), {
      faults: { deny: (kind) => kind === 'Pod/exec' },
    });
    const { exitCode, stdout, stderr } = await probe(server, driver, '--create-pods', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      items: [
        {
          status: 'unknown',
          failure: 'exec-forbidden',
          routes: expect.arrayContaining([
            { via: 'pod', outcome: 'forbidden', note: 'you may not get pods/exec in namespace storage' },
          ]),
          fix: [
            {
              text: 'Request the right to get pods/exec in namespace storage. The driver can then be queried from a pod.',
            },
          ],
        },
      ],
    });
    expect(made(server, 'POST')).toEqual([]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: '' });
  });
});

describe('probe refuses', () => {
  it.each([
    [
      ['pvc/data'],
      'error: "pvc/data" is not a driver, and only drivers can be probed.\n  Pass a driver from kubectl get csidrivers, or write ./pvc/data if it is a path.\n',
    ],
    [
      ['node/worker-1'],
      'error: "node/worker-1" is not a driver, and only drivers can be probed.\n  To probe the drivers on a node, use --node worker-1, or write ./node/worker-1 if it is a path.\n',
    ],
    [
      ['--probe-image', 'example.com/socat:1'],
      'error: --probe-image needs --create-pods.\n  Run kubectl csi probe --help for usage.\n',
    ],
    [
      ['--create-pods', '--probe-image', ''],
      'error: --probe-image must be an image, not "".\n  Run kubectl csi probe --help for usage.\n',
    ],
    [
      ['--create-pods', '--probe-namespace', 'Bad_Name'],
      'error: --probe-namespace must be a namespace, not "Bad_Name".\n  Run kubectl csi probe --help for usage.\n',
    ],
  ])('%j', async (words, stderr) => {
    expect(await runProgram(['probe', ...words])).toEqual({ exitCode: 2, stdout: '', stderr });
  });
});

async function left(server: ApiServer): Promise<string[]> {
  const response = await fetch(`${server.url}/api/v1/namespaces/storage/pods`);
  return ((await response.json()) as { items: { metadata: { name: string } }[] }).items
    .map(({ metadata }) => metadata.name)
    .sort();
}
