import { mkdirSync } from 'node:fs';
import { onNode } from './binding.ts';
import { pluginProcesses } from '../storage/plugin-pod.ts';
import { driverImage } from '../storage/podded-driver.ts';
import { driverIsProcess, driverSaidSo } from './plans.ts';
import type { Scenario } from './scenario.ts';
import type { World } from './world.ts';

function refusedMount(name: string, method: string, code: number, message: string, cause: string): Scenario {
  return {
    name,
    phase: 'mount',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause,
    mustMention: [message],
    toldByEvents: true,
    patience: 180,
    note: `${method} answers "${message}".`,
    fix: {
      instead: { reason: driverIsProcess, play: (world) => world.mend() },
      lingers: driverSaidSo,
    },
    break: async (world) => {
      await world.boundClaim('data');
      world.refuse(method, code, message);
      await world.pod('app', ['data']);
      await world.event('app', 'FailedMount', message);
    },
    heal: async (world) => {
      await world.mend();
      await world.phase('Pod', 'app', 'Running', 180);
    },
  };
}

interface MissingSource {
  readonly name: string;
  readonly cause: string;
  readonly note: string;
  /** The source of the second volume of the pod. */
  readonly volume: Readonly<Record<string, unknown>>;
  readonly prepare?: (world: World) => Promise<unknown>;
  readonly knows: string;
  /** Only the kubelet's word tells, since the program reads no content. */
  readonly isContent?: boolean;
}

const missingSources: readonly MissingSource[] = [
  {
    name: 'secret-volume-missing',
    cause: 'mount-secret-volume-missing',
    note: 'The pod mounts a claim and a Secret that does not exist.',
    volume: { secret: { secretName: 'settings' } },
    knows: 'The application reads the key mode.',
  },
  {
    name: 'secret-key-missing',
    cause: 'mount-secret-key-missing',
    note: 'The pod mounts a key of a Secret, and the Secret does not have it.',
    volume: { secret: { secretName: 'settings', items: [{ key: 'mode', path: 'mode' }] } },
    prepare: (world) => world.make({ ...world.object('v1', 'Secret', 'settings'), stringData: { colour: 'green' } }),
    knows: 'The value of the key is fast.',
    isContent: true,
  },
  {
    name: 'configmap-key-missing',
    cause: 'mount-configmap-missing',
    note: 'The pod mounts a key of a ConfigMap, and the ConfigMap does not have it.',
    volume: { configMap: { name: 'settings', items: [{ key: 'mode', path: 'mode' }] } },
    prepare: (world) => world.make({ ...world.object('v1', 'ConfigMap', 'settings'), data: { colour: 'green' } }),
    knows: 'The value of the key is fast.',
    isContent: true,
  },
  {
    name: 'projected-source-missing',
    cause: 'mount-configmap-missing',
    note: 'The pod mounts a projected volume with a ConfigMap that does not exist.',
    volume: { projected: { sources: [{ configMap: { name: 'settings' } }] } },
    knows: 'The application reads the key mode.',
  },
];

/** A pod with a claim and a second volume whose source is not there. */
function missingSource(source: MissingSource): Scenario {
  const { name, cause, note, volume, prepare, knows, isContent = false } = source;
  return {
    name,
    phase: 'mount',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause,
    mustMention: ['settings'],
    toldByEvents: isContent,
    patience: 180,
    note,
    fix: {
      ...(isContent && { lingers: 'The program reads no content, so only the next try of the kubelet shows the key.' }),
      human: {
        knows,
        values: () => ({
          PLACEHOLDER_KEY: 'mode',
          PLACEHOLDER_FILE: 'mode.txt',
          PLACEHOLDER_VALUE: 'fast',
        }),
        files: { 'mode.txt': 'fast' },
      },
    },
    break: async (world) => {
      await prepare?.(world);
      await world.boundClaim('data');
      const { volumes } = world.podSpec(['data']);
      const { containers } = world.podSpec(['data', 'settings']);
      await world.pod('app', ['data'], { containers, volumes: [...volumes, { name: 'settings', ...volume }] });
      await world.event('app', 'FailedMount');
    },
  };
}

async function restartPlugin(world: World): Promise<void> {
  for (const pod of await world.api.list('v1', 'Pod', `${world.namespace}-driver`))
    if (pod.metadata.name.includes('-node-')) await world.api.remove(pod);
}

export const mountScenarios: readonly Scenario[] = [
  ...missingSources.map(missingSource),
  {
    name: 'mount-options',
    phase: 'mount',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'mount-options-unsupported',
    toldByEvents: true,
    patience: 180,
    note: 'The volume carries mount options, and volumes of its kind take none.',
    break: async (world) => {
      await world.manualClass('e2e-options');
      await world.volume('e2e-options', 'e2e-options', { mountOptions: ['noatime'] });
      await world.claim('data', 'e2e-options');
      await world.bound('data');
      await world.pod('app', ['data'], { nodeSelector: { 'kubernetes.io/hostname': 'node-a' } });
      await world.event('app', 'FailedMount');
    },
  },
  {
    name: 'directory-as-device',
    phase: 'mount',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'mount-volumemode-usage',
    patience: 180,
    note: 'A container uses a volume with a file system as a device.',
    break: async (world) => {
      await world.boundClaim('data');
      const [container] = world.podSpec(['data'])['containers'] as [Record<string, unknown>];
      const { volumeMounts: _, ...rest } = container;
      await world.pod('app', ['data'], {
        containers: [{ ...rest, volumeDevices: [{ name: 'data', devicePath: '/dev/data' }] }],
      });
      await world.event('app', 'FailedMount');
    },
  },
  {
    name: 'plugin-image-missing',
    phase: 'mount',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'driver-daemonset-pod-unhealthy',
    mustMention: ['csi-imageless-node'],
    patience: 180,
    note: 'The image of the node plugin does not exist, so its pod does not start.',
    fix: {
      human: {
        knows: 'The image of before is still there.',
        values: () => ({ PLACEHOLDER_IMAGE: driverImage }),
      },
      patience: 300,
    },
    break: async (world) => {
      const { driver, storageClassName } = await world.deployedDriver({
        name: 'imageless.csi.test',
        spec: { attachRequired: false },
        words: ['--enable-attach=false'],
        pluginIn: 'daemonSet',
      });
      await world.boundClaim('data', storageClassName);
      await driver.set.setImage(`${driverImage}-lost`);
      await world.until('the driver to be gone', 90, () => Promise.resolve(pluginProcesses(driver.name).length === 0));
      await world.pod('app', ['data']);
      await world.event('app', 'FailedMount', '', 120);
    },
  },
  {
    name: 'mount-driver-frozen',
    phase: 'mount',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'mount-rpc-timeout',
    meanwhile: ['mount-rpc-pending'],
    toldByEvents: true,
    patience: 300,
    note: 'The driver is stopped in the pod of its DaemonSet: it holds its socket and answers nothing.',
    fix: {
      human: {
        knows: 'The log ends with the call, so the driver hangs: its pod is deleted, as the second fix says.',
        acts: restartPlugin,
      },
      lingers: driverSaidSo,
      patience: 300,
    },
    break: async (world) => {
      const { driver, storageClassName } = await world.deployedDriver({
        name: 'frozen.csi.test',
        spec: { attachRequired: false },
        words: ['--enable-attach=false'],
        pluginIn: 'daemonSet',
      });
      await world.boundClaim('data', storageClassName);
      driver.suspendInPod();
      await world.pod('app', ['data']);
      await world.event('app', 'FailedMount', '', 200);
    },
  },
  { ...refusedMount('stage-refused', 'NodeStageVolume', 13, 'mkfs ended with 1', 'mount-stage-rpc'), smoke: true },
  {
    ...refusedMount('publish-refused', 'NodePublishVolume', 13, 'mount ended with 32', 'mount-publish-rpc'),
    fix: {
      human: { knows: 'The storage team repairs what the log names.', acts: (world) => world.mend() },
      lingers: driverSaidSo,
    },
    break: async (world) => {
      const { driver, storageClassName } = await world.deployedDriver({
        name: 'grumbling.csi.test',
        pluginIn: 'daemonSet',
      });
      await world.boundClaim('data', storageClassName);
      const fault = { method: 'NodePublishVolume', code: 13, message: 'mount ended with 32' };
      driver.faults.add(fault);
      world.mend = () => driver.faults.delete(fault);
      await world.pod('app', ['data']);
      await world.event('app', 'FailedMount', 'mount ended with 32');
    },
  },
  {
    name: 'publish-secret-missing',
    phase: 'mount',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'mount-secret-missing',
    mustMention: ['mount-key'],
    patience: 180,
    note: 'The kubelet needs a secret to mount the volume, and it does not exist.',
    fix: {
      human: {
        knows: 'The driver wants a password under the key key.',
        values: () => ({ PLACEHOLDER_KEY: 'key', PLACEHOLDER_FILE: 'key.txt' }),
        files: { 'key.txt': 'open' },
      },
    },
    break: async (world) => {
      await world.storageClass('e2e-publish-secret', world.cluster.driver.name, {
        parameters: {
          'csi.storage.k8s.io/node-publish-secret-name': 'mount-key',
          'csi.storage.k8s.io/node-publish-secret-namespace': world.namespace,
        },
      });
      await world.boundClaim('data', 'e2e-publish-secret');
      await world.pod('app', ['data']);
      await world.event('app', 'FailedMount', 'mount-key');
    },
    heal: async (world) => {
      await world.make({ ...world.object('v1', 'Secret', 'mount-key'), stringData: { key: 'open' } });
      await world.phase('Pod', 'app', 'Running', 180);
    },
  },
  {
    name: 'configmap-missing',
    phase: 'mount',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'mount-configmap-missing',
    mustMention: ['settings'],
    patience: 180,
    note: 'The pod mounts a claim and a ConfigMap that does not exist.',
    fix: {
      human: {
        knows: 'The application reads the key mode.',
        values: () => ({ PLACEHOLDER_KEY: 'mode', PLACEHOLDER_FILE: 'mode.txt' }),
        files: { 'mode.txt': 'fast' },
      },
    },
    break: async (world) => {
      await world.boundClaim('data');
      const { volumes } = world.podSpec(['data']);
      const { containers } = world.podSpec(['data', 'settings']);
      await world.pod('app', ['data'], {
        containers,
        volumes: [...volumes, { name: 'settings', configMap: { name: 'settings' } }],
      });
      await world.event('app', 'FailedMount', 'settings');
    },
    heal: async (world) => {
      await world.make({ ...world.object('v1', 'ConfigMap', 'settings'), data: { mode: 'fast' } });
      await world.phase('Pod', 'app', 'Running', 180);
    },
  },
  {
    name: 'mount-driver-crashed',
    phase: 'mount',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'mount-stage-rpc',
    wrong: ['mount-driver-not-registered'],
    toldByEvents: true,
    patience: 180,
    note: 'The driver needs no attach, and its process died in the pod of its DaemonSet before the volume was mounted.',
    fix: { lingers: driverSaidSo },
    break: async (world) => {
      const { driver, storageClassName } = await world.deployedDriver({
        name: 'crashed.csi.test',
        spec: { attachRequired: false },
        words: ['--enable-attach=false'],
        pluginIn: 'daemonSet',
      });
      await world.boundClaim('data', storageClassName);
      driver.killInPod();
      await world.pod('app', ['data']);
      await world.event('app', 'FailedMount', '', 120);
    },
  },
  {
    name: 'local-path-missing',
    phase: 'mount',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'local-path-missing',
    toldByEvents: true,
    mustMention: ['e2e-local-path'],
    patience: 180,
    note: 'A local volume names a directory that the node does not have.',
    fix: { lingers: 'Only the kubelet sees the directory, when it tries again.' },
    break: async (world) => {
      await world.manualClass('e2e-local-path');
      const path = `${world.cluster.directory}/by-hand/e2e-local-path`;
      await world.volume('e2e-local-path', 'e2e-local-path', {
        hostPath: null,
        local: { path },
        nodeAffinity: onNode('node-a'),
      });
      await world.claim('data', 'e2e-local-path');
      await world.bound('data');
      await world.pod('app', ['data']);
      await world.event('app', 'FailedMount');
      world.mend = () => mkdirSync(path, { recursive: true });
    },
    heal: async (world) => {
      await world.mend();
      await world.phase('Pod', 'app', 'Running', 180);
    },
  },
  {
    name: 'hostpath-type',
    phase: 'mount',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'hostpath-type-check',
    toldByEvents: true,
    patience: 180,
    note: 'A hostPath volume must be a directory that exists, and does not.',
    fix: { lingers: 'Only the kubelet sees the directory, when it tries again.' },
    break: async (world) => {
      await world.manualClass('e2e-host-path');
      const path = `${world.cluster.directory}/by-hand/e2e-host-path`;
      await world.volume('e2e-host-path', 'e2e-host-path', { hostPath: { path, type: 'Directory' } });
      await world.claim('data', 'e2e-host-path');
      await world.bound('data');
      await world.pod('app', ['data'], { nodeSelector: { 'kubernetes.io/hostname': 'node-a' } });
      await world.event('app', 'FailedMount');
      world.mend = () => mkdirSync(path, { recursive: true });
    },
    heal: async (world) => {
      await world.mend();
      await world.phase('Pod', 'app', 'Running', 180);
    },
  },
  {
    name: 'inline-unsupported',
    phase: 'mount',
    command: 'why',
    target: 'pod/app',
    status: 'blocked',
    cause: 'mount-inline-unsupported',
    mustMention: ['inline.csi.test'],
    patience: 180,
    note: 'The pod has an inline volume of a driver whose CSIDriver object allows persistent ones only.',
    break: async (world) => {
      const driver = await world.driver({ name: 'inline.csi.test' });
      await world.pod('app', ['scratch'], {
        volumes: [{ name: 'scratch', csi: { driver: driver.name } }],
        nodeSelector: { 'kubernetes.io/hostname': 'node-a' },
      });
      await world.event('app', 'FailedMount');
    },
  },
];
