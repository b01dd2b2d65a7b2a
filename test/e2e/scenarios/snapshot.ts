import type { KubernetesObject } from '../cluster/api.ts';
import { sidecarIsProcess, sidecarStarts, storageTeam } from './plans.ts';
import type { Scenario } from './scenario.ts';
import type { World } from './world.ts';

function snapshot(
  world: World,
  volumeSnapshotClassName: string | undefined,
  persistentVolumeClaimName = 'data',
): Promise<KubernetesObject> {
  return world.make({
    ...world.object('snapshot.storage.k8s.io/v1', 'VolumeSnapshot', 'nightly'),
    spec: {
      ...(volumeSnapshotClassName !== undefined && { volumeSnapshotClassName }),
      source: { persistentVolumeClaimName },
    },
  });
}

function ready(world: World): Promise<unknown> {
  return world.until(
    'the snapshot to be ready',
    120,
    async () =>
      (await world.api.get(world.object('snapshot.storage.k8s.io/v1', 'VolumeSnapshot', 'nightly')))?.['status']
        ?.readyToUse === true || undefined,
  );
}

function snapshotClass(world: World, name: string, driver: string): Promise<KubernetesObject> {
  return world.make({
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata: { name },
    driver,
    deletionPolicy: 'Delete',
  });
}

function complained(world: World): Promise<unknown> {
  return world.until(
    'the controller to complain',
    60,
    async () =>
      (await world.api.get(world.object('snapshot.storage.k8s.io/v1', 'VolumeSnapshot', 'nightly')))?.['status']
        ?.error !== undefined || undefined,
  );
}

export const snapshotScenarios: readonly Scenario[] = [
  {
    name: 'snapshot-healthy',
    phase: 'snapshot',
    command: 'why',
    target: 'vs/nightly',
    status: 'healthy',
    cause: null,
    note: 'Nothing is wrong: the snapshot is ready.',
    break: async (world) => {
      await world.boundClaim('data');
      await snapshot(world, 'snapshots');
      await ready(world);
    },
  },
  {
    name: 'snapshot-class-missing',
    phase: 'snapshot',
    command: 'why',
    target: 'vs/nightly',
    status: 'blocked',
    cause: 'snap-class-missing',
    mustMention: ['e2e-hourly'],
    smoke: true,
    patience: 90,
    note: 'The snapshot names a class that does not exist.',
    break: async (world) => {
      await world.boundClaim('data');
      await snapshot(world, 'e2e-hourly');
      await complained(world);
    },
    heal: async (world) => {
      await snapshotClass(world, 'e2e-hourly', world.cluster.driver.name);
      await ready(world);
    },
  },
  {
    name: 'snapshot-no-default-class',
    phase: 'snapshot',
    command: 'why',
    target: 'vs/nightly',
    status: 'blocked',
    cause: 'snap-default-class-none',
    mustMention: ['plain.csi.test'],
    patience: 90,
    note: 'The snapshot names no class, and no class of its driver is the default.',
    break: async (world) => {
      const { driver, storageClassName } = await world.ownDriver({ name: 'plain.csi.test', snapshotter: true });
      await snapshotClass(world, 'e2e-plain', driver.name);
      await world.boundClaim('data', storageClassName);
      await snapshot(world, undefined);
      await complained(world);
    },
  },
  {
    name: 'snapshot-class-foreign',
    phase: 'snapshot',
    command: 'why',
    target: 'vs/nightly',
    status: 'blocked',
    cause: 'snap-class-driver-mismatch',
    mustMention: ['snapshots'],
    patience: 90,
    note: 'The class of the snapshot belongs to another driver than the volume.',
    break: async (world) => {
      await snapshotClass(world, 'e2e-foreign', 'elsewhere.csi.test');
      await world.boundClaim('data');
      await snapshot(world, 'e2e-foreign');
    },
  },
  {
    name: 'snapshot-source-missing',
    phase: 'snapshot',
    command: 'why',
    target: 'vs/nightly',
    status: 'blocked',
    cause: 'snap-source-pvc-missing',
    mustMention: ['absent'],
    patience: 90,
    note: 'The snapshot is to be taken of a claim that does not exist.',
    fix: {
      human: { knows: 'pvc/data is the claim that is meant.', values: () => ({ PLACEHOLDER_CLAIM: 'data' }) },
    },
    break: async (world) => {
      await world.boundClaim('data');
      await snapshot(world, 'snapshots', 'absent');
    },
    heal: async (world) => {
      await world.boundClaim('absent');
      await ready(world);
    },
  },
  {
    name: 'snapshot-source-waits',
    phase: 'snapshot',
    command: 'why',
    target: 'vs/nightly',
    status: 'waiting',
    cause: 'snap-source-not-bound',
    patience: 90,
    note: 'The snapshot is to be taken of a claim that waits for its first pod.',
    fix: { human: { knows: 'The application is started.', acts: (world) => world.pod('app', ['data']) } },
    break: async (world) => {
      await world.claim('data', 'fast-wffc');
      await snapshot(world, 'snapshots');
    },
    heal: async (world) => {
      await world.pod('app', ['data']);
      await ready(world);
    },
  },
  {
    name: 'snapshotter-down',
    phase: 'snapshot',
    command: 'why',
    target: 'vs/nightly',
    status: 'blocked',
    cause: 'snap-sidecar-down',
    patience: 200,
    note: 'The driver has no snapshotter: a content is made, and nothing happens to it.',
    fix: { instead: { reason: sidecarIsProcess, play: (world) => world.mend() }, lingers: sidecarStarts },
    break: async (world) => {
      const { driver, storageClassName } = await world.ownDriver({ name: 'blurred.csi.test' });
      await snapshotClass(world, 'e2e-blurred', driver.name);
      await world.boundClaim('data', storageClassName);
      await snapshot(world, 'e2e-blurred');
      world.mend = () => driver.startSidecar('csi-snapshotter');
    },
    heal: async (world) => {
      await world.mend();
      await ready(world);
    },
  },
  {
    name: 'snapshotter-scaled-down',
    phase: 'snapshot',
    command: 'why',
    target: 'vs/nightly',
    status: 'blocked',
    cause: 'snap-sidecar-down',
    mustMention: ['csi-shuttered-controller'],
    patience: 200,
    note: 'The Deployment of the snapshotter is scaled to zero: a content is created, and nothing happens to it.',
    fix: { lingers: sidecarStarts },
    break: async (world) => {
      const { driver, storageClassName } = await world.deployedDriver({
        name: 'shuttered.csi.test',
        snapshotter: true,
      });
      await snapshotClass(world, 'e2e-shuttered', driver.name);
      await world.boundClaim('data', storageClassName);
      await world.until('the snapshotter to lead', 60, () =>
        world.api.get({
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: {
            name: 'external-snapshotter-leader-shuttered-csi-test',
            namespace: `${world.namespace}-driver`,
          },
        }),
      );
      await driver.deployment.scale(0);
      await snapshot(world, 'e2e-shuttered');
    },
  },
  {
    name: 'snapshot-refused',
    phase: 'snapshot',
    command: 'why',
    target: 'vs/nightly',
    status: 'blocked',
    cause: 'snap-create-failed',
    mustMention: ['no room for snapshots'],
    patience: 120,
    note: 'CreateSnapshot answers that there is no room.',
    fix: storageTeam('The storage team makes room for snapshots.', { patience: 400 }),
    break: async (world) => {
      const volume = await world.boundClaim('data');
      world.refuse('CreateSnapshot', 8, 'no room for snapshots', volume['spec'].csi.volumeHandle as string);
      await snapshot(world, 'snapshots');
    },
    heal: async (world) => {
      await world.mend();
      await ready(world);
    },
  },
];
