import { mkdirSync } from 'node:fs';
import { mainDriver } from '../cluster/cluster.ts';
import { existingDisk } from './plans.ts';
import type { Scenario } from './scenario.ts';
import type { World } from './world.ts';

/** Lets a pod onto a node without a kubelet, and onto no other. */
export function onBareNode(name: string) {
  return {
    nodeSelector: { 'kubernetes.io/hostname': name },
    tolerations: [{ key: 'e2e/bare', operator: 'Exists' }],
  } as const;
}

export const toBareNode = onBareNode('node-b');

async function replacePod(world: World): Promise<void> {
  await world.remove('v1', 'Pod', 'app');
  await world.gone('v1', 'Pod', 'app');
  await world.pod('app', ['data']);
  await world.bound('data');
}

export const firstConsumerScenarios: readonly Scenario[] = [
  {
    name: 'wffc-no-pod',
    phase: 'wffc',
    target: 'pvc/data',
    status: 'waiting',
    cause: 'wffc-no-consumer',
    smoke: true,
    note: 'Nothing is wrong: the class waits for the first consumer, and no pod uses the claim.',
    break: async (world) => {
      await world.claim('data', 'fast-wffc');
      await world.event('data', 'WaitForFirstConsumer');
    },
    heal: async (world) => {
      await world.pod('app', ['data']);
      await world.bound('data');
    },
  },
  {
    name: 'wffc-insufficient-cpu',
    phase: 'wffc',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'wffc-pod-unschedulable-other',
    mustMention: ['app'],
    smoke: true,
    note: 'The claim waits for a pod that asks for more CPU than any node has.',
    fix: { human: { knows: 'A tenth of a core is enough.', values: () => ({ PLACEHOLDER_CPU: '100m' }) } },
    break: async (world) => {
      await world.claim('data', 'fast-wffc');
      const spec = world.podSpec(['data']);
      const [container] = spec['containers'] as [Record<string, unknown>];
      await world.pod('app', ['data'], { containers: [{ ...container, resources: { requests: { cpu: '64' } } }] });
      await world.unschedulable('app', 'Insufficient cpu');
    },
    heal: replacePod,
  },
  {
    name: 'wffc-insufficient-memory',
    phase: 'wffc',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'wffc-pod-unschedulable-other',
    mustMention: ['app'],
    note: 'The claim waits for a pod that asks for more memory than any node has.',
    fix: { human: { knows: 'A little memory is enough.', values: () => ({ PLACEHOLDER_MEMORY: '16Mi' }) } },
    break: async (world) => {
      await world.claim('data', 'fast-wffc');
      const spec = world.podSpec(['data']);
      const [container] = spec['containers'] as [Record<string, unknown>];
      await world.pod('app', ['data'], { containers: [{ ...container, resources: { requests: { memory: '4Ti' } } }] });
      await world.unschedulable('app', 'Insufficient memory');
    },
    heal: replacePod,
  },
  {
    name: 'wffc-label-missing',
    phase: 'wffc',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'wffc-pod-unschedulable-other',
    mustMention: ['e2e.test/e2e-wffc-label-missing'],
    note: 'The claim waits for a pod that wants a label which no node has.',
    break: async (world) => {
      await world.claim('data', 'fast-wffc');
      await world.pod('app', ['data'], { nodeSelector: { [world.nodeLabel]: 'ssd' } });
      await world.unschedulable('app', "didn't match Pod's node affinity/selector");
    },
    heal: replacePod,
  },
  {
    name: 'wffc-tainted-node',
    phase: 'wffc',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'wffc-pod-unschedulable-other',
    mustMention: ['e2e/bare'],
    note: 'The claim waits for a pod that may run on a tainted node only, and does not tolerate the taint.',
    break: async (world) => {
      await world.claim('data', 'fast-wffc');
      await world.pod('app', ['data'], { nodeSelector: toBareNode.nodeSelector });
      await world.unschedulable('app', 'untolerated taint');
    },
    heal: replacePod,
  },
  {
    name: 'wffc-gated-pod',
    phase: 'wffc',
    target: 'pvc/data',
    status: 'waiting',
    cause: 'wffc-pod-gated',
    mustMention: ['e2e.test/hold'],
    note: 'The claim waits for a pod with a scheduling gate.',
    fix: {
      human: {
        knows: 'The controller that holds the pod removes the gate.',
        acts: (world) => world.api.patch(world.object('v1', 'Pod', 'app'), { spec: { schedulingGates: [] } }),
      },
    },
    break: async (world) => {
      await world.claim('data', 'fast-wffc');
      await world.pod('app', ['data'], { schedulingGates: [{ name: 'e2e.test/hold' }] });
      await world.unschedulable('app');
    },
    heal: async (world) => {
      await world.api.patch(world.object('v1', 'Pod', 'app'), { spec: { schedulingGates: [] } });
      await world.running('app');
    },
  },
  {
    name: 'wffc-unknown-scheduler',
    phase: 'wffc',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'wffc-scheduler-missing',
    mustMention: ['night-shift'],
    patience: 150,
    note: 'The claim waits for a pod whose scheduler does not exist.',
    fix: { skip: 'There is no second scheduler that could be started.' },
    break: async (world) => {
      await world.claim('data', 'fast-wffc');
      await world.pod('app', ['data'], { schedulerName: 'night-shift' });
      await world.event('data', 'WaitForPodScheduled');
    },
    heal: replacePod,
  },
  {
    name: 'wffc-node-name',
    phase: 'wffc',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'wffc-nodename-bypass',
    mustMention: ['node-a'],
    patience: 60,
    note: 'The pod was put on a node by nodeName, past the scheduler, which alone could choose a node for the claim.',
    break: async (world) => {
      await world.claim('data', 'fast-wffc');
      await world.pod('app', ['data'], { nodeName: 'node-a' });
      await world.event('data', 'WaitForFirstConsumer');
    },
    heal: replacePod,
  },
  {
    name: 'wffc-allowed-topologies',
    phase: 'wffc',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'wffc-allowed-topologies',
    mustMention: ['zone-z'],
    note: 'The class allows a zone that no node is in.',
    break: async (world) => {
      await world.storageClass('e2e-zone-z', mainDriver, {
        volumeBindingMode: 'WaitForFirstConsumer',
        allowedTopologies: [{ matchLabelExpressions: [{ key: 'topology.kubernetes.io/zone', values: ['zone-z'] }] }],
      });
      await world.claim('data', 'e2e-zone-z');
      await world.pod('app', ['data']);
      await world.unschedulable('app', 'persistent volumes to bind');
    },
    heal: async (world) => {
      await world.remove('v1', 'Pod', 'app');
      await world.remove('v1', 'PersistentVolumeClaim', 'data');
      await world.gone('v1', 'PersistentVolumeClaim', 'data');
      await world.claim('data', 'fast-wffc');
      await replacePod(world);
    },
  },
  {
    name: 'wffc-no-local-volume',
    phase: 'wffc',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'wffc-no-provisioner-no-pv',
    note: 'Volumes of the class are made by hand, there is none, and the pod cannot be placed.',
    fix: existingDisk,
    break: async (world) => {
      // The directory on node-a for the volume that is to be made by hand.
      mkdirSync(`${world.cluster.directory}/by-hand/${world.namespace}`, { recursive: true });
      await world.manualClass('e2e-local', 'WaitForFirstConsumer');
      await world.claim('data', 'e2e-local');
      await world.pod('app', ['data']);
      await world.unschedulable('app', 'persistent volumes to bind');
    },
    heal: async (world) => {
      await world.volume('e2e-local', 'e2e-local');
      await world.bound('data');
    },
  },
  {
    name: 'capacity-not-published',
    phase: 'wffc',
    target: 'pod/app',
    status: 'blocked',
    cause: 'wffc-capacity-objects-missing',
    wrong: ['wffc-capacity-insufficient'],
    mustMention: ['mute.csi.test'],
    note: 'The CSIDriver says that capacity is tracked, and its provisioner publishes none.',
    break: async (world) => {
      await world.driver({ name: 'mute.csi.test', spec: { storageCapacity: true } });
      await world.storageClass('e2e-mute', 'mute.csi.test', { volumeBindingMode: 'WaitForFirstConsumer' });
      await world.claim('data', 'e2e-mute');
      await world.pod('app', ['data']);
      await world.unschedulable('app', 'did not have enough free storage');
    },
    heal: async (world) => {
      await world.api.patch(
        { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'mute.csi.test' } },
        { spec: { storageCapacity: false } },
      );
      await world.phase('Pod', 'app', 'Running', 120);
    },
  },
  {
    name: 'capacity-insufficient',
    phase: 'wffc',
    target: 'pod/app',
    status: 'blocked',
    cause: 'wffc-capacity-insufficient',
    wrong: ['wffc-capacity-objects-missing'],
    mustMention: ['full.csi.test'],
    note: 'The driver publishes less free storage than the claim asks for.',
    break: async (world) => {
      await world.driver({ name: 'full.csi.test', publishesCapacity: true, words: ['--capacity=disk=2Gi'] });
      await world.storageClass('e2e-full', 'full.csi.test', {
        volumeBindingMode: 'WaitForFirstConsumer',
        parameters: { kind: 'disk' },
      });
      await world.until('capacity to be published', 60, async () =>
        (await world.api.list('storage.k8s.io/v1', 'CSIStorageCapacity', 'kube-system')).find(
          (capacity) => capacity['storageClassName'] === 'e2e-full',
        ),
      );
      await world.claim('data', 'e2e-full', {}, '5Gi');
      await world.pod('app', ['data']);
      await world.unschedulable('app', 'did not have enough free storage');
    },
    heal: async (world) => {
      await world.remove('v1', 'Pod', 'app');
      await world.remove('v1', 'PersistentVolumeClaim', 'data');
      await world.gone('v1', 'PersistentVolumeClaim', 'data');
      await world.claim('data', 'e2e-full', {}, '1Gi');
      await replacePod(world);
      await world.running('app');
    },
  },
  {
    name: 'wffc-driver-not-on-node',
    phase: 'wffc',
    target: 'pvc/data',
    status: 'blocked',
    cause: 'provision-topology-key-missing',
    mustMention: ['node-lonely'],
    note: 'The scheduler chose a node where the driver does not run, without a murmur.',
    break: async (world) => {
      const node = await world.bareNode('node-lonely');
      await world.claim('data', 'fast-wffc');
      await world.pod('app', ['data'], {
        tolerations: toBareNode.tolerations,
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              {
                weight: 100,
                preference: {
                  matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node.name] }],
                },
              },
            ],
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [node.name, 'node-a'] }],
                },
              ],
            },
          },
        },
      });
      await world.event('data', 'ProvisioningFailed');
    },
    heal: async (world) => {
      await world.remove('v1', 'Pod', 'app');
      await world.remove('v1', 'PersistentVolumeClaim', 'data');
      await world.gone('v1', 'PersistentVolumeClaim', 'data');
      await world.claim('data', 'fast-wffc');
      await replacePod(world);
    },
  },
];
