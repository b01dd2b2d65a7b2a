import { onBareNode } from './first-consumer.ts';
import { deleted, driverSaidSo, sidecarIsProcess, sidecarStarts, storageTeam } from './plans.ts';
import type { Scenario } from './scenario.ts';
import type { World } from './world.ts';

/** Until a VolumeAttachment of the driver is in a state. */
function attachment(
  world: World,
  driver: string,
  volume: string,
  state: (status: { readonly attached?: boolean; readonly attachError?: unknown }) => boolean,
): Promise<unknown> {
  return world.until(`an attachment of ${volume} with driver ${driver}`, 60, async () =>
    (await world.api.list('storage.k8s.io/v1', 'VolumeAttachment')).find(
      (entry) =>
        entry['spec'].attacher === driver &&
        entry['spec'].source.persistentVolumeName === volume &&
        state(entry['status'] ?? {}),
    ),
  );
}

function refusedAttach(name: string, code: number, message: string, cause: string): Scenario {
  return {
    name,
    phase: 'attach',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause,
    mustMention: [message],
    patience: 150,
    note: `ControllerPublishVolume answers "${message}".`,
    fix: storageTeam('The storage team repairs what the driver names.', { patience: 400 }),
    break: async (world) => {
      const volume = await world.boundClaim('data');
      world.refuse('ControllerPublishVolume', code, message);
      await world.pod('app', ['data']);
      await attachment(
        world,
        world.cluster.driver.name,
        volume.metadata.name,
        ({ attachError }) => attachError !== undefined,
      );
    },
    heal: async (world) => {
      await world.mend();
      await world.phase('Pod', 'app', 'Running', 120);
    },
  };
}

async function nodeReturns(world: World): Promise<void> {
  await world.mend();
  await world.gone('v1', 'Pod', 'early');
  await world.remove('v1', 'Pod', 'late');
  await world.gone('v1', 'Pod', 'late');
  await world.pod('late', ['data'], { nodeSelector: { 'kubernetes.io/hostname': 'node-a' } });
  await world.phase('Pod', 'late', 'Running', 150);
}

export const attachScenarios: readonly Scenario[] = [
  {
    name: 'attacher-down',
    phase: 'attach',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'attach-attacher-not-running',
    mustMention: ['external-attacher-leader-unattached-csi-test'],
    patience: 200,
    note: 'The attacher is not running: there is no warning for two minutes, only the VolumeAttachment.',
    fix: { instead: { reason: sidecarIsProcess, play: (world) => world.mend() }, lingers: sidecarStarts },
    break: async (world) => {
      const { driver, storageClassName } = await world.ownDriver({ name: 'unattached.csi.test' });
      const volume = await world.boundClaim('data', storageClassName);
      await driver.stopAttacher();
      await world.pod('app', ['data']);
      await attachment(world, driver.name, volume.metadata.name, () => true);
      world.mend = () => driver.startAttacher();
    },
    heal: async (world) => {
      await world.mend();
      await world.phase('Pod', 'app', 'Running', 150);
    },
  },
  {
    name: 'attacher-scaled-down',
    phase: 'attach',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'attach-attacher-not-running',
    mustMention: ['csi-resting-controller'],
    patience: 200,
    note: 'The Deployment of the attacher is scaled to zero.',
    fix: { lingers: sidecarStarts, patience: 300 },
    break: async (world) => {
      const { driver, storageClassName } = await world.deployedDriver({ name: 'resting.csi.test' });
      const volume = await world.boundClaim('data', storageClassName);
      await driver.deployment.scale(0);
      await world.pod('app', ['data']);
      await attachment(world, driver.name, volume.metadata.name, () => true);
    },
  },
  {
    name: 'attach-limit',
    phase: 'attach',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'attach-rpc-limit',
    mustMention: ['no slot is left on this node'],
    patience: 150,
    smoke: true,
    note: 'ControllerPublishVolume answers that the node has no free slot, of which the scheduler knows nothing.',
    fix: {
      human: {
        knows: 'pod/early may leave; the slot is free for the driver once its volume is detached.',
        values: ({ namespace }) => ({ PLACEHOLDER_NAMESPACE: namespace, PLACEHOLDER_POD: 'early' }),
        acts: (world) => world.mend(),
      },
      lingers: driverSaidSo,
      patience: 400,
    },
    break: async (world) => {
      const { driver, storageClassName } = await world.ownDriver({ name: 'narrow.csi.test' });
      await world.boundClaim('first', storageClassName);
      const volume = await world.boundClaim('data', storageClassName);
      await world.pod('early', ['first']);
      await world.running('early');
      const fault = { method: 'ControllerPublishVolume', code: 8, message: 'no slot is left on this node' };
      driver.faults.add(fault);
      world.mend = () => driver.faults.delete(fault);
      await world.pod('app', ['data']);
      await attachment(world, driver.name, volume.metadata.name, ({ attachError }) => attachError !== undefined);
    },
    heal: async (world) => {
      await world.mend();
      await world.phase('Pod', 'app', 'Running', 150);
    },
  },
  {
    name: 'attach-secret-missing',
    phase: 'attach',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'attach-secret-missing',
    mustMention: ['e2e-attach-secret-missing/array-login'],
    patience: 150,
    note: 'The class names a secret for ControllerPublishVolume that does not exist: the attacher says so, not the driver.',
    fix: {
      human: {
        knows: 'the keys that the driver expects, here any.',
        values: () => ({ PLACEHOLDER_KEY: 'password', PLACEHOLDER_FILE: '/etc/hostname' }),
      },
      patience: 400,
    },
    break: async (world) => {
      const { driver, storageClassName } = await world.ownDriver(
        { name: 'keyless.csi.test' },
        {
          parameters: {
            'csi.storage.k8s.io/controller-publish-secret-name': 'array-login',
            'csi.storage.k8s.io/controller-publish-secret-namespace': world.namespace,
          },
        },
      );
      const volume = await world.boundClaim('data', storageClassName);
      await world.pod('app', ['data']);
      await attachment(world, driver.name, volume.metadata.name, ({ attachError }) => attachError !== undefined);
    },
    heal: async (world) => {
      await world.make({ ...world.object('v1', 'Secret', 'array-login'), stringData: { password: 'any' } });
      await world.phase('Pod', 'app', 'Running', 400);
    },
  },
  {
    name: 'attach-volume-deleted',
    phase: 'attach',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'attach-pv-terminating',
    mustMention: ['attaches no volume that is being deleted'],
    patience: 150,
    note: 'The volume of a bound claim was deleted before its pod came: the attacher says that it is marked for deletion.',
    fix: { lingers: 'the pod is recreated under its name and starts when its volume is attached', patience: 400 },
    break: async (world) => {
      const { driver, storageClassName } = await world.ownDriver({ name: 'doomed.csi.test' });
      const volume = await world.boundClaim('data', storageClassName);
      await world.api.remove(volume);
      await world.pod('app', ['data']);
      await attachment(world, driver.name, volume.metadata.name, ({ attachError }) => attachError !== undefined);
    },
  },
  {
    name: 'driver-frozen-at-attach',
    phase: 'attach',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'attach-rpc-timeout',
    mustMention: ['context deadline exceeded'],
    patience: 200,
    note: 'The driver behind the attacher is frozen: its call ends with "context deadline exceeded", not with a refused connection.',
    fix: { instead: { reason: sidecarIsProcess, play: (world) => world.mend() }, lingers: driverSaidSo, patience: 400 },
    break: async (world) => {
      const { driver, storageClassName } = await world.ownDriver({ name: 'frozen.csi.test' });
      const volume = await world.boundClaim('data', storageClassName);
      driver.suspend();
      world.mend = () => driver.resume();
      world.later(() => Promise.resolve(driver.resume()));
      await world.pod('app', ['data']);
      await attachment(world, driver.name, volume.metadata.name, ({ attachError }) => attachError !== undefined);
    },
  },
  refusedAttach('attach-not-found', 5, 'the disk does not exist', 'attach-rpc-not-found'),
  refusedAttach('attach-elsewhere', 9, 'the disk is attached to another machine', 'attach-rpc-attached-elsewhere'),
  {
    name: 'multi-attach',
    phase: 'attach',
    command: 'why',
    target: 'pod/late',
    status: 'blocked',
    cause: 'attach-rwo-held-by-running-pod',
    wrong: ['attach-rwo-waiting-detach'],
    mustMention: ['node-a', 'early'],
    patience: 150,
    note: 'The volume is ReadWriteOnce and attached to node-a for a running pod; another pod wants it on another node.',
    break: async (world) => {
      const { storageClassName } = await world.ownDriver({
        name: 'roaming.csi.test',
        words: ['--enable-topology=false'],
      });
      await world.boundClaim('data', storageClassName);
      await world.pod('early', ['data'], { nodeSelector: { 'kubernetes.io/hostname': 'node-a' } });
      await world.running('early');
      const node = await world.bareNode('node-roaming');
      await node.hasDriver('roaming.csi.test', node.name);
      await world.pod('late', ['data'], onBareNode(node.name));
      await world.event('late', 'FailedAttachVolume');
    },
    heal: async (world) => {
      await world.remove('v1', 'Pod', 'late');
      await world.gone('v1', 'Pod', 'late');
      await world.pod('late', ['data'], { nodeSelector: { 'kubernetes.io/hostname': 'node-a' } });
      await world.running('late');
    },
  },
  {
    name: 'driver-left-node',
    phase: 'attach',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'driver-not-on-node',
    mustMention: ['leaving.csi.test', 'node-a'],
    patience: 150,
    note: 'The DaemonSet of the driver no longer has a pod on the node of the volume.',
    fix: { patience: 300 },
    break: async (world) => {
      const { driver, storageClassName } = await world.deployedDriver({
        name: 'leaving.csi.test',
        pluginIn: 'daemonSet',
      });
      await world.boundClaim('data', storageClassName);
      await driver.set.leaveNode(world.nodeLabel);
      await world.pod('app', ['data']);
      await world.event('app', 'FailedAttachVolume', '', 90);
    },
  },
  {
    name: 'attachment-node-gone',
    phase: 'attach',
    command: 'why',
    target: 'va/e2e-left-behind',
    status: 'blocked',
    cause: 'attach-csinode-missing',
    wrong: ['attach-attacher-not-running', 'va-pv-missing'],
    mustMention: ['node-z'],
    patience: 150,
    note: 'A VolumeAttachment names a node that does not exist.',
    fix: { reaches: deleted },
    break: async (world) => {
      const volume = await world.boundClaim('data');
      await world.make({
        apiVersion: 'storage.k8s.io/v1',
        kind: 'VolumeAttachment',
        metadata: { name: 'e2e-left-behind' },
        spec: {
          attacher: world.cluster.driver.name,
          nodeName: 'node-z',
          source: { persistentVolumeName: volume.metadata.name },
        },
      });
    },
  },
  {
    name: 'node-lost',
    phase: 'attach',
    command: 'why',
    target: 'pod/late',
    status: 'waiting',
    cause: 'detach-node-not-ready',
    mustMention: ['node-a'],
    alone: true,
    patience: 100,
    note: 'The node that holds the volume does not answer, so the volume is not detached for the pod on the other node.',
    fix: {
      human: {
        knows: 'The kubelet of node-a is started, and the pod goes back there, to the only node with a kubelet.',
        acts: nodeReturns,
      },
      patience: 300,
    },
    break: async (world) => {
      const { storageClassName } = await world.ownDriver({
        name: 'stranded.csi.test',
        words: ['--enable-topology=false'],
      });
      await world.boundClaim('data', storageClassName);
      await world.pod('early', ['data'], { nodeSelector: { 'kubernetes.io/hostname': 'node-a' } });
      await world.running('early');
      const { node } = world.cluster;
      node.kubelet.kill('SIGKILL');
      await node.kubelet.stop();
      world.mend = () => {
        if (!node.kubelet.alive()) node.kubelet = node.startKubelet();
      };
      world.later(async () => {
        await world.mend();
      });
      await world.until('node-a to be lost', 120, async () => {
        const conditions = (await world.api.get({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } }))?.[
          'status'
        ].conditions as { type: string; status: string }[];
        return conditions.some(({ type, status }) => type === 'Ready' && status === 'Unknown') || undefined;
      });
      await world.api.remove(world.object('v1', 'Pod', 'early'));
      const other = await world.bareNode('node-stranded');
      await other.hasDriver('stranded.csi.test', other.name);
      await world.pod('late', ['data'], onBareNode(other.name));
      await world.event('late', 'FailedAttachVolume', '', 90);
    },
    heal: nodeReturns,
  },
];
