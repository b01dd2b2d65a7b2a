import { describe, expect, it } from 'vitest';
import { whatIf } from '../../../src/commands/what-if/answer.ts';
import { parseOperations } from '../../../src/commands/what-if/parse.ts';
import { renderWhatIf } from '../../../src/commands/what-if/text.ts';
import type { RawObject } from '../../../src/core/kube/snapshot.ts';
import type { WhatIfReport } from '../../../src/core/report/what-if.ts';
import { cluster, make, node, pod, volume } from './small-cluster.ts';

const twoNodes = [...node('node-a', 'a'), ...node('node-b', 'b')];

async function ask(
  words: string,
  objects: readonly RawObject[],
  { denied = [], replicas = [] }: { readonly denied?: readonly string[]; readonly replicas?: readonly string[] } = {},
): Promise<WhatIfReport> {
  const operations = await parseOperations(words.split(' '), { namespace: 'shop', replicas, manifests: [] });
  return whatIf(cluster(objects, denied), operations, 'shop').report;
}

const without = (kind: string, name: string, objects: readonly RawObject[]): RawObject[] =>
  objects.filter((object) => object.kind !== kind || object.metadata.name !== name);

describe('an upgrade that is none, or that nobody knows', () => {
  it('does not call an older version safe', async () => {
    const report = await ask('upgrade 1.20', twoNodes);
    expect(report.verdict).toBe('breaks');
    expect(report.effects).toMatchObject([{ effect: 'refused', summary: expect.stringContaining('downgrade') }]);
  });

  it('says that the cluster has the version already', async () => {
    const report = await ask('upgrade 1.36', twoNodes);
    expect(report.verdict).toBe('safe');
    expect(report.effects).toMatchObject([{ summary: expect.stringContaining('has 1.36 already') }]);
  });

  it('cannot tell what a version changes that is newer than its rules', async () => {
    const report = await ask('upgrade 1.38', twoNodes);
    expect(report.verdict).toBe('unknown');
  });
});

describe('a drain', () => {
  const budget = (status: object, spec: object = {}): RawObject =>
    make(
      'PodDisruptionBudget',
      'guard',
      { spec: { selector: { matchLabels: { app: 'web' } }, ...spec }, status },
      { namespace: 'shop' },
      'policy/v1',
    );
  const unready = {
    ...pod('web', 'node-a'),
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] },
  };
  const unmet = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 1, expectedPods: 2 };

  it('hangs on a pod that is not ready while its budget is not met', async () => {
    const report = await ask('drain node-a', [...twoNodes, unready, budget(unmet)]);
    expect(report.verdict).toBe('breaks');
    expect(report.effects[0]).toMatchObject({ effect: 'refused', objects: [{ name: 'guard' }, { name: 'web' }] });
  });

  it.each([
    ['the budget is met without it', budget({ ...unmet, currentHealthy: 1 })],
    ['the budget lets pods go that are not ready', budget(unmet, { unhealthyPodEvictionPolicy: 'AlwaysAllow' })],
  ])('does not hang on such a pod where %s', async (_where, guard) => {
    expect((await ask('drain node-a', [...twoNodes, unready, guard])).verdict).toBe('safe');
  });

  it.each([
    ['does not exist', without('PersistentVolumeClaim', 'data', volume('data', undefined, 'node-a'))],
    ['has lost its volume', without('PersistentVolume', 'pv-data', volume('data', undefined, 'node-a'))],
    [
      'is being deleted',
      volume('data', undefined, 'node-a').map((object) =>
        object.kind === 'PersistentVolumeClaim'
          ? { ...object, metadata: { ...object.metadata, deletionTimestamp: '2026-05-06T06:00:00Z' } }
          : object,
      ),
    ],
  ])('does not say that a pod moves whose claim %s', async (_what, objects) => {
    const report = await ask('drain node-a', [...twoNodes, pod('db', 'node-a', { claim: 'data' }), ...objects]);
    expect(report.verdict).toBe('breaks');
    expect(report.summary).toMatchObject({ notStarting: 1, moving: 0 });
  });

  it('cannot tell whether a pod starts where the only node has no CSINode', async () => {
    const report = await ask('drain node-a', [
      ...without('CSINode', 'node-b', twoNodes),
      pod('db', 'node-a', { claim: 'data' }),
      ...volume('data', undefined, 'node-a'),
    ]);
    expect(report.verdict).not.toBe('safe');
  });

  it('cannot tell where one of several nodes lacks the driver', async () => {
    const report = await ask('drain node-a', [
      ...twoNodes,
      ...without('CSINode', 'node-c', node('node-c', 'c')),
      make('CSINode', 'node-c', { spec: { drivers: [] } }, {}, 'storage.k8s.io/v1'),
      pod('db', 'node-a', { claim: 'data' }),
      ...volume('data', undefined, 'node-a'),
    ]);
    expect(report.verdict).toBe('unknown');
  });

  it('does not print that nothing changes while it has not read the pods', async () => {
    const report = await ask('drain node-a', twoNodes, { denied: ['Pod'] });
    const text = renderWhatIf(report, { width: 100, color: 'never', isTerminal: false } as never);
    expect(text).not.toContain('Nothing related to storage would change');
    expect(text).toContain('Cannot tell');
  });
});

describe('a workload that is scaled up', () => {
  const web = make(
    'Deployment',
    'web',
    {
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] },
        },
      },
    },
    { namespace: 'shop' },
    'apps/v1',
  );

  it('finds that not all new pods have room', async () => {
    const report = await ask('scale deploy/web', [...twoNodes, web], { replicas: ['11'] });
    expect(report.verdict).toBe('breaks');
    expect(report.effects[0]).toMatchObject({ effect: 'cannot-start', confidence: 'likely' });
    expect(report.effects[0]?.objects).toHaveLength(2);
    expect((await ask('scale deploy/web', [...twoNodes, web], { replicas: ['9'] })).verdict).toBe('safe');
  });

  it('cannot tell whether new pods and displaced ones fit together', async () => {
    const report = await ask('scale deploy/web + drain node-a', [...twoNodes, web, pod('db', 'node-a')], {
      replicas: ['6'],
    });
    expect(report.verdict).toBe('unknown');
  });

  it('cannot tell about more pods than it plays through', async () => {
    const nodes = ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((name) => node(`node-${name}`, name));
    expect((await ask('scale deploy/web', [...nodes, web], { replicas: ['22'] })).verdict).toBe('unknown');
  });
});

describe('manifests of which none could be judged', () => {
  const apply = (apiVersion: string, kind: string): WhatIfReport => {
    const object = { apiVersion, kind, metadata: { name: 'one' } };
    const manifests = [{ object, place: { file: 'one.yaml', document: 1, line: 1 }, lines: {} }];
    return whatIf(cluster(twoNodes), [{ verb: 'apply', text: 'apply', manifests }], 'shop').report;
  };

  it('may do anything where only their own controller knows them', () => {
    expect(apply('pools.example.com/v1', 'Pool').verdict).toBe('unknown');
  });

  it('do nothing to storage where they are known to be about something else', () => {
    expect(apply('v1', 'Service').verdict).toBe('safe');
  });
});
