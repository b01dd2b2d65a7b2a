import { expect, it, onTestFinished } from 'vitest';
import { foreseer } from '../../src/cli/diagnosis/foresee-fixes.ts';
import { diagnose } from '../../src/core/engine/diagnose.ts';
import { proveFixes } from '../../src/core/engine/fixes/prove-fixes.ts';
import type { Selection } from '../../src/core/kube/selection.ts';
import type { RawObject } from '../../src/core/kube/snapshot.ts';
import { collect } from '../../src/io/cluster/collect.ts';
import { connect } from '../../src/io/cluster/connect.ts';
import { startApiServer } from '../../src/sim/api-server.ts';
import { demoSnapshot } from '../../src/sim/demo/demo-snapshot.ts';

const selection: Selection = { targets: [{ kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'cart' }] };
const many = Array.from({ length: 600 }, (_, index): RawObject => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: `bulk-${String(index).padStart(4, '0')}`, uid: `bulk-${index}` },
  spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], storageClassName: 'bulk' },
  status: { phase: 'Available' },
}));

/** A claim of a class that binds at once could take any of the volumes; a pod's volume is provisioned. */
const atOnce = (object: RawObject): RawObject =>
  object.kind === 'StorageClass' ? { ...object, volumeBindingMode: 'Immediate' } : object;

/** The demo's claim without a class: what its fix leads to, and which collections were read for it. */
async function ask({ isDistant, isLarge = false }: { readonly isDistant: boolean; readonly isLarge?: boolean }) {
  const demo = demoSnapshot(new Date('2026-05-06T07:08:09Z'));
  const objects = isLarge ? [...demo.objects.map(atOnce), ...many] : demo.objects;
  const server = await startApiServer({ ...demo, objects });
  const reader = await connect({ server: server.url }, { variables: { HOME: '/nonexistent' } });
  onTestFinished(async () => {
    reader.close();
    await server.close();
  });
  const foresee = foreseer(() => isDistant);
  const classes = { kind: 'StorageClass', scope: {}, needed: 'which classes exist' } as const;
  const snapshot = await collect(reader, [classes], async (read) => (await foresee(diagnose(read, selection))).needs);
  const [item] = proveFixes(diagnose(snapshot, selection).report, snapshot).items;
  return {
    after: item?.findings[0]?.fix[0]?.after?.status,
    read: new Set(server.requests.map(({ path }) => path.slice(path.lastIndexOf('/') + 1))),
  };
}

it.each([false, true])('the outcome of a fix is the same from a distant server: %s', async (isDistant) => {
  expect((await ask({ isDistant })).after).toBe('healthy');
});

it('a near server with too many volumes is not asked for what an outcome would need besides', async () => {
  const { after, read } = await ask({ isDistant: false, isLarge: true });
  expect(after).toBeUndefined();
  expect(read).toContain('persistentvolumes');
  expect([...read].filter((name) => ['nodes', 'csinodes', 'leases'].includes(name))).toEqual([]);
});
