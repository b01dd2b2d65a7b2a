import { describe, expect, it } from 'vitest';
import { whatIf } from '../../../src/commands/what-if/answer.ts';
import { parseOperations } from '../../../src/commands/what-if/parse.ts';
import type { RawObject } from '../../../src/core/kube/snapshot.ts';
import type { WhatIfEffect, WhatIfReport } from '../../../src/core/report/what-if.ts';
import { cluster, driver, make, node, pod, volume, zoneKey } from './small-cluster.ts';

async function ask(
  words: string,
  objects: readonly RawObject[],
  denied: readonly string[] = [],
  replicas: string[] = [],
): Promise<WhatIfReport> {
  const operations = await parseOperations(words.split(' '), { namespace: 'shop', replicas, manifests: [] });
  const { report, misnomers } = whatIf(cluster(objects, denied), operations, 'shop');
  expect(misnomers).toEqual([]);
  return report;
}

const brief = ({ effects }: WhatIfReport): string[] =>
  effects.map(({ effect, severity, cause, confidence, objects }) =>
    [severity, effect, cause ?? '-', confidence, objects.map(({ name }) => name).join(',')].join(' '),
  );
const find = ({ effects }: WhatIfReport, kind: WhatIfEffect['effect'], cause?: string): WhatIfEffect | undefined =>
  effects.find((effect) => effect.effect === kind && (cause === undefined || effect.cause === cause));

const twoNodes = [...node('node-a', 'a'), ...node('node-b', 'b')];

describe('what-if drain', () => {
  it('says that a pod without volumes moves, and where to', async () => {
    const report = await ask('drain node-a', [...twoNodes, pod('web', 'node-a')]);
    expect(find(report, 'moves')?.places).toEqual([
      { object: { kind: 'Pod', namespace: 'shop', name: 'web' }, from: 'node-a', fits: 1, nodes: ['node-b'] },
    ]);
    expect(report.verdict).toBe('safe');
  });

  it('finds no node for a pod whose volume is in the zone of the node', async () => {
    const report = await ask('drain node-a', [
      ...twoNodes,
      pod('db-0', 'node-a', { claim: 'data', owner: 'StatefulSet' }),
      ...volume('data', 'a', 'node-a'),
    ]);
    expect(find(report, 'cannot-start')).toMatchObject({
      severity: 'breaks',
      cause: 'sched-volume-node-affinity',
      objects: [{ name: 'db-0' }],
    });
    expect(report.verdict).toBe('breaks');
  });

  it('lets the volume follow its pod within the zone', async () => {
    const report = await ask('drain node-a', [
      ...twoNodes,
      ...node('node-c', 'a'),
      pod('db-0', 'node-a', { claim: 'data', owner: 'StatefulSet' }),
      ...volume('data', 'a', 'node-a'),
    ]);
    expect(find(report, 'moves')?.places?.[0]).toMatchObject({ nodes: ['node-c'] });
    expect(find(report, 'waits')).toMatchObject({ cause: 'attach-rwo-waiting-detach', severity: 'notice' });
    expect(report.verdict).toBe('safe');
  });

  it('places all displaced pods together: each fits alone, and not all of them fit', async () => {
    const displaced = ['one', 'two', 'three'].map((name) => pod(name, 'node-a', { cpu: '1500m' }));
    const report = await ask('drain node-a', [...twoNodes, ...displaced]);
    expect(find(report, 'cannot-start')).toMatchObject({
      severity: 'breaks',
      confidence: 'likely',
      cause: 'wffc-pod-unschedulable-other',
    });
    expect(find(report, 'cannot-start')?.objects).toHaveLength(1);
    expect(find(report, 'moves')?.objects).toHaveLength(2);
    const alone = await ask('drain node-a', [...twoNodes, pod('one', 'node-a', { cpu: '1500m' })]);
    expect(alone.verdict).toBe('safe');
  });

  it('cannot tell where all fit only if they are packed tightly', async () => {
    const nodes = [...twoNodes, ...node('node-c', 'c')];
    const pods = [
      pod('a-small', 'node-a', { cpu: '1' }),
      pod('b-small', 'node-a', { cpu: '1' }),
      pod('c-small', 'node-a', { cpu: '1' }),
      pod('d-large', 'node-a', { cpu: '4' }),
    ];
    const report = await ask('drain node-a', [...nodes, ...pods]);
    expect(find(report, 'cannot-start')).toMatchObject({ confidence: 'possible', objects: [{ name: 'd-large' }] });
    expect(report.verdict).toBe('unknown');
  });

  it('counts the volume slots that are left', async () => {
    const held = [1, 2, 3].flatMap((index) => [
      pod(`old-${index}`, 'node-b', { claim: `old-${index}` }),
      ...volume(`old-${index}`, undefined, 'node-b'),
    ]);
    const moving = [1, 2].flatMap((index) => [
      pod(`new-${index}`, 'node-a', { claim: `new-${index}` }),
      ...volume(`new-${index}`, undefined, 'node-a'),
    ]);
    const report = await ask('drain node-a', [...twoNodes, ...held, ...moving]);
    expect(find(report, 'cannot-start')).toMatchObject({ cause: 'sched-max-volume-count', confidence: 'likely' });
    expect(find(report, 'cannot-start')?.objects).toHaveLength(1);
  });

  it('keeps pods apart that do not want to be on one node', async () => {
    const labels = { app: 'quorum' };
    const spec = {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' },
          ],
        },
      },
    };
    const report = await ask('drain node-a', [
      ...twoNodes,
      pod('one', 'node-a', { labels, spec }),
      pod('two', 'node-b', { labels, spec }),
    ]);
    expect(find(report, 'cannot-start')?.objects).toEqual([{ kind: 'Pod', namespace: 'shop', name: 'one' }]);
  });

  it('counts a drained node as an empty domain of a topology spread', async () => {
    const labels = { app: 'spread' };
    const spec = {
      topologySpreadConstraints: [
        {
          topologyKey: zoneKey,
          maxSkew: 1,
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: labels },
        },
      ],
    };
    const report = await ask('drain node-a', [
      ...twoNodes,
      pod('one', 'node-a', { labels, spec }),
      pod('two', 'node-b', { labels, spec }),
    ]);
    expect(find(report, 'cannot-start')?.objects).toEqual([{ kind: 'Pod', namespace: 'shop', name: 'one' }]);
  });

  it.each([
    [
      'that never allows an eviction',
      { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
      'certain',
    ],
    [
      'that allows none now',
      { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 2, expectedPods: 3 },
      'likely',
    ],
  ])('is blocked by a PodDisruptionBudget %s', async (_name, status, confidence) => {
    const budget = make(
      'PodDisruptionBudget',
      'guard',
      { spec: { selector: { matchLabels: { app: 'web' } } }, status },
      { namespace: 'shop' },
      'policy/v1',
    );
    const report = await ask('drain node-a', [...twoNodes, pod('web', 'node-a'), budget]);
    expect(find(report, 'refused')).toMatchObject({ severity: 'breaks', confidence });
    expect(report.verdict).toBe('breaks');
  });

  it('says what drain refuses and ignores: a pod without a controller, a DaemonSet, a finished pod', async () => {
    const finished = { ...pod('done', 'node-a'), status: { phase: 'Succeeded' } };
    const report = await ask('drain node-a', [
      ...twoNodes,
      pod('bare', 'node-a', { owner: null }),
      pod('agent', 'node-a', { owner: 'DaemonSet' }),
      finished,
    ]);
    expect(brief(report)).toEqual(['breaks refused - certain bare']);
    expect(report.summary.displaced).toBe(1);
  });

  it('recreates an ephemeral volume elsewhere, and deletes the old one', async () => {
    const spec = {
      volumes: [
        {
          name: 'tmp',
          ephemeral: {
            volumeClaimTemplate: {
              spec: {
                storageClassName: 'fast',
                accessModes: ['ReadWriteOnce'],
                resources: { requests: { storage: '1Gi' } },
              },
            },
          },
        },
      ],
    };
    const report = await ask('drain node-a', [
      ...twoNodes,
      pod('job', 'node-a', { spec }),
      ...volume('job-tmp', 'a', 'node-a'),
    ]);
    expect(find(report, 'data-deleted')).toMatchObject({ severity: 'notice', objects: [{ name: 'job-tmp' }] });
    expect(find(report, 'moves')?.places?.[0]).toMatchObject({ nodes: ['node-b'] });
  });

  it('cannot tell while a PodDisruptionBudget could not be read', async () => {
    const report = await ask('drain node-a', [...twoNodes, pod('web', 'node-a')], ['PodDisruptionBudget']);
    expect(report.verdict).toBe('unknown');
    expect(report.unread).toMatchObject([{ resource: 'poddisruptionbudgets', reason: 'forbidden' }]);
  });

  it.each([
    'Pod',
    'PersistentVolumeClaim',
    'PersistentVolume',
    'CSINode',
    'VolumeAttachment',
    'StorageClass',
    'CSIDriver',
  ])('never says that nothing would break without %s', async (kind) => {
    const report = await ask('drain node-a', [...twoNodes, pod('web', 'node-a')], [kind]);
    expect(report.verdict).not.toBe('safe');
  });
});

describe('what-if lose', () => {
  it('keeps the pods of a StatefulSet, and holds the volumes of a Deployment', async () => {
    const objects = [
      ...twoNodes,
      ...node('node-c', 'a'),
      pod('db-0', 'node-a', { owner: 'StatefulSet' }),
      pod('web', 'node-a', { claim: 'data' }),
      ...volume('data', 'a', 'node-a'),
    ];
    const report = await ask('lose node/node-a', objects);
    expect(find(report, 'waits', 'node-not-ready')?.objects).toMatchObject([{ name: 'db-0' }]);
    expect(find(report, 'waits', 'attach-rwo-held-by-running-pod')?.objects).toMatchObject([{ name: 'web' }]);
    expect(find(report, 'waits', 'detach-node-not-ready')?.objects).toMatchObject([{ name: 'web' }]);
    expect(report.verdict).toBe('breaks');
  });

  it('finds the nodes of a zone by the legacy label too', async () => {
    const legacy = node('node-a', 'a', {}, 'failure-domain.beta.kubernetes.io/zone');
    const report = await ask('lose zone=a', [...legacy, ...node('node-b', 'b'), pod('web', 'node-a')]);
    expect(report.summary).toMatchObject({ displaced: 1, moving: 1 });
  });
});

describe('what-if delete', () => {
  it('deletes a namespace: pods, claims, and volumes by their policy', async () => {
    const kept = { persistentVolumeReclaimPolicy: 'Retain' };
    const report = await ask('delete ns/shop', [
      ...twoNodes,
      pod('web', 'node-a', { claim: 'data' }),
      ...volume('data', 'a', 'node-a'),
      ...volume('kept', 'a', undefined, kept),
    ]);
    expect(find(report, 'deleted')?.objects.map(({ name }) => name)).toEqual(['data', 'kept']);
    expect(find(report, 'data-deleted')).toMatchObject({ severity: 'breaks', objects: [{ name: 'pv-data' }] });
    expect(find(report, 'orphaned')).toMatchObject({ cause: 'pv-released-retain', objects: [{ name: 'pv-kept' }] });
  });

  it('leaves a claim in use Terminating, and its pod cannot start again', async () => {
    const report = await ask('delete pvc/data', [
      ...twoNodes,
      pod('web', 'node-a', { claim: 'data' }),
      ...volume('data', 'a', 'node-a'),
    ]);
    expect(find(report, 'stuck')).toMatchObject({ cause: 'pvc-terminating-in-use', objects: [{ name: 'data' }] });
    expect(find(report, 'cannot-restart')).toMatchObject({ cause: 'pod-pvc-terminating', objects: [{ name: 'web' }] });
    expect(find(report, 'data-deleted')).toBeUndefined();
  });

  it('deletes it when its workload is scaled to zero first, in one question', async () => {
    const deployment = make(
      'Deployment',
      'web',
      { spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template: {} } },
      { namespace: 'shop' },
      'apps/v1',
    );
    const objects = [
      ...twoNodes,
      deployment,
      pod('web', 'node-a', { claim: 'data' }),
      ...volume('data', 'a', 'node-a'),
    ];
    const report = await ask('scale deploy/web + delete pvc/data', objects, [], ['0']);
    expect(find(report, 'stuck')).toBeUndefined();
    expect(find(report, 'data-deleted')?.objects).toMatchObject([{ name: 'pv-data' }]);
  });

  it('keeps a bound volume Terminating', async () => {
    const report = await ask('delete pv/pv-data', [...twoNodes, ...volume('data', 'a')]);
    expect(find(report, 'stuck')).toMatchObject({ cause: 'pv-terminating-bound' });
  });

  it('breaks pods of a driver that needs no attachment when its object goes', async () => {
    const other = make(
      'CSIDriver',
      'files.csi.example.com',
      { spec: { attachRequired: false } },
      {},
      'storage.k8s.io/v1',
    );
    const csi = { csi: { driver: 'files.csi.example.com', volumeHandle: 'x' } };
    const objects = [
      ...twoNodes,
      other,
      pod('web', 'node-a', { claim: 'data' }),
      ...volume('data', undefined, undefined, csi),
    ];
    const report = await ask('delete csidriver/files.csi.example.com', objects);
    expect(find(report, 'cannot-restart')).toMatchObject({
      cause: 'csidriver-object-missing',
      objects: [{ name: 'web' }],
    });
    const harmless = await ask(`delete csidriver/${driver}`, objects);
    expect(harmless.verdict).toBe('safe');
  });

  it('blocks a pending claim whose class goes', async () => {
    const claim = make(
      'PersistentVolumeClaim',
      'later',
      {
        spec: { storageClassName: 'fast', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        status: { phase: 'Pending' },
      },
      { namespace: 'shop' },
    );
    const report = await ask('delete sc/fast', [...twoNodes, claim]);
    expect(find(report, 'broken')).toMatchObject({ cause: 'sc-missing', objects: [{ name: 'later' }] });
  });
});

describe('what-if upgrade', () => {
  it('says only what this cluster uses', async () => {
    const git = { volumes: [{ name: 'code', gitRepo: { repository: 'https://git.example.com/x' } }] };
    const report = await ask('upgrade 1.37', [...twoNodes, pod('builder', 'node-a', { spec: git })]);
    expect(brief(report)).toEqual([]);
    const old = { ...cluster([...twoNodes, pod('builder', 'node-a', { spec: git })]), serverVersion: 'v1.32.0' };
    const [operation] = await parseOperations(['upgrade', '1.33'], { namespace: 'shop', replicas: [], manifests: [] });
    const before = operation && whatIf(old, [operation], 'shop').report;
    expect(before && find(before, 'cannot-restart')).toMatchObject({
      cause: 'gitrepo-disabled',
      objects: [{ name: 'builder' }],
    });
  });

  it('cannot tell when the version of the cluster is not known', async () => {
    const { serverVersion: _version, ...rest } = cluster([make('Node', 'node-a')]);
    const [operation] = await parseOperations(['upgrade', 'v1.37.1'], {
      namespace: 'shop',
      replicas: [],
      manifests: [],
    });
    expect(operation && whatIf(rest, [operation], 'shop').report.verdict).toBe('unknown');
  });
});

describe('names that do not exist', () => {
  it.each([
    ['drain nod-a', 'nod-a', ['node-a']],
    ['lose zone=zoen-a', 'zone=zoen-a', ['zone=zone-a']],
    ['delete pvc/dat', 'dat', ['data']],
  ])('%s', async (words, wanted, near) => {
    const operations = await parseOperations(words.split(' '), { namespace: 'shop', replicas: [], manifests: [] });
    const { misnomers, report } = whatIf(
      cluster([...twoNodes, ...node('node-z', 'zone-a'), ...volume('data', 'a')]),
      operations,
      'shop',
    );
    expect(misnomers).toMatchObject([{ wanted, near }]);
    expect(report.effects).toEqual([]);
  });
});

describe('words that are no operation', () => {
  it.each([
    [[], /no operation was given/],
    [['drian', 'node-a'], /operation "drian" does not exist/],
    [['drain'], /"drain" needs something to act on/],
    [['drain', 'node-a', '+'], /nothing on one side of "\+"/],
    [['drain', 'pvc/data'], /"drain" acts on nodes/],
    [['lose', 'zone='], /has no value/],
    [['delete', 'data'], /is not TYPE\/NAME/],
    [['scale', 'deploy/web'], /needs --replicas/],
    [['apply'], /no manifest was given/],
    [['upgrade', 'soon'], /is not a Kubernetes version/],
  ])('%j', async (words, message) => {
    await expect(parseOperations(words, { namespace: 'shop', replicas: [], manifests: [] })).rejects.toThrow(message);
  });

  it('refuses a flag that belongs to no operation', async () => {
    await expect(
      parseOperations(['drain', 'node-a'], { namespace: 'shop', replicas: ['0'], manifests: [] }),
    ).rejects.toThrow(/--replicas belongs to "scale"/);
  });
});
