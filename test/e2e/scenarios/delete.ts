import type { KubernetesObject } from '../cluster/api.ts';
import { deleted, sidecarIsProcess, sidecarStarts, storageTeam } from './plans.ts';
import type { Scenario } from './scenario.ts';
import type { World } from './world.ts';

/** The claim goes, its volume stays Released, and the volume is asked about. */
async function release(world: World, volume: KubernetesObject): Promise<void> {
  world.target = `pv/${volume.metadata.name}`;
  await world.remove('v1', 'PersistentVolumeClaim', 'data');
  await world.until(
    'the volume to be Released',
    60,
    async () => (await world.api.get(volume))?.['status']?.phase === 'Released' || undefined,
  );
}

export const deleteScenarios: readonly Scenario[] = [
  {
    name: 'claim-in-use',
    phase: 'delete',
    command: 'why',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'pvc-terminating-in-use',
    mustMention: ['app'],
    smoke: true,
    note: 'The claim was deleted while a pod uses it.',
    break: async (world) => {
      await world.boundClaim('data');
      await world.pod('app', ['data']);
      await world.running('app');
      await world.remove('v1', 'PersistentVolumeClaim', 'data');
    },
  },
  {
    name: 'claim-foreign-finalizer',
    phase: 'delete',
    command: 'why',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'pvc-terminating-foreign-finalizer',
    mustMention: ['e2e.test/backup'],
    patience: 90,
    note: 'The claim was deleted, and a finalizer of somebody else holds it.',
    fix: {
      human: {
        knows: 'Deployment backup in the same namespace removes the finalizer once it runs.',
        values: ({ namespace }) => ({ PLACEHOLDER_NAMESPACE: namespace, PLACEHOLDER_WORKLOAD: 'deployment/backup' }),
        acts: (world) => world.mend(),
      },
      reaches: deleted,
    },
    break: async (world) => {
      await world.boundClaim('data');
      await world.api.patch(world.object('v1', 'PersistentVolumeClaim', 'data'), {
        metadata: { finalizers: ['kubernetes.io/pvc-protection', 'e2e.test/backup'] },
      });
      const { volumes: _, ...template } = world.podSpec([]);
      await world.make({
        ...world.object('apps/v1', 'Deployment', 'backup'),
        spec: {
          replicas: 0,
          selector: { matchLabels: { app: 'backup' } },
          template: { metadata: { labels: { app: 'backup' } }, spec: template },
        },
      });
      await world.remove('v1', 'PersistentVolumeClaim', 'data');
      world.mend = () =>
        world.api
          .patch(world.object('v1', 'PersistentVolumeClaim', 'data'), { metadata: { finalizers: null } })
          .catch(() => {});
      world.later(async () => {
        await world.mend();
      });
    },
  },
  {
    name: 'volume-terminating-bound',
    phase: 'delete',
    command: 'why',
    target: 'pv/…',
    status: 'blocked',
    cause: 'pv-terminating-bound',
    mustMention: ['data'],
    note: 'The volume was deleted while a claim is bound to it.',
    break: async (world) => {
      const volume = await world.boundClaim('data');
      world.target = `pv/${volume.metadata.name}`;
      await world.api.remove(volume);
    },
  },
  {
    name: 'delete-refused',
    phase: 'delete',
    command: 'why',
    target: 'pv/…',
    status: 'blocked',
    cause: 'pv-delete-rpc-failed',
    mustMention: ['the volume has snapshots'],
    toldByEvents: true,
    patience: 120,
    note: 'DeleteVolume is refused by the driver.',
    fix: storageTeam('The storage team deletes the snapshots of the volume.', { reaches: deleted, patience: 400 }),
    break: async (world) => {
      const volume = await world.boundClaim('data');
      world.refuse('DeleteVolume', 9, 'the volume has snapshots', volume['spec'].csi.volumeHandle as string);
      await release(world, volume);
    },
  },
  {
    name: 'delete-provisioner-down',
    phase: 'delete',
    command: 'why',
    target: 'pv/…',
    status: 'blocked',
    cause: 'provisioner-not-running',
    wrong: ['pv-released-retain'],
    patience: 200,
    note: 'The claim is gone, and the provisioner that should delete the volume is not running.',
    fix: {
      instead: { reason: sidecarIsProcess, play: (world) => world.mend() },
      lingers: sidecarStarts,
      reaches: deleted,
    },
    break: async (world) => {
      const { driver, storageClassName } = await world.ownDriver({ name: 'lasting.csi.test' });
      const volume = await world.boundClaim('data', storageClassName);
      await driver.stopSidecar('csi-provisioner');
      world.mend = () => driver.startSidecar('csi-provisioner');
      await release(world, volume);
    },
  },
  {
    name: 'delete-provisioner-scaled-down',
    phase: 'delete',
    command: 'why',
    target: 'pv/…',
    status: 'blocked',
    cause: 'provisioner-not-running',
    mustMention: ['csi-lingering-controller'],
    patience: 200,
    note: 'The claim is gone, and the Deployment of the provisioner that should delete the volume is scaled to zero.',
    fix: { lingers: sidecarStarts, reaches: deleted },
    break: async (world) => {
      const { driver, storageClassName } = await world.deployedDriver({ name: 'lingering.csi.test' });
      const volume = await world.boundClaim('data', storageClassName);
      await driver.deployment.scale(0);
      await release(world, volume);
    },
  },
  {
    name: 'volume-retained',
    phase: 'delete',
    command: 'why',
    target: 'pv/…',
    status: 'waiting',
    cause: 'pv-released-retain',
    note: 'Nothing is wrong: the volume is kept, as its policy says.',
    break: async (world) => {
      await world.storageClass('e2e-retained', world.cluster.driver.name, { reclaimPolicy: 'Retain' });
      await release(world, await world.boundClaim('data', 'e2e-retained'));
    },
  },
];
