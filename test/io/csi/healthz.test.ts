import { describe, expect, it } from 'vitest';
import type { DriverPlace } from '../../../src/core/report/driver-endpoints.ts';
import { askPlace, itemOf } from '../../../src/io/csi/probe-place.ts';
import { askHealth } from '../../../src/io/csi/route-healthz.ts';
import type { PodAnswer } from '../../../src/io/csi/pod-conversation.ts';
import type { Ways } from '../../../src/io/csi/ways.ts';
import { waysWith } from '../../kit/local-ways.ts';

const pod = { namespace: 'storage', name: 'disk-node-1' };
const health = { container: 'liveness', port: 9898, isLocal: false, isRunning: true, runningMs: 3_600_000 };
const place: DriverPlace = {
  driver: 'disk.example.com',
  roles: ['node'],
  node: 'worker-1',
  namespace: 'storage',
  pod: 'disk-node-1',
  container: 'driver',
  socket: '/csi/csi.sock',
  hostSocket: '/var/lib/kubelet/plugins/disk.example.com/csi.sock',
  isRunning: true,
  hasEnded: false,
  health,
  callers: [{ caller: 'the node-driver-registrar', milliseconds: 1000, isDefault: true }],
  known: ['container driver runs for 3h'],
  verdict: {
    status: 'unknown',
    summary: 'container driver is running, but the driver itself was not queried.',
    fix: [],
  },
};
const says = (status: number, body: string, milliseconds = 12): Ways =>
  waysWith({ proxyGet: () => Promise.resolve<PodAnswer>({ type: 'answer', status, body, milliseconds }) });
const ask = (ways: Ways, own: DriverPlace = place): ReturnType<typeof askHealth> => askHealth(own, pod, ways, 1000);

describe('what the livenessprobe says means', () => {
  it.each([
    [200, 'ok', 'ready', undefined],
    [500, 'driver responded but is not ready', 'initialising', 'not-ready'],
    [500, 'rpc error: code = FailedPrecondition desc = no pool', 'unhealthy', 'failed-precondition'],
    [500, 'rpc error: code = DeadlineExceeded desc = context deadline exceeded', 'unhealthy', 'rpc-hang'],
    [500, 'rpc error: code = Unimplemented desc = unknown method Probe', 'unhealthy', 'probe-unimplemented'],
    [500, 'rpc error: code = Unavailable desc = error reading from server: EOF', 'unhealthy', 'connection-dropped'],
    [500, 'rpc error: code = Unavailable desc = Driver is missing version', 'unhealthy', 'driver-error'],
    [500, 'context deadline exceeded', 'unreachable', 'no-connection'],
  ] as const)('%i %j', async (status, body, expected, failure) => {
    const { told, route } = await ask(says(status, body));
    expect({ status: told?.status, failure: told?.failure }).toEqual({ status: expected, failure });
    expect(route).toMatchObject({
      via: 'healthz',
      outcome: 'answered',
      note: `port 9898 through the API server: ${body}`,
    });
  });
  it('nothing, when whoever answers is somebody else', async () => {
    expect((await ask(says(404, 'page not found'))).told).toBeUndefined();
  });
  it('that a slow driver is too slow for its registrar', async () => {
    expect((await ask(says(200, 'ok', 1400))).told?.notes).toEqual([
      'it answers in 1.4 s: the node-driver-registrar gives up after 1 s',
    ]);
  });
});

describe('the way to the livenessprobe', () => {
  const ok: PodAnswer = { type: 'answer', status: 200, body: 'ok', milliseconds: 5 };
  it('goes by port-forward where the API server does not get through', async () => {
    for (const reason of ['closed', 'unreachable', 'forbidden'] as const) {
      const { route } = await ask(
        waysWith({
          proxyGet: () => Promise.resolve({ type: 'no way', reason, message: 'no' }),
          forwardGet: () => Promise.resolve(ok),
        }),
      );
      expect(route).toMatchObject({ outcome: 'answered', note: 'port 9898 by port-forward: ok' });
    }
  });
  it('goes by port-forward at once to a listener on the loopback address', async () => {
    const { route } = await ask(
      waysWith({ proxyGet: () => Promise.reject(new Error('asked in vain')), forwardGet: () => Promise.resolve(ok) }),
      { ...place, health: { ...health, isLocal: true } },
    );
    expect(route.note).toBe('port 9898 by port-forward: ok');
  });
  it('tells which right is missing', async () => {
    const { route, told, next } = await ask(waysWith({ lacks: ([right]) => Promise.resolve(right) }));
    expect(told).toBeUndefined();
    expect(route).toEqual({
      via: 'healthz',
      outcome: 'forbidden',
      note: 'you may not get pods/proxy in namespace storage, nor get pods/portforward in namespace storage',
    });
    expect(next?.[0]?.text).toContain('Request the right to get pods/proxy in namespace storage');
  });
  const closed = waysWith({
    proxyGet: () => Promise.resolve({ type: 'no way', reason: 'closed', message: 'connection refused' }),
    forwardGet: () => Promise.resolve({ type: 'no way', reason: 'closed', message: 'connection refused' }),
  });
  it('that ends at a closed port shows that the driver never answered', async () => {
    expect((await ask(closed)).told).toMatchObject({
      status: 'unreachable',
      failure: 'no-connection',
      summary: expect.stringContaining('does not listen on port 9898'),
    });
  });
  it('that ends at a closed port shows nothing, right after the start', async () => {
    expect((await ask(closed, { ...place, health: { ...health, runningMs: 3000 } })).told).toBeUndefined();
  });
});

describe('all that is known of one driver', () => {
  const options = { timeoutMs: 60_000, deep: false, exec: false, createPods: false };
  const item = async (ways: Ways, own = place, asked = options): Promise<ReturnType<typeof itemOf>> =>
    itemOf(own, await askPlace(own, ways, asked), asked);
  it('is unknown without a way, and says what would tell more', async () => {
    const found = await item(waysWith({ lacks: ([right]) => Promise.resolve(right) }));
    expect(found).toMatchObject({
      status: 'unknown',
      via: 'objects',
      routes: [{ via: 'objects' }, { via: 'healthz', outcome: 'forbidden' }, { via: 'exec', outcome: 'not-asked' }],
    });
    expect(found.fix.map(({ command }) => command).filter(Boolean)).toEqual([
      'kubectl csi probe disk.example.com --node worker-1 --exec',
      'kubectl csi probe disk.example.com --node worker-1 --create-pods',
    ]);
  });
  it('is not ready while kubelet does not know it, whatever it says itself', async () => {
    const found = await item(says(200, 'ok'), {
      ...place,
      verdict: {
        status: 'unhealthy',
        failure: 'not-registered',
        summary: 'The driver is running, but the kubelet of worker-1 has not registered it',
        fix: [],
      },
    });
    expect(found).toMatchObject({
      status: 'unhealthy',
      failure: 'not-registered',
      stage: 'semantic',
      notes: ['the driver itself is ready: port 9898 through the API server: ok'],
    });
  });
  it('needs no way when it does not run', async () => {
    const dead: DriverPlace = {
      ...place,
      isRunning: false,
      verdict: { status: 'unreachable', failure: 'container-not-running', summary: 'it keeps crashing', fix: [] },
    };
    expect(await item(waysWith({ proxyGet: () => Promise.reject(new Error('asked in vain')) }), dead)).toMatchObject({
      status: 'unreachable',
      failure: 'container-not-running',
      stage: 'connect',
      routes: [{ via: 'objects' }],
    });
  });
  it('tells when what was asked for could not be had', async () => {
    const found = await item(
      {
        ...says(200, 'ok'),
        exec: () => Promise.resolve({ type: 'no way', reason: 'failed', message: 'the kubelet is busy' }),
      },
      place,
      { ...options, exec: true },
    );
    expect(found).toMatchObject({
      status: 'ready',
      via: 'healthz',
      notes: [expect.stringContaining('the kubelet is busy')],
    });
  });
});
