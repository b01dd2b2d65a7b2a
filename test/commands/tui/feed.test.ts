import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openSource } from '../../../src/cli/open-source.ts';
import { tuiPorts } from '../../../src/commands/tui/ports.ts';
import { startThread } from '../../../src/commands/tui/thread.ts';
import type { RawObject, Snapshot } from '../../../src/core/kube/snapshot.ts';
import { startApiServer } from '../../../src/sim/api-server.ts';
import type { ApiServer, ApiServerOptions } from '../../../src/sim/api-server.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import type { ClusterFeed, Frame, Place, TuiPorts } from '../../../src/tui/ports.ts';
import { largeCluster } from '../../kit/large-cluster.ts';
import { runProgram } from '../../kit/run-program.ts';

const cart = { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'cart' } as const;
const dump = join(import.meta.dirname, '../../truth', 'attacher-down', 'cluster.yaml');

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function serve(
  options: ApiServerOptions = {},
  snapshot: Snapshot = demoSnapshot(new Date()),
): Promise<ApiServer> {
  const server = await startApiServer(snapshot, options);
  opened.push(() => server.close());
  return server;
}

async function look(
  ports: TuiPorts,
  place: Place = {},
): Promise<{ readonly feed: ClusterFeed; readonly frames: Frame[]; readonly last: () => Frame }> {
  const feed = await ports.open(place);
  opened.push(() => feed.close());
  const frames: Frame[] = [];
  feed.subscribe((frame) => void frames.push(frame));
  return { feed, frames, last: () => frames.at(-1) as Frame };
}

const until = (check: () => void | Promise<void>): Promise<void> =>
  vi.waitFor(check, { timeout: 240_000, interval: 20 });
const portsOf = (server: ApiServer): TuiPorts => tuiPorts({ server: server.url, kubeconfig: '/dev/null' });
const itemOf = (frame: Frame, name: string) => frame.report.items.find(({ target }) => target.name === name);
const restless = (object: RawObject, turn: number): RawObject => ({
  ...object,
  metadata: { ...object.metadata, labels: { turn: String(turn) } },
});

describe('the feed of a cluster', () => {
  it.each([
    ['small', () => demoSnapshot(new Date())],
    ['large', () => largeCluster({ bound: 1200 })],
  ])('has all that `why -A` finds once it is live, in a %s cluster', async (_size, snapshotOf) => {
    const snapshot = snapshotOf();
    const server = await serve({ now: () => Date.parse(snapshot.takenAt), renewsLeases: false }, snapshot);
    const { last } = await look(portsOf(server));
    await until(() => expect(last().freshness.state).toBe('live'));
    const source = await openSource({ server: server.url, kubeconfig: '/dev/null' });
    opened.push(() => source.close());
    const { report } = await source.diagnose({
      targets: [],
      namespace: undefined,
      everywhere: true,
      selector: undefined,
      breadth: 'everything',
    });
    expect(report.items.length).toBeGreaterThan(20);
    expect(last().report.summary).toEqual(report.summary);
    expect(last().report.items.map(({ target, cause, status }) => [target.kind, target.name, status, cause])).toEqual(
      report.items.map(({ target, cause, status }) => [target.kind, target.name, status, cause]),
    );
  });

  it('has a frame at once, and watches what a search for stuck things looks through', async () => {
    const server = await serve();
    const { frames, last } = await look(portsOf(server));
    expect(frames[0]).toMatchObject({ freshness: { state: 'connecting' } });
    expect(frames[0]?.stuck.map(({ cause }) => cause)).toContain('sc-missing');
    await until(() => expect(last().freshness.state).toBe('live'));
    await until(() => expect(itemOf(last(), 'cart')).toMatchObject({ status: 'blocked', cause: 'sc-missing' }));
    const watched = server.requests
      .filter(({ query }) => query['watch'] === 'true')
      .map(({ path }) => path.split('/').at(-1));
    expect(watched.sort()).toEqual([
      'csidrivers',
      'csinodes',
      'nodes',
      'persistentvolumeclaims',
      'persistentvolumes',
      'pods',
      'statefulsets',
      'storageclasses',
      'volumeattachments',
      'volumesnapshots',
    ]);
  });

  it('shows soon what has changed', async () => {
    const server = await serve();
    const { last } = await look(portsOf(server));
    await until(() => expect(last().freshness.state).toBe('live'));
    await until(() =>
      expect(
        server.requests.some(({ path, query }) => path.endsWith('persistentvolumeclaims') && query['watch'] === 'true'),
      ).toBe(true),
    );
    server.remove('PersistentVolumeClaim', 'shop', 'cart');
    await until(() => expect(itemOf(last(), 'cart')).toBeUndefined());
  });

  it('makes a few frames of a storm of changes, and none of changes that change nothing', async () => {
    const server = await serve({ renewsLeases: false });
    const { frames, last } = await look(portsOf(server));
    await until(() => expect(last().freshness.state).toBe('live'));
    const claim = demoSnapshot(new Date()).objects.find(
      ({ kind, metadata }) => kind === cart.kind && metadata.name === cart.name,
    ) as RawObject;
    const before = frames.length;
    for (let turn = 0; turn < 500; turn += 1) {
      server.apply(restless(claim, turn));
      if (turn % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    server.remove(cart.kind, cart.namespace, cart.name);
    await until(() => expect(itemOf(last(), 'cart')).toBeUndefined());
    // Ages in sentences move on, and the claim went: no more than that, of 501 changes.
    expect(frames.length - before).toBeLessThan(20);
  });

  it('keeps the last frame when the server goes away, says that it is old, and goes on when it is back', async () => {
    const server = await serve();
    const { last } = await look(portsOf(server));
    await until(() => expect(last().freshness.state).toBe('live'));
    const { items } = last().report;
    await server.close();
    await until(() =>
      expect(last().freshness).toMatchObject({
        state: 'stale',
        reason: `the server ${server.url} refused the connection`,
      }),
    );
    expect(last().report.items.map(({ target, cause }) => [target.name, cause])).toEqual(
      items.map(({ target, cause }) => [target.name, cause]),
    );
    const { objects, ...rest } = demoSnapshot(new Date());
    await serve(
      { port: server.port },
      { ...rest, objects: objects.filter(({ metadata }) => metadata.name !== cart.name) },
    );
    await until(() => expect(last().freshness.state).toBe('live'));
    await until(() => expect(itemOf(last(), 'cart')).toBeUndefined());
  }, 60_000);

  it('stays in its namespace, and reads no volumes and nodes for it that nothing asks for', async () => {
    const server = await serve();
    const { last } = await look(portsOf(server), { namespace: 'shop' });
    await until(() => expect(last().freshness.state).toBe('live'));
    expect(new Set(last().report.items.map(({ target }) => target.namespace))).toEqual(new Set(['shop']));
    expect(
      server.requests.filter(
        ({ path, query }) => query['watch'] === 'true' && /\/(persistentvolumes|nodes)$/.test(path),
      ),
    ).toEqual([]);
  });

  it('says in the report what it may not read, and is live all the same', async () => {
    const server = await serve({ faults: { deny: (kind) => kind === 'StatefulSet' } });
    const { last } = await look(portsOf(server));
    await until(() => expect(last().freshness.state).toBe('live'));
    expect(last().report.unread).toEqual([expect.objectContaining({ resource: 'statefulsets', reason: 'forbidden' })]);
  });

  it('refuses a cluster that cannot be reached, or that tells nothing, before there is a screen', async () => {
    await expect(tuiPorts({ server: 'http://127.0.0.1:9', kubeconfig: '/dev/null' }).open({})).rejects.toMatchObject({
      name: 'EnvironmentError',
      message: expect.stringContaining('refused the connection'),
    });
    const server = await serve({ faults: { deny: () => true } });
    await expect(portsOf(server).open({})).rejects.toMatchObject({
      name: 'EnvironmentError',
      message: expect.stringContaining('may not read any of the objects'),
    });
  });

  it('answers what the screen asks', async () => {
    const server = await serve();
    const { feed } = await look(portsOf(server));
    expect(await feed.why(cart)).toMatchObject({ cause: 'sc-missing', target: { name: 'cart' } });
    expect(await feed.why({ ...cart, name: 'nothing' })).toBeUndefined();
    expect((await feed.trace(cart))?.chain.map(({ role }) => role)).toContain('class');
    expect(await feed.trace({ kind: 'CSIDriver', name: 'disk.csi.example.com' })).toBeUndefined();
    expect((await feed.rows('CSIDriver')).rows.map(({ name }) => name)).toContain('disk.csi.example.com');
    expect((await feed.status()).drivers.map(({ name }) => name)).toContain('disk.csi.example.com');
    expect(await feed.namespaces()).toEqual(expect.arrayContaining(['ci', 'data', 'shop']));
    expect(await feed.object(cart)).toMatchObject({
      metadata: { name: 'cart' },
      spec: { storageClassName: 'fast-ssd' },
    });
    expect(await feed.object({ ...cart, name: 'nothing' })).toBeUndefined();
    const { events, unread } = await feed.events();
    expect(unread).toEqual([]);
    expect(events.map(({ at = '' }) => at)).toEqual(
      events
        .map(({ at = '' }) => at)
        .toSorted()
        .toReversed(),
    );
    expect((await feed.events(cart)).events[0]).toMatchObject({
      object: { name: 'cart' },
      reason: 'ProvisioningFailed',
    });
  });

  it('saves a capture that gives the same report when it is read', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-test-'));
    opened.push(() => rm(directory, { recursive: true, force: true }));
    const server = await serve();
    const { feed, last } = await look(portsOf(server));
    await until(() => expect(last().freshness.state).toBe('live'));
    const file = join(directory, 'screen.json.gz');
    expect(await feed.capture(file)).toBe(file);
    const again = await look(tuiPorts({ from: [file] }));
    const essence = (frame: Frame) =>
      frame.stuck.map(({ cause, targets }) => [cause, targets.map(({ name }) => name)]).sort();
    expect(essence(again.last())).toEqual(essence(last()));
    await expect(feed.capture(file)).rejects.toThrow('already exists');
  });
});

describe('the feed of a dump', () => {
  it('has one frame, which says when it was taken', async () => {
    const from = [dump];
    const { frames, feed } = await look(tuiPorts({ from }));
    expect(frames).toHaveLength(1);
    expect(frames[0]).toMatchObject({
      freshness: { state: 'dump', since: frames[0]?.report.takenAt },
      context: from[0],
    });
    expect(frames[0]?.stuck.map(({ command }) => command)).toEqual([expect.stringContaining(` --from ${dump}`)]);
    await expect(feed.probe('disk.csi.example.com', { exec: false })).rejects.toThrow(
      'A dump has no running drivers to probe.',
    );
    expect(await tuiPorts({ from }).contexts()).toEqual([]);
  });
});

describe('the log of the component that has to act next', () => {
  const restored = { kind: 'PersistentVolumeClaim', namespace: 'data', name: 'metrics-restored' } as const;
  const asksLogs = ({ requests }: ApiServer): string[] =>
    requests.map(({ path }) => path).filter((path) => path.endsWith('/log'));

  it('is read only when it is asked for, bounded and without credentials', async () => {
    const snapshot = demoSnapshot(new Date());
    const objects = snapshot.objects.map((object) =>
      object.kind === 'Event' && object['reason'] === 'ProvisioningFailed'
        ? { ...object, message: 'login failed: password=hunter2hunter2 for user csi' }
        : object,
    );
    const server = await serve({}, { ...snapshot, objects });
    const { feed, last } = await look(portsOf(server));
    await until(() => expect(last().freshness.state).toBe('live'));
    await feed.why(restored);
    await feed.rows('PersistentVolumeClaim');
    expect(asksLogs(server)).toEqual([]);
    const { owner, parts } = await feed.log(restored);
    expect(owner).toBe('the provisioner of disk.csi.example.com');
    expect(parts.map(({ container }) => container)).toEqual(['csi-provisioner', 'disk-driver']);
    expect(parts[0]?.lines.join('\n')).toContain('login failed: password=');
    expect(JSON.stringify(parts)).not.toContain('hunter2');
    const asked = server.requests.filter(({ path }) => path.endsWith('/log'));
    expect(asked.map(({ query }) => [query['tailLines'], query['limitBytes']])).toEqual([
      ['60', '65536'],
      ['60', '65536'],
    ]);
  });

  it('is refused in one sentence, and the rest of the screen goes on', async () => {
    const server = await serve({ faults: { deny: (kind) => kind === 'Pod/log' } });
    const { feed } = await look(portsOf(server));
    const { parts } = await feed.log(restored);
    expect(parts.map(({ refusal }) => refusal)).toEqual([
      expect.stringMatching(/^This user may not read it \(get pods\/log\): .*forbidden/),
      expect.stringMatching(/^This user may not read it/),
    ]);
    expect(JSON.stringify(parts)).not.toContain('\\n');
  });

  it('is not in a dump, which says so and gives the commands', async () => {
    const { feed } = await look(tuiPorts({ from: [dump] }));
    const log = await feed.log({ kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data' });
    expect(log.reason).toMatch(/^A dump holds no logs\./);
    expect(log.parts).toEqual([]);
  });
});

describe('the second thread', () => {
  it('gives the same frames and answers, and its errors keep their kind', async () => {
    const server = await serve();
    const ports = startThread({ server: server.url, kubeconfig: '/dev/null' });
    opened.push(() => ports.end());
    const { feed, last } = await look(ports);
    await until(() => expect(last().freshness.state).toBe('live'));
    expect(await feed.why(cart)).toMatchObject({ cause: 'sc-missing' });
    const [first, again] = [await feed.rows('PersistentVolumeClaim'), await feed.rows('PersistentVolumeClaim')];
    expect(again.rows).toBe(first.rows);
    expect(first.rows.map(({ name }) => name)).toContain('cart');
    server.remove(cart.kind, cart.namespace, cart.name);
    await until(async () =>
      expect((await feed.rows('PersistentVolumeClaim')).rows.map(({ name }) => name)).not.toContain('cart'),
    );
    expect(await ports.causePage('sc-missing')).toMatch(/^# /);
    expect(await ports.causePage('no-such-cause')).toBeUndefined();
    await expect(feed.probe('nobody.example.com', { exec: false })).rejects.toMatchObject({
      name: 'UserError',
      message: expect.stringContaining('nobody.example.com'),
    });
    await expect(ports.open({ context: 'nowhere' })).rejects.toMatchObject({ name: 'EnvironmentError' });
  }, 60_000);
});

describe('without a terminal', () => {
  it('tui refuses, and says what to use instead', async () => {
    const { exitCode, stderr, stdout } = await runProgram(['tui']);
    expect({ exitCode, stderr, stdout }).toEqual({
      exitCode: 4,
      stderr: 'error: kubectl csi tui needs a terminal.\n  Use kubectl csi status -w instead.\n',
      stdout: '',
    });
    expect((await runProgram(['tui', '--from', '-'])).exitCode).toBe(2);
    expect((await runProgram(['demo', '--tui', '--once'])).exitCode).toBe(2);
  });
});
