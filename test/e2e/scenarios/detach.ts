import type { KubernetesObject } from '../cluster/api.ts';
import type { Driver } from '../storage/driver.ts';
import { onBareNode } from './first-consumer.ts';
import { sidecarIsProcess, sidecarStarts } from './plans.ts';
import type { Scenario } from './scenario.ts';
import type { World } from './world.ts';

const toRealNode = { nodeSelector: { 'kubernetes.io/hostname': 'node-a' } } as const;
const outOfService = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' } as const;

/** A pod ran on node-a and is gone; its successor is on another node, and the volume has to follow. */
async function moved(world: World, name: string, beforeItLeaves: (driver: Driver) => unknown): Promise<void> {
  const { driver, storageClassName } = await world.ownDriver({
    name: `${name}.csi.test`,
    words: ['--enable-topology=false'],
  });
  await world.boundClaim('data', storageClassName);
  await world.pod('early', ['data'], toRealNode);
  await world.running('early');
  const node = await world.bareNode(`node-${name}`);
  await node.hasDriver(driver.name, node.name);
  await beforeItLeaves(driver);
  await world.remove('v1', 'Pod', 'early');
  await world.gone('v1', 'Pod', 'early');
  await world.pod('late', ['data'], onBareNode(node.name));
  await untilDetaching(world, driver);
}

/** A pod was on another node and is gone; its successor is on node-a, and the volume has to follow. */
async function movedHere(
  world: World,
  name: string,
  beforeItLeaves: (driver: Driver) => unknown,
  isDeployed = false,
): Promise<void> {
  const options = { name: `${name}.csi.test`, words: ['--enable-topology=false'] };
  const { driver, storageClassName } = await (isDeployed ? world.deployedDriver(options) : world.ownDriver(options));
  await world.boundClaim('data', storageClassName);
  const node = await world.bareNode(`node-${name}`);
  // The driver attaches to its own node only; the machine behind both names is the same.
  await node.hasDriver(driver.name, 'node-a');
  await world.pod('early', ['data'], onBareNode(node.name));
  await world.until('the volume to be attached', 60, async () =>
    (await world.api.list('storage.k8s.io/v1', 'VolumeAttachment')).find(
      (entry) => entry['spec'].nodeName === node.name && entry['status']?.attached === true,
    ),
  );
  await beforeItLeaves(driver);
  await world.remove('v1', 'Pod', 'early');
  await world.gone('v1', 'Pod', 'early');
  await world.pod('late', ['data'], toRealNode);
  await untilDetaching(world, driver);
}

function untilDetaching(world: World, driver: Driver): Promise<unknown> {
  return world.until('the old attachment to be deleted', 90, async () =>
    (await world.api.list('storage.k8s.io/v1', 'VolumeAttachment')).find(
      (entry) => entry['spec'].attacher === driver.name && entry.metadata['deletionTimestamp'] !== undefined,
    ),
  );
}

async function comesBack(world: World): Promise<void> {
  await world.remove('v1', 'Pod', 'late');
  await world.gone('v1', 'Pod', 'late');
  await world.pod('late', ['data'], toRealNode);
  await world.phase('Pod', 'late', 'Running', 150);
}

/** A node of the scenario's own was switched off while it had the volume mounted; the successor of its pod is on node-a. */
async function switchedOff(world: World, name: string, leave: (pod: KubernetesObject) => Promise<void>): Promise<void> {
  const { driver, storageClassName } = await world.ownDriver({
    name: `${name}.csi.test`,
    words: ['--enable-topology=false'],
  });
  const volume = await world.boundClaim('data', storageClassName);
  const node = await world.bareNode(`node-${name}`);
  // The driver attaches to its own node only; the machine behind both names is the same.
  await node.hasDriver(driver.name, 'node-a');
  const pod = await world.pod('early', ['data'], {
    nodeSelector: { 'kubernetes.io/hostname': node.name },
    tolerations: [{ operator: 'Exists' }],
  });
  await world.until('the volume to be attached', 60, async () =>
    (await world.api.list('storage.k8s.io/v1', 'VolumeAttachment')).find(
      (entry) => entry['spec'].nodeName === node.name && entry['status']?.attached === true,
    ),
  );
  await node.uses(`kubernetes.io/csi/${driver.name}^${volume['spec'].csi.volumeHandle}`);
  node.stop();
  await world.until(`${node.name} to be lost`, 120, async () => {
    const conditions = (await world.api.get({ apiVersion: 'v1', kind: 'Node', metadata: { name: node.name } }))?.[
      'status'
    ].conditions as { type: string; status: string }[];
    return conditions.some(({ type, status }) => type === 'Ready' && status === 'Unknown') || undefined;
  });
  await leave(pod);
  await world.pod('late', ['data'], toRealNode);
  await world.event('late', 'FailedAttachVolume', '', 90);
}

function outOfServiceFor(name: string): (world: World) => Promise<unknown> {
  return (world) =>
    world.api.patch({ apiVersion: 'v1', kind: 'Node', metadata: { name } }, { spec: { taints: [outOfService] } });
}

export const detachScenarios: readonly Scenario[] = [
  {
    name: 'detach-attacher-down',
    phase: 'attach',
    command: 'why',
    target: 'pod/late',
    status: 'blocked',
    cause: 'detach-attacher-not-running',
    meanwhile: ['attach-rwo-waiting-detach'],
    mustMention: ['node-clinging'],
    patience: 300,
    note: 'The pod has moved to another node, and the attacher that should detach the volume is not running: no event at first, only a VolumeAttachment that does not go; after two minutes the controller asks for one on the new node as well.',
    fix: {
      instead: { reason: sidecarIsProcess, play: (world) => world.mend() },
      lingers: sidecarStarts,
      patience: 300,
    },
    break: (world) =>
      movedHere(world, 'clinging', async (driver) => {
        await driver.stopAttacher();
        world.mend = () => driver.startAttacher();
      }),
    heal: async (world) => {
      await world.mend();
      await world.phase('Pod', 'late', 'Running', 150);
    },
  },
  {
    name: 'detach-attacher-scaled-down',
    phase: 'attach',
    command: 'why',
    target: 'pod/late',
    status: 'blocked',
    cause: 'detach-attacher-not-running',
    meanwhile: ['attach-rwo-waiting-detach'],
    mustMention: ['csi-dozing-controller'],
    patience: 300,
    note: 'The pod has moved to another node, and the Deployment of the attacher that should detach the volume is scaled to zero.',
    fix: { lingers: sidecarStarts, patience: 300 },
    break: (world) => movedHere(world, 'dozing', (driver) => driver.deployment.scale(0), true),
  },
  {
    name: 'detach-refused',
    phase: 'attach',
    command: 'why',
    target: 'pod/late',
    status: 'blocked',
    cause: 'detach-rpc-error',
    meanwhile: ['attach-rwo-waiting-detach'],
    mustMention: ['the array still writes'],
    patience: 150,
    smoke: true,
    note: 'The pod has moved to another node, and ControllerUnpublishVolume fails: the VolumeAttachment says why, no event does.',
    fix: {
      human: {
        knows: 'The storage team ends the write, and the pod goes back to node-a, the only node with a kubelet.',
        acts: async (world) => {
          await world.mend();
          await comesBack(world);
        },
      },
      patience: 400,
    },
    break: (world) =>
      moved(world, 'grasping', (driver) => {
        const fault = { method: 'ControllerUnpublishVolume', code: 13, message: 'the array still writes' };
        driver.faults.add(fault);
        // After a detach that failed, the controller tries to attach to the new node all the same.
        driver.faults.add({
          method: 'ControllerPublishVolume',
          code: 13,
          message: 'the disk cannot be mapped twice',
          within: 'node-grasping',
        });
        world.mend = () => driver.faults.delete(fault);
      }),
    heal: async (world) => {
      await world.mend();
      await comesBack(world);
    },
  },
  {
    name: 'node-shut-down',
    phase: 'attach',
    command: 'why',
    target: 'pod/late',
    status: 'waiting',
    cause: 'detach-node-not-ready',
    mustMention: ['node-shut-down'],
    patience: 150,
    note: 'A node was switched off; its pod stays Terminating, so the volume is never detached, until somebody says that the node is out of service.',
    fix: {
      instead: {
        reason: 'There is no machine behind the node that could be started; it is declared out of service instead.',
        play: outOfServiceFor('node-shut-down'),
      },
      patience: 300,
    },
    break: (world) => switchedOff(world, 'shut-down', (pod) => world.api.remove(pod)),
    heal: async (world) => {
      await outOfServiceFor('node-shut-down')(world);
      await world.phase('Pod', 'late', 'Running', 180);
    },
  },
  {
    name: 'force-detach',
    phase: 'attach',
    command: 'why',
    target: 'pod/late',
    status: 'waiting',
    cause: 'detach-node-not-ready',
    mustMention: ['node-burnt-out'],
    patience: 500,
    note: 'A node was switched off, and its pod was removed by force: Kubernetes takes the volume away after six minutes, by itself.',
    fix: { skip: 'Nothing has to be done: Kubernetes takes the volume away after six minutes.' },
    break: (world) => switchedOff(world, 'burnt-out', (pod) => world.api.remove(pod, 0)),
    heal: async (world) => {
      await world.phase('Pod', 'late', 'Running', 480);
    },
  },
  {
    name: 'out-of-service-left',
    phase: 'attach',
    command: 'why',
    target: 'node/node-returned',
    status: 'healthy',
    cause: null,
    note: 'A node is back, and still tainted as out of service.',
    break: async (world) => {
      const node = await world.bareNode('node-returned');
      await world.api.patch(
        { apiVersion: 'v1', kind: 'Node', metadata: { name: node.name } },
        { spec: { taints: [outOfService] } },
      );
    },
  },
];
