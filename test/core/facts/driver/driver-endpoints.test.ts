import { describe, expect, it } from 'vitest';
import { ClusterGraph } from '../../../../src/core/graph/cluster-graph.ts';
import { Inquiry } from '../../../../src/core/graph/inquiry.ts';
import type { DriverPlace } from '../../../../src/core/report/driver-endpoints.ts';
import type { RawObject, Snapshot } from '../../../../src/core/kube/snapshot.ts';
import { surveyEndpoints } from '../../../../src/core/facts/driver/driver-endpoints.ts';

const driver = 'disk.example.com';
const now = '2026-05-01T12:00:00Z';
const kinds = ['CSIDriver', 'CSINode', 'Pod', 'DaemonSet', 'Deployment', 'StatefulSet', 'Lease', 'Node'] as const;

const csiDriver: RawObject = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSIDriver',
  metadata: { name: driver, uid: 'd' },
};
const csiNode = (name: string, ...drivers: readonly string[]): RawObject => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: { name, uid: name },
  spec: { drivers: drivers.map((each) => ({ name: each, nodeID: name })) },
});
const daemonSet: RawObject = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'disk-node', namespace: 'storage', uid: 'set' },
  spec: {
    selector: { matchLabels: { app: 'disk-node' } },
    template: { spec: { containers: [{ name: 'driver', args: [`--drivername=${driver}`] }] } },
  },
};

interface Parts {
  readonly driver?: object;
  readonly others?: readonly object[];
  readonly volumes?: readonly object[];
  readonly status?: object;
  readonly node?: string;
}

const mounts = [{ name: 'socket', mountPath: '/csi' }];
function nodePod({ driver: own = {}, others = [], volumes, status, node = 'worker-1' }: Parts = {}): RawObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `disk-node-${node}`,
      namespace: 'storage',
      uid: node,
      labels: { app: 'disk-node' },
      ownerReferences: [{ kind: 'DaemonSet', name: 'disk-node', controller: true }],
    },
    spec: {
      nodeName: node,
      containers: [
        {
          name: 'driver',
          image: 'example.com/disk:v1',
          args: ['--endpoint=unix:///csi/csi.sock'],
          volumeMounts: mounts,
          ...own,
        },
        {
          name: 'node-driver-registrar',
          image: 'example.com/csi-node-driver-registrar:v2.17.0',
          args: [
            '--csi-address=/csi/csi.sock',
            `--kubelet-registration-path=/var/lib/kubelet/plugins/${driver}/csi.sock`,
          ],
          volumeMounts: mounts,
        },
        ...others,
      ],
      volumes: volumes ?? [{ name: 'socket', hostPath: { path: `/var/lib/kubelet/plugins/${driver}` } }],
    },
    status: status ?? {
      phase: 'Running',
      podIP: '10.0.0.7',
      containerStatuses: [
        { name: 'driver', restartCount: 0, state: { running: { startedAt: '2026-05-01T09:00:00Z' } } },
      ],
    },
  };
}

function survey(
  objects: readonly RawObject[],
  question: { readonly drivers?: readonly string[]; readonly nodes?: readonly string[] } = {},
  unread: readonly string[] = [],
): ReturnType<typeof surveyEndpoints> {
  const snapshot: Snapshot = {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Snapshot',
    takenAt: now,
    source: { type: 'files', name: 'test' },
    objects,
    observations: kinds
      .filter((kind) => !unread.includes(kind))
      .map((kind) => ({ kind, scope: {}, state: 'complete' })),
  };
  return surveyEndpoints(new Inquiry(new ClusterGraph(snapshot)), {
    drivers: question.drivers ?? [],
    nodes: question.nodes ?? [],
  });
}

const placeOf = (parts: Parts, registered = true): DriverPlace =>
  survey([csiDriver, csiNode('worker-1', ...(registered ? [driver] : [])), daemonSet, nodePod(parts)]).places[0]!;

describe('where a driver listens', () => {
  it('by its own argument, and on the node through the mount', () => {
    expect(placeOf({})).toMatchObject({
      container: 'driver',
      socket: '/csi/csi.sock',
      hostSocket: `/var/lib/kubelet/plugins/${driver}/csi.sock`,
      node: 'worker-1',
      roles: ['node'],
    });
  });
  it.each([
    [
      'a variable in an argument',
      { args: ['-endpoint', '$(CSI_ENDPOINT)'], env: [{ name: 'CSI_ENDPOINT', value: 'unix:///csi/own.sock' }] },
      '/csi/own.sock',
    ],
    [
      'a variable in a variable',
      {
        args: ['--endpoint=$(CSI_ENDPOINT)'],
        env: [
          { name: 'DIR', value: '/csi' },
          { name: 'CSI_ENDPOINT', value: 'unix://$(DIR)/own.sock' },
        ],
      },
      '/csi/own.sock',
    ],
    [
      'a variable that only the program reads',
      { args: [], env: [{ name: 'CSI_ENDPOINT', value: 'unix://csi/own.sock' }] },
      '/csi/own.sock',
    ],
    [
      'the last of two arguments',
      { args: ['--endpoint=unix:///csi/a.sock', '--endpoint=unix:///csi/b.sock'] },
      '/csi/b.sock',
    ],
    ['an argument with a name of its own', { args: ['--serve=unix:///csi/own.sock'] }, '/csi/own.sock'],
    ['a bare path', { args: ['--csi-address=/csi/own.sock'] }, '/csi/own.sock'],
  ])('by %s', (_what, own, socket) => {
    expect(placeOf({ driver: own }).socket).toBe(socket);
  });
  it('by its sidecars, in the path that its own mount gives it', () => {
    expect(
      placeOf({ driver: { args: ['run'], volumeMounts: [{ name: 'socket', mountPath: '/run/csi/' }] } }),
    ).toMatchObject({ socket: '/run/csi/csi.sock', hostSocket: `/var/lib/kubelet/plugins/${driver}/csi.sock` });
  });
  it('by the registrar alone, when nothing else tells', () => {
    const place = placeOf({
      driver: { args: ['--endpoint=unix://$(SOMEWHERE)/csi.sock'], volumeMounts: [] },
      volumes: [],
    });
    expect(place.socket).toBeUndefined();
    expect(place.hostSocket).toBe(`/var/lib/kubelet/plugins/${driver}/csi.sock`);
  });
  it('on TCP', () => {
    expect(placeOf({ driver: { args: ['--endpoint=tcp://0.0.0.0:10000'] } })).toMatchObject({
      address: 'tcp://0.0.0.0:10000',
    });
  });
  it('in no directory of the node, when its volume lives with the pod', () => {
    const controller: RawObject = {
      ...nodePod({ volumes: [{ name: 'socket', emptyDir: {} }] }),
      metadata: { name: 'disk-controller-0', namespace: 'storage', uid: 'c' },
    };
    const spec = controller['spec'] as { containers: object[] };
    spec.containers = [
      spec.containers[0]!,
      {
        name: 'csi-provisioner',
        image: 'example.com/csi-provisioner:v5',
        args: ['--csi-address=/csi/csi.sock', `--extra=${driver}`],
        volumeMounts: mounts,
      },
    ];
    const [place] = survey([csiDriver, csiNode('worker-1'), controller]).places;
    expect(place).toMatchObject({ roles: ['controller'], socket: '/csi/csi.sock' });
    expect(place?.hostSocket).toBeUndefined();
  });
});

describe('where its livenessprobe listens', () => {
  const liveness = (...args: readonly string[]): object => ({
    name: 'liveness',
    image: 'example.com/livenessprobe:v2.19.0',
    args,
  });
  const running = {
    phase: 'Running',
    podIP: '10.0.0.7',
    containerStatuses: [
      { name: 'driver', state: { running: {} } },
      { name: 'liveness', state: { running: { startedAt: '2026-05-01T11:59:00Z' } } },
    ],
  };
  it.each([
    [[], { port: 9808, isLocal: false }],
    [['--health-port=9898'], { port: 9898, isLocal: false }],
    [['-health-port', '9898'], { port: 9898, isLocal: false }],
    [['--http-endpoint=:9900', '--health-port=9898'], { port: 9900, isLocal: false }],
    [['--http-endpoint=127.0.0.1:9900'], { port: 9900, isLocal: true }],
    [['--http-endpoint=localhost:9900'], { port: 9900, isLocal: true }],
    [['--http-endpoint=[::1]:9900'], { port: 9900, isLocal: true }],
  ])('%j', (args, expected) => {
    expect(placeOf({ others: [liveness(...args)], status: running }).health).toMatchObject({
      container: 'liveness',
      isRunning: true,
      runningMs: 60_000,
      ...expected,
    });
  });
  it('behind the address of the pod', () => {
    const container = {
      ...liveness('--http-endpoint=$(POD_IP):9901'),
      env: [{ name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
    };
    expect(placeOf({ others: [container], status: running }).health).toMatchObject({ port: 9901, isLocal: false });
  });
  it('by the port that kubelet checks, when its own argument cannot be read', () => {
    const own = {
      livenessProbe: { httpGet: { port: 'healthz', path: '/healthz' } },
      ports: [{ name: 'healthz', containerPort: 9898 }],
    };
    expect(placeOf({ driver: own, others: [liveness('--health-port=$(PORT)')], status: running }).health).toMatchObject(
      { port: 9898 },
    );
  });
});

describe('a livenessprobe behind a shell', () => {
  it('is not guessed at', () => {
    const container = {
      name: 'liveness',
      image: 'example.com/livenessprobe:v2.19.0',
      command: ['/bin/sh', '-c', 'livenessprobe --health-port=9999'],
    };
    expect(placeOf({ others: [container] }).health).toBeUndefined();
  });
});

describe('how long its callers wait', () => {
  it('by their arguments, or what they do by themselves', () => {
    const others = [
      { name: 'liveness', image: 'example.com/livenessprobe:v2.10.0' },
      { name: 'csi-attacher', image: 'example.com/csi-attacher:v4', args: ['--timeout=2m30s'] },
    ];
    expect(placeOf({ others }).callers).toEqual([
      { caller: 'the node-driver-registrar', milliseconds: 1000, isDefault: true },
      { caller: 'the livenessprobe', milliseconds: 1000, isDefault: true },
      { caller: 'the attacher', milliseconds: 150_000, isDefault: false },
    ]);
  });
});

describe('what the objects prove', () => {
  it('nothing, as long as all runs: a driver that hangs looks just so', () => {
    expect(placeOf({})).toMatchObject({
      isRunning: true,
      known: ['container driver has been running for 3h', 'the kubelet of worker-1 has registered it'],
      verdict: { status: 'unknown' },
    });
  });
  it('that a crashing driver is unreachable, with its last words', () => {
    const status = {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'driver',
          restartCount: 5,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { exitCode: 2, finishedAt: '2026-05-01T11:58:00Z', message: 'no credentials\n' } },
        },
        {
          name: 'csi-attacher',
          restartCount: 1,
          state: { running: {} },
          lastState: {
            terminated: {
              exitCode: 1,
              finishedAt: '2026-05-01T11:58:00Z',
              message: 'Lost connection to CSI driver, exiting',
            },
          },
        },
      ],
    };
    const place = placeOf({ status });
    expect(place.verdict).toMatchObject({
      status: 'unreachable',
      failure: 'container-not-running',
      summary: expect.stringContaining('keeps crashing'),
    });
    expect(place.verdict.fix[0]?.command).toBe(
      'kubectl -n storage logs disk-node-worker-1 -c driver --previous --tail=50',
    );
    expect(place.known).toContain(
      'container csi-attacher ended 2m ago with exit code 1, with message "Lost connection to CSI driver, exiting"',
    );
  });
  it('that a driver which kubelet has not registered can mount nothing', () => {
    expect(placeOf({}, false).verdict).toMatchObject({ status: 'unhealthy', failure: 'not-registered' });
  });
  it('that one which started a moment ago is not registered yet', () => {
    expect(
      placeOf(
        {
          status: {
            phase: 'Running',
            containerStatuses: [{ name: 'driver', state: { running: { startedAt: '2026-05-01T11:59:50Z' } } }],
          },
        },
        false,
      ).verdict,
    ).toMatchObject({ status: 'initialising', failure: 'not-registered' });
  });
  it('no more than they say of a driver outside of pods', () => {
    const [place] = survey([csiDriver, csiNode('worker-1', driver)]).places;
    expect(place).toMatchObject({
      node: 'worker-1',
      verdict: {
        status: 'unknown',
        summary:
          'The kubelet of worker-1 has registered the driver, but it has no pod there. It may run outside a pod.',
      },
    });
  });
  it('that an installed driver which is nowhere is not there', () => {
    expect(survey([csiDriver, csiNode('worker-1')]).places[0]?.verdict).toMatchObject({
      status: 'unreachable',
      failure: 'not-registered',
    });
  });
  it.each([['CSINode'], ['DaemonSet'], ['Lease']])('nothing of the kind without the %s objects', (kind) => {
    expect(
      survey(
        [csiDriver, csiNode('worker-1')].filter((object) => object.kind !== kind),
        { drivers: [driver] },
        [kind],
      ).places.map(({ verdict }) => verdict.status),
    ).toEqual(['unknown']);
  });
});

describe('a node plugin whose DaemonSet cannot be found', () => {
  const controller: RawObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'disk-controller-0', namespace: 'storage', uid: 'controller' },
    spec: {
      nodeName: 'worker-1',
      containers: [
        { name: 'driver', image: 'example.com/disk:v1' },
        { name: 'csi-provisioner', image: 'example.com/csi-provisioner:v5.0.0' },
      ],
    },
    status: {
      phase: 'Running',
      containerStatuses: [{ name: 'driver', state: { running: { startedAt: '2026-05-01T09:00:00Z' } } }],
    },
  };
  const lease: RawObject = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'disk-example-com', namespace: 'storage', uid: 'lease' },
    spec: { holderIdentity: 'disk-controller-0', leaseDurationSeconds: 15, renewTime: '2026-05-01T11:59:59Z' },
  };

  it('is found beside the controller too', () => {
    const { places } = survey(
      [
        csiDriver,
        csiNode('worker-1', driver),
        csiNode('worker-2', driver),
        lease,
        controller,
        nodePod(),
        nodePod({ node: 'worker-2' }),
      ],
      {},
      ['DaemonSet'],
    );
    expect(places.map(({ pod, roles }) => [pod, roles])).toEqual([
      ['disk-controller-0', ['controller']],
      ['disk-node-worker-1', ['node']],
      ['disk-node-worker-2', ['node']],
    ]);
  });

  it('is not said to be absent where nobody looked', () => {
    const nodes = Array.from({ length: 21 }, (_, index) => `n${index}`);
    const { places } = survey([csiDriver, ...nodes.map((node) => csiNode(node, driver))]);
    expect(places).toHaveLength(21);
    for (const { verdict } of places) {
      expect(verdict).toMatchObject({
        status: 'unknown',
        summary: expect.stringContaining('too many nodes to search their pods one by one'),
      });
      expect(verdict.summary).not.toContain('it has no pod there');
    }
    expect(places[0]?.verdict.fix[0]?.command).toBe(`kubectl csi probe ${driver} --node n0`);
  });
});

describe('which places are meant', () => {
  const world = [
    csiDriver,
    csiNode('worker-1', driver),
    csiNode('worker-2', driver),
    csiNode('worker-3'),
    daemonSet,
    nodePod(),
    nodePod({ node: 'worker-2' }),
  ];
  it('all nodes, or the one that is named', () => {
    expect(survey(world).places.map(({ node }) => node)).toEqual(['worker-1', 'worker-2']);
    expect(survey(world, { nodes: ['worker-2'] }).places.map(({ node }) => node)).toEqual(['worker-2']);
  });
  it('a node without the driver, when it is named', () => {
    expect(survey(world, { nodes: ['worker-3'] }).places).toMatchObject([
      { node: 'worker-3', verdict: { status: 'unreachable', failure: 'not-registered' } },
    ]);
  });
  it('names that nothing has are told apart from those that could not be looked up', () => {
    expect(survey(world, { drivers: ['dsk.example.com'], nodes: ['worker-9'] })).toMatchObject({
      missingDrivers: ['dsk.example.com'],
      missingNodes: ['worker-9'],
    });
    expect(
      survey(
        world.filter(({ kind }) => kind !== 'CSINode'),
        { drivers: ['dsk.example.com'], nodes: ['worker-9'] },
        ['CSINode'],
      ),
    ).toMatchObject({ missingDrivers: [], missingNodes: [] });
  });
});
