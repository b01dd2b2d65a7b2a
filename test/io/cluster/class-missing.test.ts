import { expect, it, onTestFinished } from 'vitest';
import { collect } from '../../../src/io/cluster/collect.ts';
import { scanStuck } from '../../../src/io/cluster/scan-stuck.ts';
import { connect } from '../../../src/io/cluster/connect.ts';
import { diagnose } from '../../../src/core/engine/diagnose.ts';
import type { RawObject } from '../../../src/core/kube/snapshot.ts';
import type { Selection } from '../../../src/core/kube/selection.ts';
import { resources } from '../../../src/core/kube/resources.ts';
import { startApiServer } from '../../../src/sim/api-server.ts';

const volume = (name: string, className: string, isBound: boolean): RawObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name, uid: name },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    storageClassName: className,
    ...(isBound && { claimRef: { namespace: 'other', name, uid: `claim-${name}` } }),
  },
  status: { phase: isBound ? 'Bound' : 'Available' },
});
const claim: RawObject = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'shop', name: 'cart', uid: 'cart', creationTimestamp: '2026-05-06T06:08:09Z' },
  spec: {
    storageClassName: 'manual',
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '5Gi' } },
  },
  status: { phase: 'Pending' },
};
const many = Array.from({ length: 600 }, (_, index) => volume(`pvc-${String(index).padStart(4, '0')}`, 'fast', true));
const selection: Selection = { targets: [{ kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'cart' }] };

/** The item of the claim, and how many requests read volumes. */
async function judge(volumes: readonly RawObject[]) {
  const { reader, server } = await serve([claim, ...volumes]);
  const snapshot = await collect(reader, [], (read) => diagnose(read, selection).needs);
  const limits = server.requests
    .filter(({ path }) => path.endsWith('/persistentvolumes'))
    .map(({ query }) => query['limit']);
  return { item: diagnose(snapshot, selection).report.items[0], limits };
}

async function serve(objects: readonly RawObject[]) {
  const server = await startApiServer({
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Snapshot',
    takenAt: '2026-05-06T07:08:09Z',
    source: { type: 'cluster', name: 'test' },
    serverVersion: 'v1.37.1',
    objects,
    observations: resources.map(({ kind }) => ({ kind, scope: {}, state: 'complete' })),
  });
  const reader = await connect({ server: server.url }, { variables: { HOME: '/nonexistent' } });
  onTestFinished(async () => {
    reader.close();
    await server.close();
  });
  return { reader, server };
}

it('a missing class is proven without reading all volumes, and it is said that others were not searched', async () => {
  const { item, limits } = await judge(many);
  expect(item).toMatchObject({ status: 'blocked', cause: 'sc-missing' });
  expect(item?.findings[0]).toMatchObject({ confidence: 'certain' });
  expect(item?.findings[0]?.fix.at(-1)?.text).toContain('only the first volumes of the cluster were searched');
  expect(limits).toEqual(['500']);
});

it('where the first volumes are all there are, nothing is left to search', async () => {
  const { item } = await judge(many.slice(0, 400));
  expect(item?.cause).toBe('sc-missing');
  expect(JSON.stringify(item)).not.toContain('only the first volumes');
});

it('a volume of the class among the first makes it a mere name, and all volumes are compared', async () => {
  const { item, limits } = await judge([volume('landing', 'manual', false), ...many]);
  expect(item).toMatchObject({ status: 'blocked', cause: 'pv-capacity-too-small' });
  expect(limits).toContain('5000');
});

it('a search of everything reads the table of volumes once, also where a claim could bind to some of them', async () => {
  const bound = Array.from({ length: 1200 }, (_, index): RawObject => ({
    ...claim,
    metadata: { ...claim.metadata, name: `bound-${index}`, uid: `bound-${index}` },
    spec: { ...(claim['spec'] as object), volumeName: `pvc-${index}` },
    status: { phase: 'Bound' },
  }));
  const free = volume('a-free', 'manual', false);
  const { reader, server } = await serve([claim, ...bound, ...many, free]);
  const everything: Selection = { breadth: 'everything' };
  const initial = await scanStuck(reader, everything);
  const snapshot = await collect(reader, [], (read) => diagnose(read, everything).needs, { initial });
  const [item] = diagnose(snapshot, everything).report.items;
  expect(item).toMatchObject({ target: { name: 'cart' }, cause: 'pv-capacity-too-small' });
  expect(JSON.stringify(item)).toContain('a-free');
  const tables = server.requests.filter(
    ({ path, query }) => path.endsWith('/persistentvolumes') && query['includeObject'] === 'None',
  );
  expect(tables).toHaveLength(1);
});
