import { afterEach, describe, expect, it, vi } from 'vitest';
import { connect } from '../../../src/io/cluster/connect.ts';
import { LiveSnapshot } from '../../../src/io/cluster/live-snapshot.ts';
import type { LiveOptions } from '../../../src/io/cluster/live-snapshot.ts';
import type { ClusterReader } from '../../../src/io/cluster/reader.ts';
import type { RawObject, Snapshot } from '../../../src/core/kube/snapshot.ts';
import { startApiServer } from '../../../src/sim/api-server.ts';
import type { ApiServer, ApiServerOptions } from '../../../src/sim/api-server.ts';
import { openTlsFront } from '../../kit/tls-front.ts';

const claim = (name: string, phase = 'Bound', namespace = 'shop'): RawObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name, namespace, uid: `uid-${namespace}-${name}`, labels: { app: name } },
  status: { phase },
});
const pod = (name: string, phase: string): RawObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', uid: `uid-${name}` },
  spec: {},
  status: { phase },
});
const clusterOf = (objects: readonly RawObject[]): Snapshot => ({
  apiVersion: 'csi.kubectl.dev/v1',
  kind: 'Snapshot',
  takenAt: '2026-01-01T01:00:00Z',
  source: { type: 'files', name: 'test' },
  objects,
  observations: [],
});
const watched: LiveOptions['watched'] = [{ kind: 'PersistentVolumeClaim', scope: {} }];

const opened: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function serve(objects: readonly RawObject[], options: ApiServerOptions = {}): Promise<ApiServer> {
  const server = await startApiServer(clusterOf(objects), options);
  opened.push(() => server.close());
  return server;
}

async function follow(
  url: string,
  more: Partial<LiveOptions> = {},
): Promise<{ readonly live: LiveSnapshot; readonly reader: ClusterReader; readonly changes: () => number }> {
  const reader = await connect({ server: url }, { variables: { HOME: '/nonexistent' } });
  let changes = 0;
  const live = new LiveSnapshot(reader, { watched, onChange: () => void (changes += 1), ...more });
  opened.push(async () => {
    await live.close();
    reader.close();
  });
  live.start();
  return { live, reader, changes: () => changes };
}

const until = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 240_000, interval: 20 });
const names = async (live: LiveSnapshot, scope = {}): Promise<string[]> => {
  const listed = await live.reader.list('PersistentVolumeClaim', scope);
  return 'objects' in listed ? listed.objects.map(({ metadata }) => metadata.name) : [listed.state];
};
const requestsFor = (server: ApiServer, plural: string, isWatch = false): number =>
  server.requests.filter(({ path, query }) => path.endsWith(`/${plural}`) && (query['watch'] === 'true') === isWatch)
    .length;

describe('a watched kind', () => {
  it('is answered from memory, in every scope that the watch covers', async () => {
    const server = await serve([claim('b'), claim('a'), claim('c', 'Bound', 'web')]);
    const { live } = await follow(server.url);
    await until(() => expect(live.freshness().state).toBe('live'));
    const before = requestsFor(server, 'persistentvolumeclaims');
    expect(await names(live)).toEqual(['a', 'b', 'c']);
    expect(await names(live, { namespace: 'web' })).toEqual(['c']);
    expect(await names(live, { labelSelector: 'app in (a, c)' })).toEqual(['a', 'c']);
    expect(await names(live, { fieldSelector: 'metadata.name=b' })).toEqual(['b']);
    expect(await live.reader.get('PersistentVolumeClaim', 'shop', 'a')).toMatchObject({
      state: 'found',
      object: { metadata: { name: 'a' } },
    });
    expect(await live.reader.get('PersistentVolumeClaim', 'web', 'a')).toEqual({ state: 'missing' });
    expect(await live.reader.listTable('PersistentVolumeClaim', { namespace: 'web' })).toMatchObject({
      rows: [{ name: 'c', namespace: 'web', cells: { status: 'Bound' } }],
    });
    expect(requestsFor(server, 'persistentvolumeclaims')).toBe(before);
  });

  it('follows what is added, changed and deleted', async () => {
    const server = await serve([claim('a')]);
    const { live } = await follow(server.url);
    await until(() => expect(live.freshness().state).toBe('live'));
    await until(() => expect(requestsFor(server, 'persistentvolumeclaims', true)).toBe(1));
    server.apply(claim('b', 'Pending'));
    await until(async () => expect(await names(live)).toEqual(['a', 'b']));
    server.apply(claim('b', 'Bound'));
    await until(async () =>
      expect(await live.reader.get('PersistentVolumeClaim', 'shop', 'b')).toMatchObject({
        object: { status: { phase: 'Bound' } },
      }),
    );
    server.remove('PersistentVolumeClaim', 'shop', 'a');
    await until(async () => expect(await names(live)).toEqual(['b']));
  });

  it('is stale while the server is away, says why and since when, and is listed anew when another one has taken its place', async () => {
    const first = await serve([claim('a'), claim('b')]);
    const { live } = await follow(first.url);
    await until(() => expect(live.freshness().state).toBe('live'));
    const { port } = first;
    await first.close();
    await until(() =>
      expect(live.freshness()).toMatchObject({
        state: 'stale',
        reason: `the server http://127.0.0.1:${port} refused the connection`,
      }),
    );
    expect(await names(live)).toEqual(['a', 'b']);
    expect(live.freshness().since.getTime()).not.toBeNaN();
    await serve([claim('c')], { port });
    await until(() => expect(live.freshness().state).toBe('live'));
    expect(await names(live)).toEqual(['c']);
  }, 60_000);

  it('that is denied stays a refusal, and takes nothing from the freshness of the others', async () => {
    const server = await serve([claim('a')], { faults: { deny: (kind) => kind === 'StatefulSet' } });
    const { live } = await follow(server.url, { watched: [...watched, { kind: 'StatefulSet', scope: {} }] });
    await until(() => expect(live.freshness().state).toBe('live'));
    expect(live.states().map(({ kind, state: { state } }) => `${kind} ${state}`)).toEqual([
      'PersistentVolumeClaim live',
      'StatefulSet refused',
    ]);
    const before = requestsFor(server, 'statefulsets');
    expect(await live.reader.list('StatefulSet', {})).toMatchObject({
      state: 'denied',
      message: expect.stringContaining('statefulsets'),
    });
    expect(requestsFor(server, 'statefulsets')).toBe(before);
  });

  it('whose right is taken away is not known any more', async () => {
    let isDenied = false;
    const server = await serve([claim('a')], { faults: { deny: () => isDenied } });
    const { port } = server;
    const { live } = await follow(server.url);
    await until(() => expect(live.freshness().state).toBe('live'));
    isDenied = true;
    await server.close();
    await serve([claim('a')], { port, faults: { deny: () => isDenied } });
    await until(() => expect(live.states()[0]?.state.state).toBe('refused'));
    expect(await names(live)).toEqual(['denied']);
  }, 60_000);
});

describe('credentials', () => {
  it('that expire make the data stale in the words of any other command', async () => {
    const server = await serve([claim('a')], { faults: { token: 'good' } });
    const front = await openTlsFront(server.url);
    opened.push(() => front.close());
    const reader = await connect(
      { server: front.url, certificateAuthority: front.authority, token: 'bad' },
      { variables: { HOME: '/nonexistent' } },
    );
    const live = new LiveSnapshot(reader, { watched, onChange: () => undefined });
    opened.push(async () => {
      await live.close();
      reader.close();
    });
    live.start();
    await until(() =>
      expect(live.freshness()).toMatchObject({
        state: 'stale',
        reason: expect.stringContaining('does not accept the credentials'),
      }),
    );
  });
});

describe('a line that is dead without being closed', () => {
  it('shows because the server no longer says that it is there', async () => {
    let isDead = false;
    const server = await serve([claim('a')], {
      faults: { latencyMs: (path) => (isDead && path === '/version' ? 600_000 : 0) },
    });
    const { live } = await follow(server.url, { beatMs: 30, patienceMs: 200 });
    await until(() => expect(live.freshness().state).toBe('live'));
    isDead = true;
    await until(() => expect(live.freshness()).toMatchObject({ state: 'stale', reason: 'the server does not answer' }));
    isDead = false;
    await until(() => expect(live.freshness().state).toBe('live'));
  });
});

describe('what is not watched', () => {
  it('is read once and remembered for some seconds', async () => {
    const server = await serve([claim('a'), pod('web', 'Running')]);
    const { live } = await follow(server.url);
    const ask = () => live.reader.list('Pod', { namespace: 'shop' });
    const [one, two] = await Promise.all([ask(), ask()]);
    expect(one).toBe(two);
    await ask();
    expect(requestsFor(server, 'pods')).toBe(1);
    live.reader.forget();
    await ask();
    expect(requestsFor(server, 'pods')).toBe(2);
    // As a collector reads that would rather have a few of them.
    await live.reader.list('Pod', { namespace: 'shop' }, { isEnough: () => true });
    await live.reader.list('Pod', { namespace: 'shop' }, { isEnough: () => true });
    expect(requestsFor(server, 'pods')).toBe(3);
  });

  it('is doubted when a list of a part of it changes', async () => {
    const server = await serve([pod('web', 'Pending')]);
    const { live } = await follow(server.url, {
      watched: [{ kind: 'Pod', scope: { fieldSelector: 'status.phase=Pending' } }],
    });
    await until(() => expect(requestsFor(server, 'pods', true)).toBe(1));
    const phase = async () => {
      const got = await live.reader.list('Pod', { namespace: 'shop' });
      return 'objects' in got
        ? (got.objects[0]?.['status'] as { readonly phase: string } | undefined)?.phase
        : got.state;
    };
    expect(await phase()).toBe('Pending');
    server.apply(pod('web', 'Running'));
    await until(async () => expect(await phase()).toBe('Running'));
    expect(await live.reader.list('Pod', { fieldSelector: 'status.phase=Pending' })).toEqual({
      state: 'complete',
      objects: [],
    });
  });
});
