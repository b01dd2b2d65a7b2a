import { mkdirSync } from 'node:fs';
import { onNode } from './binding.ts';
import { driverIsProcess } from './plans.ts';
import type { Scenario } from './scenario.ts';

const kubeletSaidSo = 'What the driver answered last is true until the kubelet calls it again.';

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
      lingers: kubeletSaidSo,
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

export const mountScenarios: readonly Scenario[] = [
  { ...refusedMount('stage-refused', 'NodeStageVolume', 13, 'mkfs ended with 1', 'mount-stage-rpc'), smoke: true },
  {
    ...refusedMount('publish-refused', 'NodePublishVolume', 13, 'mount ended with 32', 'mount-publish-rpc'),
    fix: {
      human: { knows: 'The storage team repairs what the log names.', acts: (world) => world.mend() },
      lingers: kubeletSaidSo,
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
    fix: { lingers: kubeletSaidSo },
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
