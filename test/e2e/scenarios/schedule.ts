import { onNode } from './binding.ts';
import { toBareNode } from './first-consumer.ts';
import type { Scenario } from './scenario.ts';
import type { World } from './world.ts';

async function useLeftOnly(world: World): Promise<void> {
  await world.remove('v1', 'Pod', 'app');
  await world.gone('v1', 'Pod', 'app');
  await world.pod('app', ['left']);
  await world.running('app');
}

export const scheduleScenarios: readonly Scenario[] = [
  {
    name: 'node-affinity-conflict',
    phase: 'schedule',
    target: 'pod/app',
    status: 'blocked',
    cause: 'sched-volume-node-affinity',
    mustMention: ['node-a'],
    smoke: true,
    note: 'The volume lives on node-a; the pod may run on node-b only.',
    break: async (world) => {
      await world.claim('data', 'fast-immediate');
      await world.bound('data');
      await world.pod('app', ['data'], toBareNode);
      await world.unschedulable('app');
    },
    heal: async (world) => {
      await world.remove('v1', 'Pod', 'app');
      await world.gone('v1', 'Pod', 'app');
      await world.pod('app', ['data']);
      await world.running('app');
    },
  },
  {
    name: 'volume-node-cordoned',
    phase: 'schedule',
    target: 'pod/app',
    status: 'blocked',
    cause: 'sched-volume-node-affinity',
    mustMention: ['node-a'],
    alone: true,
    note: 'The volume lives on node-a, which is cordoned.',
    break: async (world) => {
      await world.claim('data', 'fast-immediate');
      await world.bound('data');
      await world.api.patch(
        { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } },
        { spec: { unschedulable: true } },
      );
      await world.pod('app', ['data'], { tolerations: toBareNode.tolerations });
      await world.unschedulable('app');
    },
    heal: async (world) => {
      await world.api.patch(
        { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-a' } },
        { spec: { unschedulable: null } },
      );
      await world.running('app');
    },
  },
  {
    name: 'volumes-far-apart',
    phase: 'schedule',
    target: 'pod/app',
    status: 'blocked',
    cause: 'sched-pvcs-disjoint-topology',
    note: 'The pod has two volumes, and no node reaches both.',
    fix: {
      human: {
        knows: 'The data of pvc/right is not needed any more, so the pod does without it.',
        acts: useLeftOnly,
      },
    },
    break: async (world) => {
      await world.manualClass('e2e-apart');
      await world.volume('e2e-apart-a', 'e2e-apart', { nodeAffinity: onNode('node-a') }, { labels: { on: 'node-a' } });
      await world.volume('e2e-apart-b', 'e2e-apart', { nodeAffinity: onNode('node-b') }, { labels: { on: 'node-b' } });
      await world.claim('left', 'e2e-apart', { selector: { matchLabels: { on: 'node-a' } } });
      await world.claim('right', 'e2e-apart', { selector: { matchLabels: { on: 'node-b' } } });
      await world.bound('left');
      await world.bound('right');
      await world.pod('app', ['left', 'right'], { tolerations: toBareNode.tolerations });
      await world.unschedulable('app');
    },
    heal: useLeftOnly,
  },
  {
    name: 'volume-node-gone',
    phase: 'schedule',
    target: 'pod/app',
    status: 'blocked',
    cause: 'local-pv-node-gone',
    mustMention: ['node-z'],
    note: 'The volume lives on a node that does not exist.',
    fix: { skip: 'There is no machine that could come back under this name.' },
    break: async (world) => {
      await world.manualClass('e2e-gone');
      await world.volume('e2e-gone', 'e2e-gone', { nodeAffinity: onNode('node-z') });
      await world.claim('data', 'e2e-gone');
      await world.bound('data');
      await world.pod('app', ['data']);
      await world.unschedulable('app');
    },
    heal: async (world) => {
      await world.remove('v1', 'Pod', 'app');
      await world.remove('v1', 'PersistentVolumeClaim', 'data');
      await world.gone('v1', 'PersistentVolumeClaim', 'data');
      await world.claim('data', 'fast-wffc');
      await world.pod('app', ['data']);
      await world.running('app');
    },
  },
  {
    name: 'max-volumes',
    phase: 'schedule',
    target: 'pod/late',
    status: 'blocked',
    cause: 'sched-max-volume-count',
    mustMention: ['limited.csi.test'],
    note: 'The driver takes one volume on the node, and another pod has it.',
    fix: {
      human: {
        knows: 'pod/early is not needed now; it is deleted if the commands have not done so.',
        acts: (world) => world.remove('v1', 'Pod', 'early'),
      },
      lingers: 'The slot is free only when the volume is detached.',
    },
    break: async (world) => {
      await world.driver({ name: 'limited.csi.test', words: ['--maxvolumespernode=1'] });
      await world.storageClass('e2e-limited', 'limited.csi.test');
      for (const name of ['first', 'second']) {
        await world.claim(name, 'e2e-limited');
        await world.bound(name);
      }
      await world.pod('early', ['first']);
      await world.running('early');
      await world.pod('late', ['second']);
      await world.unschedulable('late', 'max volume count');
    },
    heal: async (world) => {
      await world.remove('v1', 'Pod', 'early');
      await world.phase('Pod', 'late', 'Running', 120);
    },
  },
  {
    name: 'driver-wanted-on-node',
    phase: 'schedule',
    target: 'pod/app',
    status: 'blocked',
    cause: 'sched-driver-not-installed',
    mustMention: ['choosy.csi.test'],
    minors: ['1.37'],
    note: 'The driver asks the scheduler to keep pods away from nodes without it, and the pod may run on such a node only.',
    break: async (world) => {
      const { storageClassName } = await world.ownDriver({
        name: 'choosy.csi.test',
        words: ['--enable-topology=false'],
        spec: { preventPodSchedulingIfMissing: true },
      });
      await world.boundClaim('data', storageClassName);
      await world.pod('app', ['data'], toBareNode);
      await world.unschedulable('app');
    },
    heal: async (world) => {
      await world.remove('v1', 'Pod', 'app');
      await world.gone('v1', 'Pod', 'app');
      await world.pod('app', ['data']);
      await world.running('app');
    },
  },
  {
    name: 'rwop-conflict',
    phase: 'schedule',
    target: 'pod/late',
    status: 'blocked',
    cause: 'sched-rwop-conflict',
    mustMention: ['early'],
    note: 'The claim is ReadWriteOncePod, and another pod uses it.',
    break: async (world) => {
      await world.claim('data', 'fast-immediate', { accessModes: ['ReadWriteOncePod'] });
      await world.bound('data');
      await world.pod('early', ['data']);
      await world.running('early');
      await world.pod('late', ['data']);
      await world.unschedulable('late', 'ReadWriteOncePod');
    },
    heal: async (world) => {
      await world.remove('v1', 'Pod', 'early');
      await world.phase('Pod', 'late', 'Running', 120);
    },
  },
];
