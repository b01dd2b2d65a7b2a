import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../../../src/io/cluster/connect.ts';
import { collect } from '../../../src/io/cluster/collect.ts';
import type { ClusterReader } from '../../../src/io/cluster/reader.ts';
import { scanStuck } from '../../../src/io/cluster/scan-stuck.ts';
import { candidateScope } from '../../../src/core/kube/snapshot.ts';
import type { RawObject } from '../../../src/core/kube/snapshot.ts';
import { resources } from '../../../src/core/kube/resources.ts';
import { startApiServer } from '../../../src/sim/api-server.ts';
import type { Faults } from '../../../src/sim/faults.ts';

async function readerOf(objects: readonly RawObject[], faults: Faults = {}): Promise<ClusterReader> {
  return (await serve(objects, faults)).reader;
}

async function serve(objects: readonly RawObject[], faults: Faults = {}) {
  const server = await startApiServer(
    {
      apiVersion: 'csi.kubectl.dev/v1',
      kind: 'Snapshot',
      takenAt: '2026-05-06T07:08:09Z',
      source: { type: 'cluster', name: 'test' },
      serverVersion: 'v1.37.1',
      objects,
      observations: resources.map(({ kind }) => ({ kind, scope: {}, state: 'complete' })),
    },
    { faults },
  );
  const reader = await connect({ server: server.url }, { variables: { HOME: '/nonexistent' } });
  onTestFinished(async () => {
    reader.close();
    await server.close();
  });
  return { reader, server };
}

const claim = (
  namespace: string,
  name: string,
  phase: string,
  labels: Readonly<Record<string, string>> = {},
): RawObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace, name, uid: `${namespace}-${name}`, labels },
  spec: { storageClassName: 'fast', ...(phase === 'Bound' && { volumeName: `pv-${namespace}-${name}` }) },
  status: { phase },
});
const namesOf = (objects: readonly RawObject[], kind: string): string[] =>
  objects
    .filter((object) => object.kind === kind)
    .map(({ metadata: { namespace, name } }) => `${namespace ?? ''}/${name}`)
    .sort();

/** Of a list that is shorter, all objects are read at once. */
const others = Array.from({ length: 60 }, (_, index) => `other-${index}`);

describe('a search, where several objects have one name', () => {
  it('does not take two claims that were read twice for four', async () => {
    const reader = await readerOf([
      claim('a', 'data', 'Pending'),
      claim('b', 'data', 'Pending'),
      claim('c', 'logs', 'Bound'),
      claim('d', 'logs', 'Bound'),
      ...others.map((name) => claim('e', name, 'Bound')),
    ]);
    const { objects, observations } = await scanStuck(reader);
    expect(namesOf(objects, 'PersistentVolumeClaim')).toEqual(['a/data', 'b/data']);
    expect(observations).toContainEqual(
      expect.objectContaining({ kind: 'PersistentVolumeClaim', scope: {}, state: 'partial', looked: 64 }),
    );
  });

  it('reads every set that lacks pods, however many of its name lack others', async () => {
    const set = (name: string, ready: number): RawObject => ({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { namespace: `n${ready}`, name, uid: `n${ready}-${name}` },
      spec: { replicas: 5 },
      status: { replicas: 5, readyReplicas: ready },
    });
    const sets = [...[1, 2, 3, 5].map((ready) => set('web', ready)), ...others.map((name) => set(name, 5))];
    expect(namesOf((await scanStuck(await readerOf(sets))).objects, 'StatefulSet')).toEqual([
      'n1/web',
      'n2/web',
      'n3/web',
    ]);
  });

  it('reads a short list at once where many of its objects are stuck, and a few of a longer one by name', async () => {
    const stuck = ['x', 'y', 'z', 'w'].map((name) => claim('a', name, 'Pending'));
    const short = await scanStuck(await readerOf([...stuck, claim('a', 'data', 'Bound')]));
    expect(namesOf(short.objects, 'PersistentVolumeClaim')).toHaveLength(5);
    expect(short.observations).toContainEqual({ kind: 'PersistentVolumeClaim', scope: {}, state: 'complete' });
    const long = await scanStuck(await readerOf([...stuck, ...others.map((name) => claim('b', name, 'Bound'))]));
    expect(namesOf(long.objects, 'PersistentVolumeClaim')).toHaveLength(4);
  });

  it('reads many stuck claims by name where pods show their namespaces, and all claims only where they do not', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `stuck-${index}`);
    const bound = Array.from({ length: 1400 }, (_, index) => claim('b', `bound-${index}`, 'Bound'));
    const pods = names.map((name): RawObject => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'a', name, uid: `pod-${name}` },
      spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: name } }] },
      status: { phase: 'Pending' },
    }));
    const claims = [...names.map((name) => claim('a', name, 'Pending')), ...bound];
    const wholeLists = async (objects: readonly RawObject[]) => {
      const { reader, server } = await serve(objects);
      expect(namesOf((await scanStuck(reader)).objects, 'PersistentVolumeClaim')).toHaveLength(60);
      return server.requests.filter(
        ({ path, query }) =>
          path === '/api/v1/persistentvolumeclaims' && !query['includeObject'] && !query['fieldSelector'],
      ).length;
    };
    expect(await wholeLists([...claims, ...pods])).toBe(0);
    expect(await wholeLists(claims)).toBeGreaterThan(0);
  });

  it('reads many stuck claims without pods where their neighbours are, and searches for those that are elsewhere', async () => {
    const stuck = ['a', 'c', 'e'].flatMap((namespace) =>
      Array.from({ length: 40 }, (_, index) => ({ namespace, name: `${namespace}-${100 + index}`, index })),
    );
    const pods = stuck
      .filter(({ index }) => index % 5 > 1)
      .map(({ namespace, name }): RawObject => ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { namespace, name, uid: `pod-${name}` },
        spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: name } }] },
        status: { phase: 'Pending' },
      }));
    const alone = claim('b', 'alone', 'Pending');
    const namesake = [claim('a', 'alone', 'Bound'), claim('c', 'a-101', 'Bound')];
    const bound = Array.from({ length: 2600 }, (_, index) => claim('d', `bound-${index}`, 'Bound'));
    const claims = stuck.map(({ namespace, name }) => claim(namespace, name, 'Pending'));
    const { reader, server } = await serve([...claims, ...pods, ...bound, ...namesake, alone]);
    const { objects, observations } = await scanStuck(reader);
    expect(namesOf(objects, 'PersistentVolumeClaim')).toEqual(namesOf([...claims, alone], 'PersistentVolumeClaim'));
    expect(observations).toContainEqual(expect.objectContaining({ kind: 'PersistentVolumeClaim', state: 'partial' }));
    const lists = server.requests.filter(
      ({ path, query }) => path === '/api/v1/persistentvolumeclaims' && !query['includeObject'],
    );
    expect([...new Set(lists.map(({ query }) => query['fieldSelector']))]).toEqual(['metadata.name=alone']);
  });

  it('takes a claim that a pod names only if the labels select it', async () => {
    const pod: RawObject = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { namespace: 'a', name: 'p', uid: 'p', labels: { app: 'x' } },
      spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] },
      status: { phase: 'Pending' },
    };
    const reader = await readerOf([claim('a', 'data', 'Pending'), claim('b', 'data', 'Pending', { app: 'x' }), pod]);
    expect(namesOf((await scanStuck(reader, { labelSelector: 'app=x' })).objects, 'PersistentVolumeClaim')).toEqual([
      'b/data',
    ]);
  });
});

it('volumes that could not be read are not taken for volumes that do not exist', async () => {
  const volume: RawObject = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'pv1', uid: 'pv1' },
    spec: { storageClassName: 'manual', capacity: { storage: '1Gi' } },
    status: { phase: 'Available' },
  };
  const scope = candidateScope('manual');
  const ask = async (faults: Faults) =>
    (
      await collect(
        await readerOf([volume], faults),
        [{ kind: 'PersistentVolume', scope, needed: 'which volumes would fit' }],
        () => [],
      )
    ).observations.find((observation) => observation.scope.fieldSelector === scope.fieldSelector)?.state;
  expect(await ask({})).toBe('complete');
  expect(await ask({ deny: (kind, verb) => kind === 'PersistentVolume' && verb === 'get' })).toBe('denied');
});
