import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { startApiServer } from '../../../src/sim/api-server.ts';
import type { ApiServer } from '../../../src/sim/api-server.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import { largeCluster } from '../../kit/large-cluster.ts';
import { claim, serve } from '../../sim/cluster.ts';
import { runProgram } from '../../kit/run-program.ts';

const demoTime = new Date('2026-05-06T07:08:09Z');
const healthy = join(import.meta.dirname, '../../truth/healthy/cluster.yaml');
const schema = JSON.parse(readFileSync(new URL('../../../docs/get.schema.json', import.meta.url), 'utf8')) as object;
const validate = new Ajv2020({ allErrors: true, strictRequired: false }).compile(schema);
const types = ['pvc', 'pods', 'pv', 'sc', 'csinodes', 'attachments', 'drivers', 'snapshots', 'capacity'];

async function serveDemo(denied: readonly string[] = []): Promise<ApiServer> {
  const server = await startApiServer(demoSnapshot(demoTime), {
    now: () => demoTime.getTime(),
    renewsLeases: false,
    faults: { deny: (kind) => denied.includes(kind) },
  });
  onTestFinished(() => server.close());
  return server;
}
const cells = (line: string | undefined): string[] => (line ?? '').trimEnd().split(/ {3,}/);
const lines = (text: string): string[][] => text.trimEnd().split('\n').map(cells);
const column = (text: string, index: number): (string | undefined)[] =>
  lines(text)
    .slice(1)
    .map((row) => row[index]);

describe('get on a cluster', () => {
  it('shows the claims of a namespace with what kubectl keeps apart', async () => {
    const { url } = await serveDemo();
    const { exitCode, stdout, stderr } = await runProgram(['get', 'pvc', '-n', 'web', '-s', url]);
    expect(lines(stdout)).toEqual([
      ['NAME', 'STATUS', 'CAUSE', 'VOLUME', 'CAPACITY', 'MODES', 'CLASS', 'DRIVER', 'ATTACHED', 'PODS', 'AGE'],
      [
        'assets',
        'Pending',
        'provisioner-not-running',
        '<none>',
        '→20Gi',
        'RWX',
        'shared',
        'files.csi.example.com',
        '<none>',
        'site-0',
        '88m',
      ],
      [
        'blog',
        'Bound',
        '<none>',
        expect.stringMatching(/^pvc-/),
        '5Gi',
        'RWO',
        'fast',
        'disk.csi.example.com',
        'worker-3',
        'blog-0',
        '14d',
      ],
      [
        'docs',
        'Bound',
        '<none>',
        expect.stringMatching(/^pvc-/),
        '10Gi',
        'RWX',
        'shared',
        'files.csi.example.com',
        'n/a',
        'docs-0',
        '14d',
      ],
      [
        'thumbnails',
        'Pending',
        'provisioner-not-running',
        '<none>',
        '→20Gi',
        'RWX',
        'shared',
        'files.csi.example.com',
        '<none>',
        '<none>',
        '64m',
      ],
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });

  it('reads a named claim by name, its pods in its namespace, and no more of either', async () => {
    const { url, requests } = await serveDemo();
    await runProgram(['get', 'pvc', 'blog', '-n', 'web', '-s', url]);
    const paths = requests.map(({ path }) => path).filter((path) => path !== '/version');
    expect(paths.map((path) => path.replace(/pvc-.*/, 'PV')).sort()).toEqual([
      '/api/v1/namespaces/web/persistentvolumeclaims/blog',
      '/api/v1/namespaces/web/pods',
      '/api/v1/persistentvolumes/PV',
      '/apis/storage.k8s.io/v1/csidrivers/disk.csi.example.com',
      '/apis/storage.k8s.io/v1/volumeattachments',
    ]);
  });

  it('diagnoses only what does not look healthy: the requests do not grow with the claims that are bound', async () => {
    const requestsWith = async (bound: number): Promise<string[]> => {
      const snapshot = largeCluster({ nodes: 3, bound });
      const server = await startApiServer(snapshot, { now: () => Date.parse(snapshot.takenAt), renewsLeases: false });
      onTestFinished(() => server.close());
      const { stdout } = await runProgram(['get', 'pvc', '-A', '--no-headers', '-s', server.url]);
      const causes = lines(stdout).map((row) => row[3]);
      expect(causes.filter((cause) => cause === 'provisioner-not-running')).toHaveLength(40);
      expect(causes.filter((cause) => cause !== '<none>' && cause !== 'provisioner-not-running')).toEqual([
        'resize-no-resizer',
      ]);
      // Pages of a long list are one question.
      return [...new Set(server.requests.map(({ path }) => path))].sort();
    };
    expect(await requestsWith(10_000)).toEqual(await requestsWith(1000));
  });

  it('reads nothing for causes where everything is healthy', async () => {
    const { url, requests } = await serveDemo();
    const { stdout } = await runProgram(['get', 'pvc', '-n', 'billing', '-s', url]);
    expect(column(stdout, 2)).toEqual(['<none>']);
    const kinds = requests.map(({ path }) =>
      path.split('/').find((word) => /^(events|leases|nodes|csinodes)$/.test(word)),
    );
    expect(kinds.filter((kind) => kind !== undefined)).toEqual([]);
  });

  it('gives the cause and the verdict in structured output, and neither for what is healthy', async () => {
    const { url } = await serveDemo();
    const { stdout } = await runProgram(['get', 'pvc', '-A', '-o', 'json', '-s', url]);
    const { items } = JSON.parse(stdout) as { readonly items: readonly Record<string, unknown>[] };
    const verdictOf = (name: string): unknown[] =>
      items.filter((item) => item['name'] === name).map(({ status, verdict, cause }) => [status, verdict, cause]);
    expect(verdictOf('cart')).toEqual([['Pending', 'blocked', 'sc-missing']]);
    expect(verdictOf('reports')).toEqual([['Pending', 'waiting', 'wffc-no-consumer']]);
    expect(verdictOf('runner-state')).toEqual([['Bound', 'blocked', 'sched-rwop-conflict']]);
    expect(verdictOf('blog')).toEqual([['Bound', undefined, undefined]]);
    const pods = await runProgram(['get', 'pods', '-n', 'shop', '-o', 'yaml', '-s', url]);
    expect((parse(pods.stdout) as { items: object[] }).items).toContainEqual(
      expect.objectContaining({
        name: 'cart-0',
        status: 'Pending',
        verdict: 'blocked',
        cause: 'sc-missing',
        claims: ['cart'],
      }),
    );
  });

  it('reads nothing but the kind itself for names', async () => {
    const { url, requests } = await serveDemo();
    const { stdout } = await runProgram(['get', 'claims', '-n', 'web', '-o', 'name', '-s', url]);
    expect(stdout).toBe(
      'persistentvolumeclaim/assets\npersistentvolumeclaim/blog\npersistentvolumeclaim/docs\npersistentvolumeclaim/thumbnails\n',
    );
    expect(requests.map(({ path }) => path).filter((path) => path !== '/version')).toEqual([
      '/api/v1/namespaces/web/persistentvolumeclaims',
    ]);
  });

  it('puts several types one below the other, each name with its type', async () => {
    const { url } = await serveDemo();
    for (const words of [['pvc/blog', 'sc/fast'], ['pvc,sc', '-l', 'nothing=here'], ['pvc,sc']]) {
      const { stdout } = await runProgram(['get', ...words, '-n', 'web', '-s', url]);
      const tables = stdout.split('\n\n');
      expect(tables).toHaveLength(words.includes('-l') ? 1 : 2);
      if (!words.includes('-l'))
        expect([tables[0], tables[1]].map((table) => table?.includes('NAME'))).toEqual([true, true]);
      expect(stdout.includes('persistentvolumeclaim/blog') && stdout.includes('storageclass.storage.k8s.io/fast')).toBe(
        !words.includes('-l'),
      );
    }
  });

  it('selects by labels on the server and by any field of the object', async () => {
    const { url, requests } = await serve([
      claim('shop', 'a', { labels: { app: 'web' }, phase: 'Bound' }),
      claim('shop', 'b', { labels: { app: 'db' } }),
      claim('shop', 'c', { labels: { app: 'web' } }),
    ]);
    const { stdout } = await runProgram([
      'get',
      'pvc',
      '-n',
      'shop',
      '-l',
      'app=web',
      '-s',
      url,
      '--no-headers',
      '--show-labels',
    ]);
    expect(lines(stdout).map((row) => [row[0], row.at(-1)])).toEqual([
      ['a', 'app=web'],
      ['c', 'app=web'],
    ]);
    expect(requests.find(({ path }) => path.endsWith('/persistentvolumeclaims'))?.query).toMatchObject({
      labelSelector: 'app=web',
    });
    const pending = await runProgram([
      'get',
      'pvc',
      '-n',
      'shop',
      '--field-selector',
      'status.phase!=Bound',
      '-s',
      url,
      '-o',
      'name',
    ]);
    expect(pending.stdout).toBe('persistentvolumeclaim/b\npersistentvolumeclaim/c\n');
  });

  it("sorts by value and shows columns of one's own", async () => {
    const { url } = await serveDemo();
    const sorted = await runProgram([
      'get',
      'pvc',
      '-A',
      '--sort-by',
      'capacity',
      '--field-selector',
      'status.phase=Bound',
      '-s',
      url,
    ]);
    expect(column(sorted.stdout, 5)).toEqual(['5Gi', '10Gi', '10Gi', '20Gi', '20Gi', '20Gi', '25Gi', '30Gi', '50Gi']);
    const own = await runProgram([
      'get',
      'pvc',
      'blog',
      '-n',
      'web',
      '-s',
      url,
      '-o',
      'custom-columns=NAME:.metadata.name,NODE:.attachments[*].node,ASKED:.spec.resources.requests.storage',
    ]);
    expect(lines(own.stdout)).toEqual([
      ['NAME', 'NODE', 'ASKED'],
      ['blog', 'worker-3', '5Gi'],
    ]);
  });

  it('finds the free space of drivers wherever they publish it', async () => {
    const { url } = await serveDemo();
    const { stdout } = await runProgram(['get', 'capacity', '-s', url]);
    expect(column(stdout, 2)).toEqual([
      'topology.disk.csi.example.com/zone=zone-a',
      'topology.disk.csi.example.com/zone=zone-b',
    ]);
  });

  it('says so when there is nothing, and ends well', async () => {
    const { url } = await serveDemo();
    expect(await runProgram(['get', 'pvc', '-n', 'default', '-s', url])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'no claims in namespace default\n',
    });
    const structured = await runProgram(['get', 'pvc', '-n', 'default', '-s', url, '-o', 'json']);
    expect(JSON.parse(structured.stdout)).toMatchObject({ kind: 'ClaimList', items: [] });
  });

  it('offers near names for one that is not there, after what is there', async () => {
    const { url } = await serveDemo();
    const { exitCode, stdout, stderr } = await runProgram(['get', 'pvc', 'blog', 'dcs', '-n', 'web', '-s', url]);
    expect(column(stdout, 0)).toEqual(['blog']);
    expect(stderr).toBe('error: pvc/dcs does not exist in namespace web.\n  Did you mean "docs"?\n');
    expect(exitCode).toBe(2);
  });

  it('prints each row again that changes, and says which are gone', async () => {
    const { url, apply, remove } = await serve([claim('shop', 'data'), claim('shop', 'logs')]);
    let step = 0;
    const { exitCode, stdout, stderr } = await runProgram(['get', 'pvc', '-w', '-n', 'shop', '-s', url], {
      onOutput: (printed, _errors, kill) => {
        if (step === 0 && printed.includes('logs')) {
          step = 1;
          apply(claim('shop', 'logs', { phase: 'Bound' }));
        } else if (step === 1 && printed.includes('Bound')) {
          step = 2;
          remove('PersistentVolumeClaim', 'shop', 'data');
        } else if (step === 2 && printed.includes('<deleted>')) kill('SIGINT');
      },
    });
    const rows = lines(stdout);
    expect(rows.map((row) => [row[0], row[1], row.at(-1)])).toEqual([
      ['NAME', 'STATUS', 'AGE'],
      ['data', 'Pending', '14m'],
      ['logs', 'Pending', '14m'],
      ['logs', 'Bound', '14m'],
      ['data', 'Pending', '<deleted>'],
    ]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: '' });
  });
});

describe('get without some rights', () => {
  it.each<[readonly string[], string, number, string]>([
    [['VolumeAttachment'], 'pvc', 8, '?'],
    [['Pod'], 'pvc', 9, '?'],
    [['Pod'], 'pvc', 2, '?'],
    [['PersistentVolumeClaim'], 'sc', 7, '?'],
    [['CSINode'], 'sc', 2, '?'],
    [['PersistentVolume'], 'attachments', 2, '?'],
    [['Node'], 'csinodes', 1, '?'],
    [['VolumeAttachment'], 'csinodes', 2, 'disk.csi.example.com(?/25),files.csi.example.com'],
    [['Lease', 'Pod'], 'drivers', 3, '?'],
  ])('%j: %s has column %i open, and says why', async (denied, type, at, text) => {
    const { url } = await serveDemo(denied);
    const { exitCode, stdout, stderr } = await runProgram([
      'get',
      type,
      ...(type === 'pvc' ? ['blog', '-n', 'web'] : []),
      '-s',
      url,
    ]);
    expect(column(stdout, at)[0]).toBe(text);
    expect(stderr).toMatch(/^\? could not read \w+ \(forbidden\): /);
    expect(exitCode).toBe(3);
  });

  it('never shows a stuck claim as healthy when what decides its cause is refused', async () => {
    const { url } = await serveDemo([
      'StorageClass',
      'CSIDriver',
      'Pod',
      'Event',
      'PersistentVolume',
      'Lease',
      'Deployment',
    ]);
    const { stdout, stderr, exitCode } = await runProgram(['get', 'pvc', '-A', '-s', url]);
    const pending = lines(stdout).filter((row) => row[2] !== 'STATUS');
    expect(pending.filter((row) => row[3] === '<none>')).toEqual([]);
    expect(pending.filter((row) => row[3] === '?').length).toBeGreaterThan(10);
    expect(stderr).toContain('forbidden');
    expect(exitCode).toBe(3);
  });

  it('ends with 4 and one sentence when the kind itself is refused', async () => {
    const { url } = await serveDemo(['PersistentVolumeClaim']);
    const { exitCode, stdout, stderr } = await runProgram(['get', 'pvc,sc', '-n', 'web', '-s', url]);
    expect(stdout).toContain('storageclass.storage.k8s.io/fast');
    expect(stderr).toMatch(/^error: You may not list persistentvolumeclaims in namespace web: /m);
    expect(exitCode).toBe(4);
    expect(await runProgram(['get', 'pvc', '-n', 'web', '-s', url, '-o', 'json'])).toMatchObject({
      exitCode: 4,
      stdout: '',
      stderr: expect.stringMatching(/^error: /),
    });
  });

  it('takes a kind that the server does not have for none', async () => {
    const { url } = await serve([], {}, { observations: [{ kind: 'VolumeSnapshot', scope: {}, state: 'absentApi' }] });
    expect(await runProgram(['get', 'snapshots', '-s', url])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'this cluster has no volumesnapshots: the CRD is not installed\n',
    });
  });
});

describe('get from a dump', () => {
  it('looks in all of it, and says what the dump leaves out', async () => {
    const claims = await runProgram(['get', 'pvc', '--from', healthy]);
    expect(column(claims.stdout, 0)).toEqual(['shop', 'shop']);
    expect(column(claims.stdout, 9)).toEqual(['node-a', 'node-a']);
    expect(claims).toMatchObject({ exitCode: 0, stderr: '' });
    const drivers = await runProgram(['get', 'drivers', '--from', healthy]);
    expect(drivers.stderr.replaceAll(/\s+/g, ' ')).toBe(
      '? not in the dump: daemonsets, deployments, statefulsets (-o wide shows what they are needed for) ',
    );
    expect((await runProgram(['get', 'drivers', '-o', 'wide', '--from', healthy])).stderr).toContain(
      '? could not read daemonsets (not in the dump): where',
    );
    const snapshots = await runProgram(['get', 'snapshots', '--from', healthy]);
    expect(snapshots).toEqual({
      exitCode: 3,
      stdout: '',
      stderr: expect.stringContaining('could not read volumesnapshots (not in the dump)'),
    });
    expect(await runProgram(['get', 'snapshots', '--from', healthy, '--complete'])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'no snapshots in the dump\n',
    });
  });

  it('finds a name in whichever namespace it is', async () => {
    const { stdout } = await runProgram(['get', 'pvc/data', '--from', healthy, '--no-headers']);
    expect(lines(stdout).map((row) => row.slice(0, 2))).toEqual([['shop', 'data']]);
  });
});

describe('the schema of get', () => {
  it.each(types)('fits %s', async (type) => {
    const { url } = await serveDemo();
    const json = JSON.parse((await runProgram(['get', type, '-A', '-o', 'json', '-s', url])).stdout) as {
      readonly items: readonly unknown[];
    };
    expect(validate(json) ? [] : validate.errors).toEqual([]);
    expect(json.items.length).toBeGreaterThan(0);
  });

  it('is the same in YAML', async () => {
    const { url } = await serveDemo();
    const [json, yaml] = await Promise.all(
      ['json', 'yaml'].map((format) => runProgram(['get', 'pvc', '-A', '-o', format, '-s', url])),
    );
    expect((parse(yaml?.stdout ?? '') as { readonly items: unknown }).items).toEqual(
      (JSON.parse(json?.stdout ?? '') as { readonly items: unknown }).items,
    );
  });

  it('fits rows with gaps, and several types', async () => {
    const { url } = await serveDemo(['VolumeAttachment', 'Pod', 'Node', 'CSIDriver']);
    const { stdout, exitCode } = await runProgram(['get', types.join(','), '-A', '-o', 'json', '-s', url]);
    const list = JSON.parse(stdout) as {
      readonly items: readonly { readonly kind: string; readonly unread?: readonly unknown[] }[];
    };
    expect(validate(list) ? [] : validate.errors).toEqual([]);
    expect(list.items.map(({ kind }) => kind)).toEqual([
      'ClaimList',
      'PodList',
      'VolumeList',
      'ClassList',
      'NodeList',
      'AttachmentList',
      'DriverList',
      'SnapshotList',
      'CapacityList',
    ]);
    expect(exitCode).toBe(4);
  });

  it.each<[string, object]>([
    ['a list of another kind', { kind: 'EventList' }],
    ['a field it does not know', { items: [{ name: 'a', labels: {}, colour: 'red' }] }],
    ['a row without what every row has', { items: [{ name: 'a' }] }],
  ])('rejects %s', (_name, change) => {
    expect(
      validate({
        apiVersion: 'csi.kubectl.dev/v1',
        kind: 'SnapshotList',
        takenAt: '2026-05-06T07:08:09Z',
        source: { type: 'files', name: 'x' },
        items: [],
        ...change,
      }),
    ).toBe(false);
  });
});

describe('a command line that cannot be', () => {
  it.each<[readonly string[], string]>([
    [[], 'The type of objects to list is missing'],
    [['foo'], 'Type "foo" does not exist'],
    [['drivrs'], 'Type "drivrs" does not exist.\n  Did you mean "driver"?'],
    [['events'], 'kubectl csi get does not support events'],
    [['pvc,pv', 'x'], 'Names cannot be combined with several types'],
    [['pvc/a', 'b'], '"b" is not TYPE/NAME'],
    [['pvc/'], '"pvc/" is not TYPE/NAME'],
    [['pvc', 'A_B'], '"A_B" is not a valid name for pvc'],
    [['pvc', 'a', '-A'], 'A name cannot be combined with -A'],
    [['pvc', 'a', '-l', 'b=c'], 'A name cannot be combined with a selector'],
    [['pvc', '-l', 'a=b c'], 'Cannot read the label selector "a=b c"'],
    [['pvc,pv', '-w'], '-w works with one type only'],
    [['pvc', '-o', 'jsn'], 'Format "jsn" does not exist'],
    [['pvc', '-o', 'json=x'], '-o json takes no value after "="'],
    [['pvc', '-o', 'custom-columns=A'], 'The column "A" is not TITLE:.path'],
    [['pvc', '--field-selector', 'x'], 'Cannot read the field selector "x"'],
    [['pvc', '--sort-by', 'foo'], 'No object has the field "foo"'],
    [['pvc', '--from', healthy, '-w'], '--watch cannot be combined with --from'],
  ])('%j: one sentence and exit code 2', async (words, sentence) => {
    const { exitCode, stdout, stderr } = await runProgram([
      'get',
      ...words,
      ...(words.includes('-w') ? [] : ['--from', healthy]),
    ]);
    expect(stderr.startsWith(`error: ${sentence}`) ? 'as expected' : stderr).toBe('as expected');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  });
});
