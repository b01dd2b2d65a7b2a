import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openCluster } from '../../../src/cli/cluster-source.ts';
import { askStatus } from '../../../src/core/survey/status/ask-status.ts';
import { exitCodeOfStatus } from '../../../src/cli/exit-codes.ts';
import type { RawObject, Snapshot } from '../../../src/core/kube/snapshot.ts';
import type { Status } from '../../../src/core/report/status.ts';
import { renderStatusText } from '../../../src/commands/status/text.ts';
import { startApiServer } from '../../../src/sim/api-server.ts';
import type { ApiServer, ApiServerOptions } from '../../../src/sim/api-server.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import { largeCluster, largeClusterTime } from '../../kit/large-cluster.ts';
import { runProgram } from '../../kit/run-program.ts';
import { snapshotOf } from '../../sim/cluster.ts';

const demoTime = new Date('2026-05-06T07:08:09Z');
const dump = join(import.meta.dirname, '../../truth/healthy/cluster.yaml');

async function serve(snapshot: Snapshot, options: ApiServerOptions = {}): Promise<ApiServer> {
  const server = await startApiServer(snapshot, {
    now: () => Date.parse(snapshot.takenAt),
    renewsLeases: false,
    ...options,
  });
  onTestFinished(() => server.close());
  return server;
}

const serveDemo = (denied: readonly string[] = []): Promise<ApiServer> =>
  serve(demoSnapshot(demoTime), { faults: { deny: (kind) => denied.includes(kind) } });

async function fileOf(objects: readonly RawObject[]): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'status-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'dump.json');
  await writeFile(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
  return path;
}

/** The same without a process of its own. */
async function look({ url }: ApiServer): Promise<{ readonly text: string; readonly exitCode: number }> {
  const source = await openCluster({ server: url, kubeconfig: '/dev/null' });
  const everything = { breadth: 'everything' } as const;
  const { status } = await source
    .answer((snapshot) => askStatus(snapshot, everything), { search: everything })
    .finally(() => source.close());
  return { text: renderStatusText(status, { width: 80, colour: false }), exitCode: exitCodeOfStatus(status) };
}

const node: RawObject = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'node-a', uid: 'n', creationTimestamp: '2026-01-01T00:00:00Z' },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
};

describe('status of a cluster', () => {
  it('shows the whole cluster, whatever the current namespace', async () => {
    const { url } = await serveDemo();
    const { exitCode, stdout, stderr } = await runProgram(['status', '-s', url]);
    expect(stdout).toContain('files.csi.example.com 1.4  failing');
    expect(stdout).toContain('worker-3   ✔ ready, 3/3 volumes full');
    expect(stdout).toContain('claims       29: 9 bound, 2 waiting (expected), 17 stuck, 1 lost');
    expect(stdout).toMatch(/✖ provisioner-not-running +6 +\S+ +pvc\/test-results -n ci/);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
  });

  it('shows one namespace with the drivers that serve it', async () => {
    const { url } = await serveDemo();
    const { stdout } = await runProgram(['status', '-n', 'web', '-s', url, '-o', 'json']);
    const status = JSON.parse(stdout) as Status;
    expect(status.namespace).toBe('web');
    expect(status.drivers.map(({ name }) => name)).toContain('files.csi.example.com');
    expect(status.drivers.map(({ name }) => name)).not.toContain('nfs.csi.example.com');
    expect(
      status.stuck
        .flatMap(({ targets }) => targets)
        .filter(({ namespace }) => namespace !== undefined && namespace !== 'web'),
    ).toEqual([]);
  });

  it('refuses a namespace that is not there, with the name that was meant', async () => {
    const { url } = await serveDemo();
    const { exitCode, stdout, stderr } = await runProgram(['status', '-n', 'shp', '-s', url]);
    expect({ exitCode, stdout, stderr }).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'error: Namespace "shp" does not exist.\n  Did you mean "shop"?\n',
    });
  });

  it('says the same from the live cluster and from a dump of it', async () => {
    const snapshot = demoSnapshot(demoTime);
    const { url } = await serve(snapshot);
    const path = await fileOf(snapshot.objects);
    const live = JSON.parse((await runProgram(['status', '-s', url, '-o', 'json'])).stdout) as Status;
    const dumped = JSON.parse(
      (await runProgram(['status', '--from', path, '--complete', '--at', snapshot.takenAt, '-o', 'json'])).stdout,
    ) as Status;
    const essence = ({
      drivers,
      nodes,
      capacity,
      claims,
      volumes,
      attachments,
      snapshots,
      summary,
      stuck,
    }: Status) => ({
      drivers,
      nodes,
      capacity,
      claims,
      volumes,
      attachments,
      snapshots,
      summary,
      stuck: stuck.map(({ cause, targets }) => ({ cause, targets })),
    });
    expect(essence(live)).toEqual(essence(dumped));
  });

  it('counts the claims of a large cluster from a table, and reads only those that are odd', async () => {
    const server = await serve(largeCluster());
    const { exitCode, stdout } = await runProgram(['status', '-s', server.url, '-o', 'json']);
    const status = JSON.parse(stdout) as Status;
    expect(status.takenAt.startsWith(largeClusterTime.slice(0, 16))).toBe(true);
    expect(status.claims).toEqual({
      extent: 'all',
      total: 1240,
      states: { bound: 1199, resizing: 1, stuck: 40 },
      countedOnly: expect.any(Number),
    });
    // One page to see whether the list is long, and no list of all pods.
    expect(
      server.requests.filter(
        ({ path, accept }) => path === '/api/v1/persistentvolumeclaims' && !accept.includes('as=Table'),
      ),
    ).toHaveLength(1);
    expect(
      server.requests.filter(({ path, query }) => path === '/api/v1/pods' && query['fieldSelector'] === undefined),
    ).toEqual([]);
    expect(exitCode).toBe(1);
  });

  it('prints again when something changes', async () => {
    const server = await serve(demoSnapshot(demoTime));
    let step = 0;
    const { exitCode, stdout } = await runProgram(['status', '-w', '-s', server.url], {
      onOutput: (printed, _errors, kill) => {
        if (step === 0 && printed.includes('Evidence and fix of the first')) {
          step = 1;
          server.apply({
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            metadata: { name: 'new', namespace: 'shop', uid: 'new', creationTimestamp: '2026-05-06T07:00:00Z' },
            spec: {
              storageClassName: 'gold',
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: '1Gi' } },
            },
            status: { phase: 'Pending' },
          });
        } else if (step === 1 && printed.includes('claims       30')) {
          step = 2;
          kill('SIGINT');
        }
      },
    });
    expect(stdout.match(/^drivers$/gm)).toHaveLength(2);
    expect(exitCode).toBe(130);
  });
});

describe('status of one who may not read everything', () => {
  it.each([
    ['PersistentVolumeClaim', 'claims       ? could not be read (forbidden)'],
    ['PersistentVolume', 'volumes      ? could not be read (forbidden)'],
    ['VolumeAttachment', '3/25 volumes'],
    ['CSINode', 'its registrations could not be read'],
    ['CSIDriver', 'could not read csidrivers (forbidden)'],
    ['Node', 'could not read nodes (forbidden)'],
    ['CSIStorageCapacity', '? could not be read (forbidden)'],
    ['Lease', 'could not read leases (forbidden)'],
    ['Pod', 'could not read pods (forbidden)'],
    ['StorageClass', 'could not read storageclasses (forbidden)'],
    ['VolumeSnapshot', 'snapshots    ? could not be read (forbidden)'],
  ])('shows the rest without %s, and does not take it for none', async (kind, said) => {
    const { text, exitCode } = await look(await serveDemo([kind]));
    if (kind === 'VolumeAttachment') expect(text).not.toContain(said);
    else expect(text).toContain(said);
    expect(text).toContain('(forbidden)');
    expect(text).toContain('drivers');
    // What is proven stuck without this kind decides.
    expect(exitCode).toBe(1);
  });

  it('does not call a healthy cluster healthy', async () => {
    const { text, exitCode } = await look(
      await serve(snapshotOf([node]), { faults: { deny: (kind) => kind === 'PersistentVolumeClaim' } }),
    );
    expect(text).toContain('nothing stuck was found, but not everything could be read');
    expect(exitCode).toBe(3);
  });
});

describe('status of a dump', () => {
  it('is calm where all is well', async () => {
    const { exitCode, stdout } = await runProgram(['status', '--from', dump]);
    expect(stdout).toContain('✔ nothing is stuck');
    expect(stdout).toContain('snapshots    ? not in the dump');
    expect(stdout.split('\n').length).toBeLessThan(25);
    expect(exitCode).toBe(0);
  });

  it('says so where there is no CSI at all', async () => {
    const { exitCode, stdout } = await runProgram(['status', '--from', await fileOf([node]), '--complete']);
    expect(stdout).toMatch(
      /✔ nothing is stuck\n\ndrivers\n {2}no CSI driver is installed\n\nnodes {2}1, all ready\n\nclaims {7}none\nvolumes {6}none\n$/,
    );
    expect(exitCode).toBe(0);
  });

  it('does not say "none" of what the dump does not hold', async () => {
    const { exitCode, stdout } = await runProgram(['status', '--from', await fileOf([node])]);
    expect(stdout).toContain('the drivers could not be read');
    expect(stdout).toContain('claims       ? not in the dump');
    expect(stdout).not.toContain('none');
    expect(exitCode).toBe(3);
  });

  it('offers commands that read the same dump', async () => {
    const { stdout } = await runProgram([
      'status',
      '--from',
      join(import.meta.dirname, '../../truth/missing-class/cluster.yaml'),
      '-o',
      'json',
    ]);
    const [first] = (JSON.parse(stdout) as Status).stuck;
    expect(first?.command).toMatch(/^kubectl csi why pvc\/\S+ -n \S+ --from \S+cluster\.yaml$/);
  });

  it('prints yaml', async () => {
    const { stdout } = await runProgram(['status', '--from', dump, '-o', 'yaml']);
    expect(stdout).toMatch(/^apiVersion: csi\.kubectl\.dev\/v1\nkind: Status\n/);
  });

  it.each([
    [['status', '--from', dump, '-w'], '--watch cannot be combined with --from'],
    [['status', 'pvc/data'], 'pvc/data'],
    [['status', '-o', 'name'], 'name'],
  ])('refuses %j', async (words, said) => {
    const { exitCode, stderr } = await runProgram(words as string[]);
    expect(stderr).toContain(said);
    expect(exitCode).toBe(2);
  });
});

describe('a screen that nobody sees directly', () => {
  it('is as wide as COLUMNS says, and 80 columns wide where that is no number', async () => {
    const widest = async (columns: string): Promise<number> =>
      Math.max(
        ...(await runProgram(['status', '--from', dump], { env: { COLUMNS: columns } })).stdout
          .split('\n')
          .map((line) => line.length),
      );
    expect(await widest('200')).toBeGreaterThan(80);
    for (const columns of ['wide', '0', '']) expect(await widest(columns)).toBeLessThanOrEqual(80);
  });
});
