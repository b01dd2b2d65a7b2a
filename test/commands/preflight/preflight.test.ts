import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseManifests } from '../../../src/io/files/manifest-documents.ts';
import type { PreflightItem } from '../../../src/core/report/preflight.ts';
import type { RawObject } from '../../../src/core/kube/snapshot.ts';
import { preflight } from '../../../src/commands/preflight/answer.ts';
import { baseObjects, snapshotOf } from '../../kit/scenario.ts';

interface Options {
  readonly objects?: readonly RawObject[];
  readonly without?: readonly string[];
  readonly denied?: readonly string[];
  readonly namespace?: string;
}

async function judge(
  text: string,
  { objects = [], without = [], denied = [], namespace = 'shop' }: Options = {},
): Promise<Record<string, PreflightItem>> {
  const base = baseObjects().filter(
    ({ kind, metadata }) =>
      !without.includes(`${kind}/${metadata.name}`) &&
      !objects.some((object) => object.kind === kind && object.metadata.name === metadata.name),
  );
  const { report } = preflight(
    snapshotOf([...base, ...objects], { denied }),
    await parseManifests(text, 'app.yaml'),
    namespace,
  );
  return Object.fromEntries(report.items.map((item) => [`${item.object.kind}/${item.object.name}`, item]));
}

const claim = (name: string, spec: string): string =>
  `---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: ${name}\nspec:\n  accessModes: [ReadWriteOnce]\n  resources:\n    requests:\n      storage: 10Gi\n${spec}`;
const set = (name: string, replicas: number, storageClass: string, more = ''): string =>
  `---\napiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: ${name}\nspec:\n  replicas: ${replicas}\n  serviceName: ${name}\n  selector: {matchLabels: {app: ${name}}}\n  template:\n    metadata: {labels: {app: ${name}}}\n    spec:\n      containers: [{name: main, image: example.org/app}]\n${more}  volumeClaimTemplates:\n    - metadata: {name: data}\n      spec:\n        accessModes: [ReadWriteOnce]\n        storageClassName: ${storageClass}\n        resources: {requests: {storage: 10Gi}}\n`;
const volume = (name: string, node: string): RawObject => ({
  kind: 'PersistentVolume',
  metadata: { name },
  spec: {
    capacity: { storage: '10Gi' },
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'manual-wffc',
    volumeMode: 'Filesystem',
    persistentVolumeReclaimPolicy: 'Retain',
    local: { path: '/mnt/disk' },
    nodeAffinity: {
      required: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node] }] }],
      },
    },
  },
  status: { phase: 'Available' },
});

describe('preflight', () => {
  it('finds nothing against what works, and says what would become of it', async () => {
    const items = await judge(`${claim('data', '')}${set('db', 2, 'fast-wffc')}`);
    expect(items['PersistentVolumeClaim/data']).toMatchObject({
      status: 'ok',
      summary: 'csi.example.com would provision 10Gi (StorageClass fast)',
    });
    expect(items['StatefulSet/db']).toMatchObject({
      status: 'ok',
      summary: '2 claims and 2 pods: no problem found',
    });
    expect(items['StatefulSet/db']?.parts.map(({ object }) => object.name)).toEqual([
      'data-db-0',
      'data-db-1',
      'db-0',
      'db-1',
    ]);
  });

  it('takes the wait for a first pod as ok where the manifests bring the pod, and as a wait where they do not', async () => {
    const alone = await judge(claim('data', '  storageClassName: fast-wffc\n'));
    expect(alone['PersistentVolumeClaim/data']).toMatchObject({ status: 'wouldWait', cause: 'wffc-no-consumer' });
    const pod =
      '---\napiVersion: v1\nkind: Pod\nmetadata: {name: app}\nspec:\n  volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n  containers: [{name: main, image: example.org/app}]\n';
    const together = await judge(`${pod}${claim('data', '  storageClassName: fast-wffc\n')}`);
    expect(Object.values(together).map(({ status }) => status)).toEqual(['ok', 'ok']);
  });

  it('warns of a class that would not work once the first pod comes', async () => {
    const broken: RawObject = {
      kind: 'StorageClass',
      metadata: { name: 'broken' },
      provisioner: 'csi.nowhere.example',
      volumeBindingMode: 'WaitForFirstConsumer',
    };
    const items = await judge(claim('data', '  storageClassName: broken\n'), { objects: [broken] });
    expect(items['PersistentVolumeClaim/data']).toMatchObject({
      status: 'wouldWait',
      cause: 'wffc-no-consumer',
      warnings: [{ cause: 'provisioner-unknown' }],
    });
  });

  it('points at the line of the field, also inside a template', async () => {
    const items = await judge(`${claim('data', '  storageClassName: gold\n')}${set('db', 1, 'silver')}`);
    expect(items['PersistentVolumeClaim/data']).toMatchObject({
      status: 'wouldFail',
      cause: 'sc-missing',
      line: 11,
      place: { file: 'app.yaml', line: 2, document: 1 },
    });
    expect(items['StatefulSet/db']).toMatchObject({
      status: 'wouldFail',
      cause: 'sc-missing',
      line: 29,
      place: { line: 13, document: 2 },
    });
  });

  it('fills in the default class of the manifests themselves', async () => {
    const own =
      '---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: new, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}\nprovisioner: csi.example.com\n';
    const items = await judge(`${claim('data', '')}${own}`, { without: ['StorageClass/fast'] });
    expect(items['PersistentVolumeClaim/data']?.summary).toBe(
      'csi.example.com would provision 10Gi (StorageClass new)',
    );
    expect(items['StorageClass/new']).toMatchObject({ status: 'ok', summary: 'csi.example.com, Immediate' });
  });

  it('tells who stands behind the failure of a pod', async () => {
    const pod =
      '---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 1\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n      containers: [{name: main, image: example.org/app}]\n';
    const items = await judge(`${claim('data', '  storageClassName: gold\n')}${pod}`);
    expect(items['Deployment/web']).toMatchObject({
      status: 'wouldFail',
      cause: 'sc-missing',
      becauseOf: { kind: 'PersistentVolumeClaim', name: 'data' },
    });
  });

  it('gives each volume out once', async () => {
    const items = await judge(set('db', 3, 'manual-wffc'), {
      objects: [volume('disk-a', 'node-a'), volume('disk-b', 'node-b')],
    });
    expect(items['StatefulSet/db']).toMatchObject({ status: 'wouldFail', cause: 'wffc-no-provisioner-no-pv' });
    expect(
      items['StatefulSet/db']?.parts.filter(({ status }) => status === 'wouldFail').map(({ object }) => object.name),
    ).toEqual(['data-db-2', 'db-2']);
  });

  it('counts the slots that the pods before have taken', async () => {
    const nodes = baseObjects()
      .filter(({ kind }) => kind === 'CSINode')
      .map((node): RawObject => ({
        ...node,
        spec: {
          drivers: [
            {
              name: 'csi.example.com',
              nodeID: 'i',
              topologyKeys: ['topology.csi.example.com/zone'],
              allocatable: { count: 1 },
            },
          ],
        },
      }));
    // One volume is attached to node-a already.
    const items = await judge(set('db', 3, 'fast-wffc'), { objects: nodes });
    expect(items['StatefulSet/db']).toMatchObject({ status: 'wouldFail', cause: 'sched-max-volume-count' });
    expect(
      items['StatefulSet/db']?.parts
        .filter(({ status, object }) => status === 'wouldFail' && object.kind === 'Pod')
        .map(({ object }) => object.name),
    ).toEqual(['db-2']);
  });

  it('counts what comes before against the quota', async () => {
    const quota: RawObject = {
      kind: 'ResourceQuota',
      metadata: { name: 'storage', namespace: 'shop' },
      spec: { hard: { 'requests.storage': '30Gi' } },
      status: { hard: { 'requests.storage': '30Gi' }, used: { 'requests.storage': '5Gi' } },
    };
    const items = await judge(set('db', 3, 'fast'), { objects: [quota] });
    expect(items['StatefulSet/db']).toMatchObject({
      status: 'wouldFail',
      cause: 'pvc-create-denied-quota',
      summary:
        'ResourceQuota "storage" has no room for pvc/data-db-2 (requests.storage: 25Gi of 30Gi used, 10Gi more requested).',
    });
  });

  it('lets one pod at a time have a ReadWriteOncePod claim', async () => {
    const text = `${claim('data', '').replace('ReadWriteOnce', 'ReadWriteOncePod')}---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 2\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n      containers: [{name: main, image: example.org/app}]\n`;
    const items = await judge(text);
    expect(items['Deployment/web']).toMatchObject({ status: 'wouldFail', cause: 'sched-rwop-conflict' });
    expect(items['Deployment/web']?.parts.map(({ status }) => status)).toEqual(['ok', 'wouldFail']);
  });

  it('warns of pods that share what one node at a time can have', async () => {
    const text = `${claim('data', '')}---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 2\n  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    spec:\n      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]\n      containers: [{name: main, image: example.org/app}]\n`;
    const items = await judge(text);
    expect(items['Deployment/web']?.status).toBe('ok');
    expect(items['Deployment/web']?.warnings.map(({ cause }) => cause)).toEqual(['attach-rwo-held-by-running-pod']);
  });

  it('takes a driver that comes with the manifests to work', async () => {
    const driver = `---
apiVersion: storage.k8s.io/v1
kind: CSIDriver
metadata: {name: new.example.org}
spec: {attachRequired: false}
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: new}
provisioner: new.example.org
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: new-controller, namespace: storage}
spec:
  replicas: 1
  selector: {matchLabels: {app: new}}
  template:
    metadata: {labels: {app: new}}
    spec:
      containers:
        - {name: driver, image: example.org/new, args: [--drivername=new.example.org]}
        - {name: csi-provisioner, image: example.org/csi-provisioner, args: [--csi-address=/csi/csi.sock]}
`;
    const items = await judge(`${driver}${claim('data', '  storageClassName: new\n')}`);
    expect(Object.entries(items).filter(([, { status }]) => status !== 'ok')).toEqual([]);
    expect(items['PersistentVolumeClaim/data']?.summary).toBe(
      'new.example.org would provision 10Gi (StorageClass new)',
    );
    const bare = await judge(
      `${driver
        .split('---\n')
        .slice(2, 3)
        .map((part) => `---\n${part}`)
        .join('')}${claim('data', '  storageClassName: new\n')}`,
    );
    expect(bare['PersistentVolumeClaim/data']).toMatchObject({ status: 'wouldFail', cause: 'provisioner-unknown' });
  });

  const nightly: RawObject = {
    kind: 'VolumeSnapshotClass',
    metadata: { name: 'nightly' },
    driver: 'csi.example.com',
    deletionPolicy: 'Delete',
  };
  const snapshot = (name: string, of: string): string =>
    `---\napiVersion: snapshot.storage.k8s.io/v1\nkind: VolumeSnapshot\nmetadata: {name: ${name}}\nspec:\n  volumeSnapshotClassName: nightly\n  source: {persistentVolumeClaimName: ${of}}\n`;

  it('foretells that nobody takes a snapshot where the lease of the sidecar has run out, and warns where none is to be seen', async () => {
    const lease = (renewTime: string): RawObject => ({
      kind: 'Lease',
      metadata: { name: 'external-snapshotter-leader-csi-example-com', namespace: 'kube-system' },
      spec: { holderIdentity: 'gone', leaseDurationSeconds: 15, renewTime },
    });
    const text = `${claim('original', '')}${snapshot('snap', 'original')}`;
    const dead = await judge(text, { objects: [nightly, lease('2026-02-20T00:00:00Z')] });
    expect(dead['VolumeSnapshot/snap']).toMatchObject({ status: 'wouldFail', cause: 'snap-sidecar-down' });
    const alive = await judge(text, { objects: [nightly, lease('2026-03-01T11:59:55Z')] });
    expect(alive['VolumeSnapshot/snap']).toMatchObject({ status: 'ok', warnings: [] });
    const unseen = await judge(text, { objects: [nightly] });
    expect(unseen['VolumeSnapshot/snap']).toMatchObject({
      status: 'ok',
      warnings: [{ cause: 'snap-sidecar-down', confidence: 'possible' }],
    });
  });

  it('judges a claim of a class that is a minute old like any other', async () => {
    const young: RawObject = {
      kind: 'StorageClass',
      metadata: { name: 'young', creationTimestamp: '2026-03-01T11:59:00Z' },
      provisioner: 'csi.example.com',
    };
    const items = await judge(
      claim(
        'data',
        '  storageClassName: young\n  dataSourceRef: {apiGroup: example.com, kind: Backup, name: monday}\n',
      ),
      { objects: [young] },
    );
    expect(items['PersistentVolumeClaim/data']).toMatchObject({
      status: 'wouldFail',
      cause: 'datasource-populator-missing',
    });
    expect(JSON.stringify(items)).not.toContain('prime-');
  });

  it('takes the default class of the manifests for the newest', async () => {
    const defaultClass = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    const young: RawObject = {
      kind: 'StorageClass',
      metadata: { name: 'young', creationTimestamp: '2026-03-01T11:59:00Z', annotations: defaultClass },
      provisioner: 'csi.example.com',
    };
    const own =
      '---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: own, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}\nprovisioner: csi.example.com\n';
    const items = await judge(`${own}${claim('data', '')}`, { objects: [young] });
    expect(items['PersistentVolumeClaim/data']?.summary).toBe(
      'csi.example.com would provision 10Gi (StorageClass own)',
    );
  });

  it('understands YAML that refers to itself', async () => {
    const items = await judge(
      'apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: PersistentVolumeClaim\n  metadata: {name: one}\n  spec: &spec\n    accessModes: [ReadWriteOnce]\n    storageClassName: gold\n    resources: {requests: {storage: 1Gi}}\n- apiVersion: v1\n  kind: PersistentVolumeClaim\n  metadata: {name: two}\n  spec:\n    <<: *spec\n    storageClassName: fast\n',
    );
    expect(items['PersistentVolumeClaim/one']).toMatchObject({ cause: 'sc-missing' });
    expect(items['PersistentVolumeClaim/two']).toMatchObject({
      status: 'ok',
      summary: 'csi.example.com would provision 1Gi (StorageClass fast)',
    });
  });

  it('looks at a snapshot and a copy once their source has come as far as it will', async () => {
    const source = (kind: string, name: string): string =>
      `  dataSource: {kind: ${kind}, name: ${name}${kind === 'VolumeSnapshot' ? ', apiGroup: snapshot.storage.k8s.io' : ''}}\n`;
    const items = await judge(
      `${claim('restored', source('VolumeSnapshot', 'snap'))}${claim('copy', source('PersistentVolumeClaim', 'original'))}${snapshot('snap', 'original')}${claim('original', '')}${claim('lost', source('PersistentVolumeClaim', 'orignal'))}`,
      { objects: [nightly] },
    );
    expect(Object.entries(items).map(([name, { status, cause }]) => [name, cause ?? status])).toEqual([
      ['PersistentVolumeClaim/restored', 'ok'],
      ['PersistentVolumeClaim/copy', 'ok'],
      ['VolumeSnapshot/snap', 'ok'],
      ['PersistentVolumeClaim/original', 'ok'],
      ['PersistentVolumeClaim/lost', 'clone-source-missing'],
    ]);
  });

  it('never throws, whatever is in the manifests', async () => {
    const manifests = await parseManifests(
      readFileSync(new URL('every-kind.yaml', import.meta.url), 'utf8'),
      'app.yaml',
    );
    const snapshot = snapshotOf(baseObjects());
    const junk = fc.constantFrom(undefined, null, 0, -1, '', 'x', true, [], {}, [null], { a: 1 }, '9'.repeat(40));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), junk), { minLength: 1, maxLength: 6 }), (changes) => {
        const broken = manifests.map((manifest) => ({ ...manifest, object: damage(manifest.object, changes) }));
        const { report } = preflight(snapshot, broken, 'shop');
        expect(report.summary.ok + report.summary.wouldFail + report.summary.wouldWait + report.summary.unknown).toBe(
          report.items.length,
        );
      }),
      { numRuns: Number(process.env['FUZZ_RUNS'] ?? 25), seed: 7 },
    );
  });

  it('says not known, and why, to one who may not read quotas', async () => {
    const items = await judge(claim('data', ''), { denied: ['ResourceQuota'] });
    expect(items['PersistentVolumeClaim/data']).toMatchObject({
      status: 'unknown',
      unread: [{ resource: 'resourcequotas', reason: 'forbidden' }],
    });
  });

  it('refuses what the server refuses: a missing namespace, a bad name, a bad claim', async () => {
    expect((await judge(claim('data', ''), { namespace: 'nowhere' }))['PersistentVolumeClaim/data']).toMatchObject({
      status: 'wouldFail',
      cause: 'namespace-missing',
    });
    const made = await judge(`apiVersion: v1\nkind: Namespace\nmetadata: {name: nowhere}\n${claim('data', '')}`, {
      namespace: 'nowhere',
    });
    expect(made['PersistentVolumeClaim/data']?.status).toBe('ok');
    expect((await judge(claim('Data_1', '')))['PersistentVolumeClaim/Data_1']).toMatchObject({
      status: 'wouldFail',
      cause: 'object-invalid',
    });
    expect(
      (await judge(claim('data', '').replace('ReadWriteOnce', 'ReadWriteEverywhere')))['PersistentVolumeClaim/data'],
    ).toMatchObject({ status: 'wouldFail', cause: 'pvc-create-denied-validation', line: 7 });
  });
});

/** Puts junk in place of some values below the identity of an object. */
function damage(object: RawObject, changes: readonly (readonly [number, unknown])[]): RawObject {
  const copy = structuredClone(object) as unknown as Record<string, unknown>;
  const places: [Record<string, unknown>, string][] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const key of Object.keys(value)) {
      places.push([value as Record<string, unknown>, key]);
      walk((value as Record<string, unknown>)[key]);
    }
  };
  for (const [key, value] of Object.entries(copy))
    if (key !== 'kind' && key !== 'apiVersion' && key !== 'metadata') {
      places.push([copy, key]);
      walk(value);
    }
  for (const [at, value] of changes) {
    const place = places[at % Math.max(1, places.length)];
    if (place) place[0][place[1]] = value;
  }
  return copy as unknown as RawObject;
}

describe('preflight of what exists already', () => {
  const existing = (more: string): string =>
    `apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: healthy}\nspec:\n  accessModes: [ReadWriteOnce]\n${more}`;

  it('says so of a claim that is bound and unchanged', async () => {
    const { 'PersistentVolumeClaim/healthy': item } = await judge(
      existing('  resources: {requests: {storage: 5120Mi}}\n'),
    );
    expect(item).toMatchObject({
      status: 'ok',
      exists: 'unchanged',
      summary: 'already exists, unchanged, bound to pv/pvc-0b1c2d3e-0000-4000-8000-00000000aaaa',
    });
  });

  it.each([
    ['another class', '  storageClassName: manual\n  resources: {requests: {storage: 5Gi}}\n', 'field-immutable'],
    ['a smaller size', '  resources: {requests: {storage: 1Gi}}\n', 'resize-denied-shrink'],
    ['another volume mode', '  volumeMode: Block\n  resources: {requests: {storage: 5Gi}}\n', 'field-immutable'],
  ])('refuses %s', async (_what, spec, cause) => {
    expect((await judge(existing(spec)))['PersistentVolumeClaim/healthy']).toMatchObject({
      status: 'wouldFail',
      exists: 'changed',
      cause,
    });
  });

  it('lets a claim grow where its class does, and only there', async () => {
    const larger = existing('  resources: {requests: {storage: 8Gi}}\n');
    expect((await judge(larger))['PersistentVolumeClaim/healthy']).toMatchObject({ status: 'ok', exists: 'changed' });
    const rigid = baseObjects()
      .filter(({ kind, metadata }) => kind === 'StorageClass' && metadata.name === 'fast')
      .map(({ allowVolumeExpansion: _allow, ...rest }): RawObject => rest as RawObject);
    expect((await judge(larger, { objects: rigid }))['PersistentVolumeClaim/healthy']).toMatchObject({
      status: 'wouldFail',
      cause: 'resize-denied-class',
    });
  });

  it('says nothing against a growth that the resizer has had no time for', async () => {
    const larger = existing('  resources: {requests: {storage: 8Gi}}\n');
    expect((await judge(larger))['PersistentVolumeClaim/healthy']).toMatchObject({ status: 'ok', warnings: [] });
  });

  it('refuses a growth beyond the quota, which counts only the difference', async () => {
    const quota: RawObject = {
      kind: 'ResourceQuota',
      metadata: { name: 'storage', namespace: 'shop' },
      status: {
        hard: { 'requests.storage': '7Gi', persistentvolumeclaims: '1' },
        used: { 'requests.storage': '5Gi', persistentvolumeclaims: '1' },
      },
    };
    const grow = (size: string): string => existing(`  resources: {requests: {storage: ${size}}}\n`);
    expect((await judge(grow('7Gi'), { objects: [quota] }))['PersistentVolumeClaim/healthy']).toMatchObject({
      status: 'ok',
    });
    expect((await judge(grow('8Gi'), { objects: [quota] }))['PersistentVolumeClaim/healthy']).toMatchObject({
      status: 'wouldFail',
      cause: 'resize-denied-quota',
      summary:
        'pvc/healthy would need 3Gi more of requests.storage, and ResourceQuota "storage" has 5Gi of 7Gi in use.',
    });
  });

  it('refuses to change the parameters of a class and the templates of a set', async () => {
    const storageClass = (
      await judge(
        'apiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: fast}\nprovisioner: csi.example.com\nparameters:\n  type: ssd\n',
      )
    )['StorageClass/fast'];
    expect(storageClass).toMatchObject({ status: 'wouldFail', cause: 'field-immutable', line: 6 });
    const [template] = await parseManifests(set('db', 1, 'fast'), 'old.yaml');
    const old = { ...template?.object, metadata: { name: 'db', namespace: 'shop' } } as RawObject;
    expect((await judge(set('db', 1, 'fast-wffc'), { objects: [old] }))['StatefulSet/db']).toMatchObject({
      status: 'wouldFail',
      exists: 'changed',
      cause: 'field-immutable',
    });
    expect((await judge(set('db', 1, 'fast'), { objects: [old] }))['StatefulSet/db']).toMatchObject({
      exists: 'unchanged',
      status: 'ok',
    });
  });

  it('tells of a claim that is there and stuck', async () => {
    const stuck: RawObject = {
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'stuck', namespace: 'shop', uid: 'u-stuck', creationTimestamp: '2026-03-01T11:00:00Z' },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'gold', resources: { requests: { storage: '10Gi' } } },
      status: { phase: 'Pending' },
    };
    const items = await judge(claim('stuck', '  storageClassName: gold\n'), { objects: [stuck] });
    expect(items['PersistentVolumeClaim/stuck']).toMatchObject({
      status: 'wouldFail',
      exists: 'unchanged',
      cause: 'sc-missing',
    });
  });
});
