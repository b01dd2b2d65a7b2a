import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { applyBaseline, renderBaseline } from '../../../src/commands/check/baseline.ts';
import { applyIgnores, parseIgnoreFile } from '../../../src/commands/check/ignores.ts';
import type { CheckFinding, CheckReport, JudgedFinding } from '../../../src/core/report/check.ts';
import type { RawObject, Snapshot } from '../../../src/core/kube/snapshot.ts';
import { startApiServer } from '../../../src/sim/api-server.ts';
import type { ApiServer, ApiServerOptions } from '../../../src/sim/api-server.ts';
import { demoSnapshot } from '../../../src/sim/demo/demo-snapshot.ts';
import { runProgram } from '../../kit/run-program.ts';
import { snapshotOf } from '../../sim/cluster.ts';

const demoTime = new Date('2026-05-06T07:08:09Z');
const healthy = join(import.meta.dirname, '../../truth/healthy/cluster.yaml');
const missingClass = join(import.meta.dirname, '../../truth/missing-class/cluster.yaml');

async function serve(snapshot: Snapshot, options: ApiServerOptions = {}): Promise<ApiServer> {
  const server = await startApiServer(snapshot, {
    now: () => Date.parse(snapshot.takenAt),
    renewsLeases: false,
    ...options,
  });
  onTestFinished(() => server.close());
  return server;
}

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'check-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function fileOf(text: string): Promise<string> {
  const path = join(await directory(), 'file');
  await writeFile(path, text);
  return path;
}

const reportOf = (stdout: string): CheckReport => JSON.parse(stdout) as CheckReport;
const finding = (
  id: string,
  name: string,
  namespace?: string,
  severity: CheckFinding['severity'] = 'blocking',
): JudgedFinding => ({
  id,
  type: 'cause',
  severity,
  confidence: 'certain',
  object: { kind: 'PersistentVolumeClaim', ...(namespace !== undefined && { namespace }), name },
  summary: '',
  group: '',
  evidence: [],
  fix: [],
  outcome: 'new',
});

describe('check', () => {
  it('looks at the whole cluster and ends with 1 where something is blocked', async () => {
    const { url } = await serve(demoSnapshot(demoTime));
    const { exitCode, stdout, stderr } = await runProgram(['check', '-s', url]);
    expect(stdout).toMatch(
      /✖ provisioner-not-running +oldest \S+\s+7 objects, e\.g\. csidriver\/files\.csi\.example\.com/,
    );
    expect(stdout).toMatch(/! pv-released-retain +\S+ +pv\/legacy-disk/);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('✖ failed: 30 blocking, 2 warnings, 3 waiting, 9 claims healthy');
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
  });

  it('says the same from the live cluster and from a dump of it', async () => {
    const snapshot = demoSnapshot(demoTime);
    const { url } = await serve(snapshot);
    const dump = await fileOf(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: snapshot.objects }));
    const essence = (stdout: string) =>
      reportOf(stdout).findings.map(({ id, severity, object, summary }) => ({ id, severity, object, summary }));
    const live = await runProgram(['check', '-s', url, '-o', 'json']);
    const dumped = await runProgram(['check', '--from', dump, '--complete', '--at', snapshot.takenAt, '-o', 'json']);
    expect(essence(live.stdout)).toEqual(essence(dumped.stdout));
  });

  it('keeps to one namespace with -n', async () => {
    const { url } = await serve(demoSnapshot(demoTime));
    const { stdout } = await runProgram(['check', '-n', 'web', '-s', url, '-o', 'json']);
    const namespaces = new Set(reportOf(stdout).findings.map(({ object }) => object.namespace));
    expect([...namespaces].filter((namespace) => namespace !== undefined)).toEqual(['web']);
  });

  it('refuses a namespace that is not there, with the name that was meant', async () => {
    const { url } = await serve(demoSnapshot(demoTime));
    expect(await runProgram(['check', '-n', 'shp', '-s', url])).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'error: Namespace "shp" does not exist.\n  Did you mean "shop"?\n',
    });
  });

  it('is calm where all is well', async () => {
    const { exitCode, stdout } = await runProgram(['check', '--from', healthy]);
    expect(stdout).toContain('✔ passed: 2 claims healthy');
    expect(exitCode).toBe(0);
  });

  it('ends with 3 where claims may not be read, whatever --fail-on says', async () => {
    const { url } = await serve(snapshotOf([]), { faults: { deny: (kind) => kind === 'PersistentVolumeClaim' } });
    for (const failOn of ['blocking', 'warning']) {
      const { exitCode, stdout } = await runProgram(['check', '-s', url, '--fail-on', failOn]);
      expect(stdout).toContain('? inconclusive');
      expect(exitCode).toBe(3);
    }
  });

  it('lists its checks', async () => {
    const { exitCode, stdout } = await runProgram(['check', '--list']);
    expect(stdout).toMatch(/^quota-near-limit +warning\n {4}at least 90%/m);
    expect(exitCode).toBe(0);
  });

  it.each([
    [['--wait', '5s', '--from', healthy], 'error: --wait cannot be combined with --from'],
    [['--wait', 'soon'], 'error: --wait must be a time'],
    [
      ['--ignore', 'sc-misssing'],
      'error: --ignore: cause or check "sc-misssing" does not exist.\n  Did you mean "sc-missing"?',
    ],
    [['--ignore', 'sc-missing:a/b/c'], 'error: --ignore: "sc-missing:a/b/c" is not CAUSE or CAUSE:NAMESPACE/NAME'],
    [
      ['--ignore-file', '/nonexistent/ignores'],
      'error: Cannot read the ignore file /nonexistent/ignores: it does not exist',
    ],
    [['--baseline', '/nonexistent/baseline'], 'error: The baseline /nonexistent/baseline does not exist.'],
    [['--baseline', healthy], 'is not a baseline'],
    [['--fail-on', 'info', '--from', healthy], '--fail-on'],
  ])('refuses %j in one sentence', async (words, said) => {
    const { exitCode, stdout, stderr } = await runProgram(['check', ...words]);
    expect(stderr).toContain(said);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  });
});

describe('check --ignore', () => {
  it('leaves out what is named, and tells what names nothing', async () => {
    const { exitCode, stdout, stderr } = await runProgram([
      'check',
      '--from',
      missingClass,
      '--ignore',
      'sc-missing:shop/*',
      '--ignore',
      'pv-released-retain',
    ]);
    expect(stdout).toContain('✔ passed: 2 ignored');
    expect(stderr).toBe('--ignore pv-released-retain ignores nothing and can be removed\n');
    expect(exitCode).toBe(0);
  });

  it('reads a file with reasons', async () => {
    const file = await fileOf(
      '# known since the migration\nsc-missing:shop/d*\r\n\n   \nsc-missing:shop/app # a pod\n',
    );
    const { stdout } = await runProgram(['check', '--from', missingClass, '--ignore-file', file, '-o', 'json']);
    expect(reportOf(stdout).findings.map(({ object: { name }, outcome, reason }) => [name, outcome, reason])).toEqual([
      ['data', 'ignored', 'known since the migration'],
      ['app', 'ignored', 'a pod'],
    ]);
  });

  it('names the file and the line of a wrong entry', async () => {
    const file = await fileOf('sc-missing\nsc-gone # typo\n');
    const { exitCode, stderr } = await runProgram(['check', '--from', missingClass, '--ignore-file', file]);
    expect(stderr).toContain(`error: ${file}:2: cause or check "sc-gone" does not exist`);
    expect(exitCode).toBe(2);
  });

  it.each([
    ['a', 'a', undefined, true],
    ['a', 'b', undefined, false],
    ['a:shop/data', 'a', 'shop/data', true],
    ['a:data', 'a', 'shop/data', false],
    ['a:shop/*', 'a', 'shop/data', true],
    ['a:*/data', 'a', 'shop/data', true],
    ['a:*', 'a', 'shop/data', true],
    ['a:shop/d*t*', 'a', 'shop/data', true],
    ['a:shop/*a*a', 'a', 'shop/da', false],
    ['a:sh.p/data', 'a', 'shop/data', false],
    ['a:pv-*', 'a', 'pv-1', true],
  ])('%s on %s of %s: %s', (entry, id, object, isIgnored) => {
    const [namespace, name] =
      object?.includes('/') === true ? (object.split('/') as [string, string]) : [undefined, object ?? 'x'];
    const { findings, unused } = applyIgnores([finding(id, name, namespace)], parseIgnoreFile(entry, 'file'));
    expect(findings[0]?.outcome).toBe(isIgnored ? 'ignored' : 'new');
    expect(unused).toEqual(isIgnored ? [] : [`file:1: ${entry}`]);
  });
});

describe('check --baseline', () => {
  it('fails only on what is new', async () => {
    const snapshot = demoSnapshot(demoTime);
    const server = await serve(snapshot);
    const file = join(await directory(), 'baseline.json');
    const written = await runProgram(['check', '-s', server.url, '--write-baseline', file]);
    expect(written.stdout).toContain('✔ passed: 3 waiting, 32 in the baseline');
    expect(written.exitCode).toBe(0);
    const first = await readFile(file, 'utf8');
    expect((await runProgram(['check', '-s', server.url, '--baseline', file])).exitCode).toBe(0);

    server.apply({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'news', namespace: 'shop', uid: 'news', creationTimestamp: '2026-05-06T06:00:00Z' },
      spec: { storageClassName: 'gone', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      status: { phase: 'Pending' },
    });
    server.remove('PersistentVolumeClaim', 'shop', 'cart');
    server.remove('Pod', 'shop', 'cart-0');
    const { exitCode, stdout } = await runProgram([
      'check',
      '-s',
      server.url,
      '--baseline',
      file,
      '-o',
      'json',
      '--write-baseline',
      `${file}.2`,
    ]);
    const report = reportOf(stdout);
    expect(
      report.findings
        .filter(({ outcome, severity }) => outcome === 'new' && severity !== 'info')
        .map(({ object }) => object.name),
    ).toEqual(['news']);
    expect(report.gone.map(({ kind, name }) => `${kind}/${name}`).sort()).toEqual([
      'PersistentVolumeClaim/cart',
      'Pod/cart-0',
    ]);
    expect(exitCode).toBe(1);
    expect(await readFile(`${file}.2`, 'utf8')).toContain('"news"');
    expect(first).not.toMatch(/\d{4}-\d{2}-\d{2}|takenAt|uid/);
  });

  it('is the same file for the same trouble, in whatever order it was found', () => {
    const findings = [
      finding('b', 'x', 'shop'),
      finding('a', 'z'),
      finding('a', 'y', 'shop'),
      { ...finding('c', 'w'), outcome: 'ignored' as const },
      finding('d', 'v', 'shop', 'info'),
    ];
    expect(renderBaseline(findings)).toBe(renderBaseline([...findings].reverse()));
    expect(JSON.parse(renderBaseline(findings))).toEqual({
      apiVersion: 'csi.kubectl.dev/v1',
      kind: 'CheckBaseline',
      findings: [
        { id: 'a', severity: 'blocking', kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'y' },
        { id: 'a', severity: 'blocking', kind: 'PersistentVolumeClaim', name: 'z' },
        { id: 'b', severity: 'blocking', kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'x' },
      ],
    });
  });

  it('takes a warning that has become blocking for new', () => {
    const { findings } = applyBaseline(
      [finding('a', 'x')],
      [{ id: 'a', severity: 'warning', kind: 'PersistentVolumeClaim', name: 'x' }],
    );
    expect(findings[0]?.outcome).toBe('new');
  });
});

describe('check --wait', () => {
  const at = '2026-03-01T12:00:00Z';
  const claim = (name: string, phase: string, storageClassName: string): RawObject => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      namespace: 'shop',
      uid: name,
      creationTimestamp: '2026-03-01T11:59:50Z',
      annotations: { 'volume.kubernetes.io/storage-provisioner': 'disk.example.com' },
    },
    spec: {
      storageClassName,
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      ...(phase === 'Bound' && { volumeName: 'pv-1' }),
    },
    status: { phase, ...(phase === 'Bound' && { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] }) },
  });
  const cluster: RawObject[] = [
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'fast', uid: 'sc' },
      provisioner: 'disk.example.com',
      volumeBindingMode: 'Immediate',
    },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIDriver',
      metadata: { name: 'disk.example.com', uid: 'd' },
      spec: { attachRequired: false },
    },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: 'node-a', uid: 'cn' },
      spec: { drivers: [{ name: 'disk.example.com', nodeID: 'a', topologyKeys: [] }] },
    },
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'node-a', uid: 'n' },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', uid: 'ns' } },
    {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'disk-example-com', namespace: 'storage', uid: 'l' },
      spec: { holderIdentity: 'controller-0', leaseDurationSeconds: 15, renewTime: '2026-03-01T11:59:59.000000Z' },
    },
  ];

  it('waits for what is on its way, tells on standard error for what, and ends when it has come', async () => {
    const server = await serve(snapshotOf([...cluster, claim('data', 'Pending', 'fast')], { takenAt: at }));
    let isDone = false;
    const { exitCode, stdout, stderr } = await runProgram(['check', '-s', server.url, '--wait', '60s'], {
      onOutput: (_stdout, told) => {
        if (isDone || !told.includes('waiting for')) return;
        isDone = true;
        server.apply({
          apiVersion: 'v1',
          kind: 'PersistentVolume',
          metadata: { name: 'pv-1', uid: 'pv' },
          spec: {
            capacity: { storage: '1Gi' },
            accessModes: ['ReadWriteOnce'],
            storageClassName: 'fast',
            persistentVolumeReclaimPolicy: 'Delete',
            csi: { driver: 'disk.example.com', volumeHandle: 'v' },
            claimRef: { namespace: 'shop', name: 'data', uid: 'data' },
          },
          status: { phase: 'Bound' },
        });
        server.apply(claim('data', 'Bound', 'fast'));
      },
    });
    expect(stderr).toMatch(/^waiting for pvc\/data in shop \(in-progress\)\n/);
    expect(stdout).toContain('✔ passed: 1 claim healthy');
    expect(exitCode).toBe(0);
  });

  it('ends at once with the cause when something is proven stuck', async () => {
    const server = await serve(
      snapshotOf([...cluster, claim('data', 'Pending', 'fast'), claim('doomed', 'Pending', 'gone')], { takenAt: at }),
    );
    const { exitCode, stdout, stderr } = await runProgram(['check', '-s', server.url, '--wait', '10m']);
    expect(stdout).toMatch(/✖ sc-missing +\S+ +pvc\/doomed -n shop/);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
  });

  it('says what it still sees when the time is over', async () => {
    const server = await serve(snapshotOf([...cluster, claim('data', 'Pending', 'fast')], { takenAt: at }));
    const { exitCode, stdout, stderr } = await runProgram(['check', '-s', server.url, '--wait', '1s']);
    expect(stderr).toContain('waiting for pvc/data');
    expect(stdout).toContain('◌ waiting: 1 claim in-progress');
    expect(exitCode).toBe(0);
  });

  it('ends with 130 on Ctrl-C', async () => {
    const server = await serve(snapshotOf([...cluster, claim('data', 'Pending', 'fast')], { takenAt: at }));
    const { exitCode } = await runProgram(['check', '-s', server.url, '--wait', '10m'], {
      onOutput: (_stdout, stderr, kill) => {
        if (stderr.includes('waiting for')) kill('SIGINT');
      },
    });
    expect(exitCode).toBe(130);
  });
});
