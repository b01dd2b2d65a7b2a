import { describe, expect, it } from 'vitest';
import { collect } from '../../../src/io/cluster/collect.ts';
import { scanStuck } from '../../../src/io/cluster/scan-stuck.ts';
import { resourceOf } from '../../../src/core/kube/resources.ts';
import type { ClusterReader, ListOptions, ListResult } from '../../../src/io/cluster/reader.ts';
import type { Kind } from '../../../src/core/kube/kinds.ts';
import { candidateScope, eventScope } from '../../../src/core/kube/snapshot.ts';
import type { Need, RawObject, Scope } from '../../../src/core/kube/snapshot.ts';

interface Rights {
  /** kind, kind@namespace or kind/get: what may not be read. */
  readonly denied?: readonly string[];
  readonly tables?: boolean;
}

/** A cluster in memory behind the reader's port, which notes what was asked. */
function cluster(
  objects: readonly RawObject[],
  { denied = [], tables = true }: Rights = {},
): { reader: ClusterReader; asked: string[] } {
  const asked: string[] = [];
  const within = (kind: Kind, scope: Scope): RawObject[] =>
    objects.filter(
      (object) =>
        object.kind === kind &&
        (scope.namespace === undefined || object.metadata.namespace === scope.namespace) &&
        (scope.name === undefined || object.metadata.name === scope.name),
    );
  const list = async (kind: Kind, scope: Scope, options: ListOptions = {}): Promise<ListResult> => {
    asked.push(`list ${kind} ${scope.namespace ?? '*'}${scope.fieldSelector ? ` ${scope.fieldSelector}` : ''}`);
    const place = scope.namespace === undefined ? kind : `${kind}@${scope.namespace}`;
    if (denied.includes(place) || denied.includes(`${kind}/list`))
      return { state: 'denied', message: `User "jo" cannot list ${resourceOf(kind).name}` };
    const found = within(kind, scope);
    const page = found.slice(0, options.limit ?? 500);
    if (options.limit !== undefined && found.length > options.limit) return { state: 'partial', objects: page };
    if (found.length > 500 && options.isEnough?.(page, found.length - 500) === true)
      return { state: 'partial', objects: page };
    return { state: 'complete', objects: found };
  };
  const reader: ClusterReader = {
    name: 'east',
    server: 'http://fake',
    namespace: 'default',
    list,
    get: async (kind, namespace, name) => {
      asked.push(`get ${kind} ${namespace ?? '*'} ${name}`);
      if (denied.includes(`${kind}/get`)) return { state: 'denied', message: 'User "jo" cannot get' };
      const object = objects.find(
        (candidate) =>
          candidate.kind === kind && candidate.metadata.name === name && candidate.metadata.namespace === namespace,
      );
      return object ? { state: 'found', object } : { state: 'missing' };
    },
    listTable: async (kind, scope, { keep = () => true } = {}) => {
      if (!tables) return list(kind, scope);
      asked.push(`table ${kind} ${scope.namespace ?? '*'}`);
      const rows = within(kind, scope).map(({ metadata, status }) => ({
        name: metadata.name,
        ...(metadata.namespace !== undefined && { namespace: metadata.namespace }),
        cells: {
          status: (status as { phase: string }).phase,
          ...(kind === 'PersistentVolume' && { storageclass: 'fast', claim: `shop/${metadata.name}` }),
        },
        metadata,
      }));
      const states = Object.fromEntries(
        [...Map.groupBy(rows, ({ cells }) => cells.status)].map(([state, group]) => [state, group.length]),
      );
      return { state: 'complete', rows: rows.filter(keep), looked: rows.length, states };
    },
    readRow: async (kind, _scope, { namespace, name }) => {
      const result = await reader.get(kind, namespace, name);
      if (result.state === 'found') return { state: 'complete', objects: [result.object] };
      return result.state === 'missing' ? { state: 'complete', objects: [] } : result;
    },
    watch: async () => undefined,
    serverVersion: async () => 'v1.36.4',
    mayI: async () => true,
    now: () => new Date('2026-11-16T00:00:00Z'),
    close: () => undefined,
  };
  return { reader, asked };
}

const object = (kind: Kind, name: string, namespace?: string, phase = 'Bound'): RawObject => ({
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  status: { phase },
});
const need = (kind: Kind, scope: Scope): Need => ({ kind, scope, needed: 'whether it exists' });
const none = (): readonly Need[] => [];

describe('collect', () => {
  it('lists a kind once instead of in each namespace, where these hold nearly all of it', async () => {
    const places = Array.from({ length: 40 }, (_, index) => `team-${index}`);
    const pod = (namespace: string, index: number): RawObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace, name: `app-${index}` },
    });
    const pods = [
      ...Array.from({ length: 40 }, (_, index) => pod('storage', index)),
      ...places.flatMap((place) => Array.from({ length: 100 }, (_, index) => pod(place, index))),
    ];
    const { reader, asked } = cluster(pods);
    const needs = places.map((namespace): Need => ({ kind: 'Pod', scope: { namespace }, needed: 'pods' }));
    const { objects } = await collect(reader, needs, () => []);
    expect(objects).toHaveLength(pods.length);
    expect(asked).toEqual(['list Pod *']);
  });

  it('reads what the diagnosis asks for until it asks no more', async () => {
    const { reader, asked } = cluster([
      object('PersistentVolumeClaim', 'data', 'shop'),
      object('StorageClass', 'fast'),
    ]);
    const snapshot = await collect(
      reader,
      [need('PersistentVolumeClaim', { namespace: 'shop', name: 'data' })],
      (so) =>
        so.objects.length === 1
          ? [need('StorageClass', { name: 'fast' })]
          : [need('StorageClass', { name: 'fast' }), need('Node', {})],
    );
    expect(asked).toEqual(['get PersistentVolumeClaim shop data', 'get StorageClass * fast', 'list Node *']);
    expect(snapshot).toMatchObject({
      takenAt: '2026-11-16T00:00:00.000Z',
      serverVersion: 'v1.36.4',
      source: { type: 'cluster', name: 'east' },
      observations: [
        { kind: 'PersistentVolumeClaim', state: 'complete' },
        { kind: 'StorageClass', state: 'complete' },
        { kind: 'Node', scope: {}, state: 'complete' },
      ],
    });
  });

  it('replaces many gets by one list', async () => {
    const { reader, asked } = cluster([object('PersistentVolume', 'pv-1')]);
    await collect(
      reader,
      Array.from({ length: 20 }, (_, at) => need('PersistentVolume', { name: `pv-${at}` })),
      none,
    );
    expect(asked).toEqual(['list PersistentVolume *']);
  });

  it('but not where the list is far longer than the names', async () => {
    const { reader, asked } = cluster(Array.from({ length: 5000 }, (_, at) => object('PersistentVolume', `pv-${at}`)));
    const snapshot = await collect(
      reader,
      Array.from({ length: 20 }, (_, at) => need('PersistentVolume', { name: `pv-${at * 250}` })),
      none,
    );
    expect(asked.filter((line) => line.startsWith('list'))).toHaveLength(1);
    expect(asked.filter((line) => line.startsWith('get'))).toHaveLength(18);
    expect(snapshot.observations.filter(({ state }) => state === 'complete')).toHaveLength(20);
  });

  it('reads of many volumes only those that a claim of some class could have', async () => {
    const volumes = [
      ...Array.from({ length: 5000 }, (_, at) => object('PersistentVolume', `pv-${at}`)),
      object('PersistentVolume', 'free', undefined, 'Available'),
    ];
    const waiting = object('PersistentVolumeClaim', 'pv-4000', 'shop', 'Pending');
    const { reader, asked } = cluster([...volumes, waiting]);
    const snapshot = await collect(
      reader,
      [need('PersistentVolumeClaim', { namespace: 'shop', name: 'pv-4000' })],
      () => [
        need('PersistentVolume', candidateScope('gone')),
        need('PersistentVolume', candidateScope('lost')),
        need('PersistentVolume', { name: 'pv-3000' }),
      ],
    );
    expect(asked.filter((line) => line.startsWith('table'))).toEqual(['table PersistentVolume *']);
    expect(asked.filter((line) => line.startsWith('get PersistentVolume *')).toSorted()).toEqual([
      'get PersistentVolume * free',
      'get PersistentVolume * pv-3000',
      'get PersistentVolume * pv-4000',
    ]);
    expect(snapshot.observations).toEqual(
      expect.arrayContaining(
        ['gone', 'lost'].map((name) => ({ kind: 'PersistentVolume', scope: candidateScope(name), state: 'complete' })),
      ),
    );
  });

  it('and all of them where the class has most of them', async () => {
    const { reader, asked } = cluster(Array.from({ length: 5000 }, (_, at) => object('PersistentVolume', `pv-${at}`)));
    const snapshot = await collect(reader, [need('PersistentVolume', candidateScope('fast'))], none);
    expect(asked.filter((line) => line.startsWith('get'))).toEqual([]);
    expect(snapshot.objects).toHaveLength(5000);
    expect(snapshot.observations).toContainEqual({ kind: 'PersistentVolume', scope: {}, state: 'complete' });
  });

  it('lists namespaces one by one where they hold little of what there is', async () => {
    const pods = Array.from({ length: 5000 }, (_, at) => object('Pod', `pod-${at}`, `ns-${Math.floor(at / 10)}`));
    const { reader, asked } = cluster(pods);
    const snapshot = await collect(
      reader,
      Array.from({ length: 20 }, (_, at) => need('Pod', { namespace: `ns-${100 + at}` })),
      none,
    );
    expect(asked.filter((line) => line !== 'list Pod *')).toHaveLength(20);
    expect(snapshot.objects).toHaveLength(700);
  });

  it('replaces lists in many namespaces by one of the cluster', async () => {
    const { reader, asked } = cluster([]);
    await collect(
      reader,
      Array.from({ length: 9 }, (_, at) => need('Pod', { namespace: `ns-${at}` })),
      none,
    );
    expect(asked).toEqual(['list Pod *']);
  });

  it('takes the namespaces one by one when the cluster may not be listed', async () => {
    const { reader, asked } = cluster([object('Pod', 'web-0', 'shop')], { denied: ['Pod'] });
    const snapshot = await collect(
      reader,
      [need('Pod', {}), need('PersistentVolumeClaim', { namespace: 'shop', name: 'data' })],
      none,
      { namespaces: ['blog'] },
    );
    expect(asked).toEqual(expect.arrayContaining(['list Pod *', 'list Pod shop', 'list Pod blog']));
    expect(snapshot.observations).toEqual(
      expect.arrayContaining([
        { kind: 'Pod', scope: {}, state: 'denied', message: 'User "jo" cannot list pods' },
        { kind: 'Pod', scope: { namespace: 'shop' }, state: 'complete' },
      ]),
    );
  });

  it('gets one by one what may not be listed, and lists what may not be got', async () => {
    const listless = cluster([object('PersistentVolume', 'pv-3')], { denied: ['PersistentVolume/list'] });
    const snapshot = await collect(
      listless.reader,
      Array.from({ length: 10 }, (_, at) => need('PersistentVolume', { name: `pv-${at}` })),
      none,
    );
    expect(snapshot.objects).toHaveLength(1);
    expect(snapshot.observations.filter(({ state }) => state === 'complete')).toHaveLength(10);
    const getless = cluster([object('StorageClass', 'fast')], { denied: ['StorageClass/get'] });
    expect((await collect(getless.reader, [need('StorageClass', { name: 'fast' })], none)).objects).toHaveLength(1);
  });

  it('does not ask twice, nor for what a broader list gave', async () => {
    const { reader, asked } = cluster([object('Node', 'a')]);
    await collect(reader, [need('Node', {}), need('Node', { name: 'a' })], () => [
      need('Node', { name: 'b' }),
      need('Node', {}),
      need('Node', { fieldSelector: 'x=y' }),
    ]);
    expect(asked).toEqual(['list Node *']);
  });

  it('ends even if the diagnosis never does', async () => {
    const { reader, asked } = cluster([]);
    let count = 0;
    await collect(reader, [], () => [need('Node', { name: `n-${count++}` })], { maxRounds: 5 });
    expect(asked).toHaveLength(4);
  });

  it('says so when nothing at all may be read', async () => {
    const { reader } = cluster([], { denied: ['Pod@shop', 'Node'] });
    await expect(collect(reader, [need('Pod', { namespace: 'shop' }), need('Node', {})], none)).rejects.toThrow(
      'the user jo may not read any of the objects that are needed in east',
    );
  });
});

describe('collect in a cluster that a search has shown to be large', () => {
  const initial = {
    objects: [],
    observations: [{ kind: 'PersistentVolumeClaim', scope: {}, state: 'partial', looked: 10_000 }],
  } as const;

  it('asks for a few names one by one, without a look at the list first', async () => {
    const { reader, asked } = cluster([object('PersistentVolume', 'pv-1')]);
    await collect(
      reader,
      Array.from({ length: 20 }, (_, at) => need('PersistentVolume', { name: `pv-${at}` })),
      none,
      { initial },
    );
    expect(asked).toHaveLength(20);
    expect(asked.every((line) => line.startsWith('get '))).toBe(true);
  });

  it('finds many volumes by name in the table', async () => {
    const { reader, asked } = cluster(Array.from({ length: 3000 }, (_, at) => object('PersistentVolume', `pv-${at}`)));
    const snapshot = await collect(
      reader,
      Array.from({ length: 60 }, (_, at) => need('PersistentVolume', { name: at < 3 ? `pv-${at}` : `pvc-${at}` })),
      none,
      { initial },
    );
    expect(asked).toEqual([
      'table PersistentVolume *',
      'get PersistentVolume * pv-0',
      'get PersistentVolume * pv-1',
      'get PersistentVolume * pv-2',
    ]);
    expect(
      snapshot.observations.filter(
        ({ kind, scope, state }) => kind === 'PersistentVolume' && scope.name !== undefined && state === 'complete',
      ),
    ).toHaveLength(60);
  });

  it('and gets them one by one where they may not be listed', async () => {
    const { reader, asked } = cluster([object('PersistentVolume', 'pv-1')], {
      denied: ['PersistentVolume/list'],
      tables: false,
    });
    const snapshot = await collect(
      reader,
      [need('PersistentVolume', candidateScope('gone')), need('PersistentVolume', { name: 'pv-1' })],
      none,
      { initial },
    );
    expect(asked).toEqual(['list PersistentVolume *', 'get PersistentVolume * pv-1']);
    expect(snapshot.objects).toHaveLength(1);
  });

  it('reads the events about many objects by their kind', async () => {
    const { reader, asked } = cluster([]);
    const events = (kind: string) =>
      Array.from({ length: 50 }, (_, at) =>
        need('Event', eventScope({ kind, metadata: { namespace: `ns-${at}`, uid: `${kind}-${at}` } })),
      );
    const snapshot = await collect(
      reader,
      [...events('PersistentVolumeClaim'), ...events('Pod')],
      () => events('Pod'),
      { initial },
    );
    expect(asked).toEqual([
      'list Event * involvedObject.kind=PersistentVolumeClaim',
      'list Event * involvedObject.kind=Pod',
    ]);
    expect(snapshot.observations).toHaveLength(3);
  });

  it('puts off what there is one of for each node until nothing else is left to ask', async () => {
    const { reader, asked } = cluster([]);
    await collect(
      reader,
      [need('CSINode', {}), need('Deployment', {})],
      (so) => (so.observations.length === 2 ? [need('CSINode', {})] : []),
      { initial },
    );
    expect(asked).toEqual(['list Deployment *', 'list CSINode *']);
  });
});

describe('some objects of a kind', () => {
  it('are so many of a long list, and all of a short one', async () => {
    for (const [count, scope] of [
      [600, { first: 50 }],
      [20, {}],
    ] as const) {
      const { reader } = cluster(Array.from({ length: count }, (_, at) => object('CSINode', `node-${at}`)));
      const snapshot = await collect(reader, [need('CSINode', { first: 50 })], none);
      expect(snapshot.objects).toHaveLength(Math.min(count, 50));
      expect(snapshot.observations).toEqual([{ kind: 'CSINode', scope, state: 'complete' }]);
    }
  });
});

describe('scanStuck', () => {
  const claims = [
    ...Array.from({ length: 60 }, (_, at) => object('PersistentVolumeClaim', `ok-${at}`, 'shop')),
    object('PersistentVolumeClaim', 'data', 'shop', 'Pending'),
  ];

  it('reads only what is not Bound', async () => {
    const { reader, asked } = cluster(claims);
    const scan = await scanStuck(reader, { namespace: 'shop' });
    expect(asked).toEqual(
      expect.arrayContaining([
        'table PersistentVolumeClaim shop',
        'list Pod shop status.phase=Pending',
        'get PersistentVolumeClaim shop data',
      ]),
    );
    expect(scan.objects.map(({ metadata }) => metadata.name)).toEqual(['data']);
    expect(scan.observations).toContainEqual({
      kind: 'PersistentVolumeClaim',
      scope: { namespace: 'shop' },
      state: 'partial',
      message: 'only what is not ready was read',
      looked: 61,
    });
  });

  it('lists claims where the server makes no tables', async () => {
    const { reader } = cluster(claims, { tables: false });
    const scan = await scanStuck(reader);
    expect(scan.objects).toHaveLength(61);
    expect(scan.observations).toContainEqual({ kind: 'PersistentVolumeClaim', scope: {}, state: 'complete' });
  });

  it('is not read again by collect', async () => {
    const { reader, asked } = cluster(claims);
    const initial = await scanStuck(reader, { namespace: 'shop' });
    const before = asked.length;
    await collect(reader, [need('PersistentVolumeClaim', { namespace: 'shop', name: 'data' })], none, { initial });
    expect(asked).toHaveLength(before);
    await collect(reader, [need('PersistentVolumeClaim', { namespace: 'shop' })], none, { initial });
    expect(asked.slice(before)).toEqual(['list PersistentVolumeClaim shop']);
  });
});
