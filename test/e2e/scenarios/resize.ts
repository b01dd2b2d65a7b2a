import type { KubernetesObject } from '../cluster/api.ts';
import { driverIsProcess, driverSaidSo, sidecarStarts } from './plans.ts';
import type { Scenario } from './scenario.ts';
import type { World } from './world.ts';

function resize(world: World, size: string): Promise<KubernetesObject> {
  return world.api.patch(world.object('v1', 'PersistentVolumeClaim', 'data'), {
    spec: { resources: { requests: { storage: size } } },
  });
}

async function grown(world: World, size: string): Promise<void> {
  await world.until(
    `the claim to be ${size}`,
    150,
    async () =>
      (await world.api.get(world.object('v1', 'PersistentVolumeClaim', 'data')))?.['status']?.capacity?.storage ===
        size || undefined,
  );
}

export const resizeScenarios: readonly Scenario[] = [
  {
    name: 'resizer-down',
    phase: 'resize',
    command: 'why',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'resize-no-resizer',
    patience: 200,
    note: 'Nobody resizes the volumes of the driver: only a Normal event says that something external should.',
    fix: {
      human: {
        knows: 'The resizer is installed as a process, and a pod mounts the volume.',
        acts: async (world) => {
          await world.mend();
          await world.pod('app', ['data']);
        },
      },
      lingers: sidecarStarts,
    },
    break: async (world) => {
      const { driver, storageClassName } = await world.ownDriver(
        { name: 'fixed.csi.test' },
        { allowVolumeExpansion: true },
      );
      await world.boundClaim('data', storageClassName);
      await resize(world, '2Gi');
      await world.event('data', 'ExternalExpanding');
      world.mend = () => driver.startSidecar('csi-resizer');
    },
    heal: async (world) => {
      await world.mend();
      await world.pod('app', ['data']);
      await grown(world, '2Gi');
    },
  },
  {
    name: 'resizer-scaled-down',
    phase: 'resize',
    command: 'why',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'resize-no-resizer',
    mustMention: ['csi-stunted-controller'],
    patience: 200,
    note: 'The Deployment of the resizer is scaled to zero.',
    fix: { lingers: sidecarStarts },
    break: async (world) => {
      const { driver, storageClassName } = await world.deployedDriver(
        { name: 'stunted.csi.test', resizer: true },
        { allowVolumeExpansion: true },
      );
      await world.boundClaim('data', storageClassName);
      await world.pod('app', ['data']);
      await world.running('app');
      await driver.deployment.scale(0);
      await resize(world, '2Gi');
      await world.event('data', 'ExternalExpanding');
    },
  },
  {
    name: 'resize-refused',
    phase: 'resize',
    command: 'why',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'resize-controller-infeasible',
    wrong: ['resize-no-resizer'],
    patience: 150,
    smoke: true,
    note: "The claim is to grow beyond the driver's largest volume; the driver itself refuses.",
    fix: {
      reaches: {
        status: 'waiting',
        cause: 'resize-fs-pending-no-pod',
        why: 'The volume has grown; no pod uses it, and its file system follows when one does.',
      },
    },
    break: async (world) => {
      await world.boundClaim('data');
      await resize(world, '2Ti');
      await world.event('data', 'VolumeResizeFailed');
    },
    heal: async (world) => {
      await resize(world, '2Gi');
      await world.pod('app', ['data']);
      await grown(world, '2Gi');
    },
  },
  {
    name: 'resize-waits-for-pod',
    phase: 'resize',
    command: 'why',
    target: 'pvc/data',
    status: 'waiting',
    cause: 'resize-fs-pending-no-pod',
    note: 'Nothing is wrong: the file system grows when a pod mounts it.',
    fix: { human: { knows: 'The application is started.', acts: (world) => world.pod('app', ['data']) } },
    break: async (world) => {
      await world.boundClaim('data');
      await resize(world, '2Gi');
      await world.event('data', 'FileSystemResizeRequired');
    },
    heal: async (world) => {
      await world.pod('app', ['data']);
      await grown(world, '2Gi');
    },
  },
  {
    name: 'node-resize-refused',
    phase: 'resize',
    command: 'why',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'resize-node-error',
    mustMention: ['resize2fs ended with 1'],
    patience: 200,
    note: 'The volume has grown and its file system cannot: NodeExpandVolume fails.',
    fix: {
      instead: {
        reason: driverIsProcess,
        play: (world) => world.mend(),
      },
      lingers: driverSaidSo,
      patience: 300,
    },
    break: async (world) => {
      const volume = await world.boundClaim('data');
      await world.pod('app', ['data']);
      await world.running('app');
      world.refuse('NodeExpandVolume', 13, 'resize2fs ended with 1', volume['spec'].csi.volumeHandle as string);
      await resize(world, '2Gi');
      await world.event('app', 'VolumeResizeFailed', '', 120);
    },
    heal: async (world) => {
      await world.mend();
      await grown(world, '2Gi');
    },
  },
];
