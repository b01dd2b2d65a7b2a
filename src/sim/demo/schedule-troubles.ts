import type { RawObject } from '../../core/kube/snapshot.ts';
import { event } from './builders.ts';
import type { DemoClock } from './builders.ts';
import { boundClaim, claim } from './claims.ts';
import { diskUser } from './healthy.ts';
import { diskDriver } from './names.ts';
import { noNode, pod, unschedulablePod } from './pods.ts';

const day = 60 * 24;
const controller = 'persistentvolume-controller';

/** Claims that wait for a pod, and pods that no node can take. */
export function scheduleTroubles(clock: DemoClock): readonly RawObject[] {
  return [
    ...noConsumer(clock),
    ...gatedConsumer(clock),
    ...cpuShort(clock),
    ...diskSlotsFull(clock),
    ...wrongZone(clock),
    ...singleWriter(clock),
    ...claimNeverMade(clock),
  ];
}

function lateClaim(
  clock: DemoClock,
  facts: {
    readonly namespace: string;
    readonly name: string;
    readonly age: number;
    readonly size: string;
    readonly pod?: string;
  },
): readonly RawObject[] {
  const about = claim(clock, { ...facts, className: 'fast' });
  const minutes = Math.min(facts.age, 58);
  const waits =
    facts.pod === undefined
      ? { reason: 'WaitForFirstConsumer', message: 'waiting for first consumer to be created before binding' }
      : { reason: 'WaitForPodScheduled', message: `waiting for pod ${facts.pod} to be scheduled` };
  return [
    about,
    event(clock, about, { ...waits, from: controller, first: minutes, last: 0.2, count: Math.round(minutes * 4) }),
  ];
}

/** wffc-no-consumer: nothing is wrong. */
function noConsumer(clock: DemoClock): readonly RawObject[] {
  return lateClaim(clock, { namespace: 'shop', name: 'reports', age: 4 * day, size: '10Gi' });
}

/** wffc-pod-gated: a queue lets the pod in when its turn comes. */
function gatedConsumer(clock: DemoClock): readonly RawObject[] {
  return [
    ...lateClaim(clock, { namespace: 'ci', name: 'nightly-build', age: 16, size: '40Gi', pod: 'nightly-build' }),
    pod(clock, {
      namespace: 'ci',
      name: 'nightly-build',
      age: 16,
      claims: { workspace: 'nightly-build' },
      gated: true,
      spec: { schedulingGates: [{ name: 'example.com/queue' }] },
    }),
  ];
}

/** wffc-pod-unschedulable-other: the claim waits for the pod, and the pod requires a machine that does not exist. */
function cpuShort(clock: DemoClock): readonly RawObject[] {
  return [
    ...lateClaim(clock, { namespace: 'shop', name: 'search-index', age: 28, size: '60Gi', pod: 'search-0' }),
    ...unschedulablePod(clock, {
      namespace: 'shop',
      name: 'search-0',
      age: 28,
      cpu: '16',
      claims: { index: 'search-index' },
      unschedulable: noNode('3 Insufficient cpu'),
    }),
  ];
}

/** sched-max-volume-count: worker-3 is the only node in zone-b and holds three of three disks. */
function diskSlotsFull(clock: DemoClock): readonly RawObject[] {
  return [
    ...lateClaim(clock, { namespace: 'ci', name: 'artifacts', age: 37, size: '80Gi', pod: 'artifacts-0' }),
    ...unschedulablePod(clock, {
      namespace: 'ci',
      name: 'artifacts-0',
      age: 37,
      claims: { artifacts: 'artifacts' },
      spec: { nodeSelector: { 'topology.kubernetes.io/zone': 'zone-b' } },
      unschedulable: noNode("1 node(s) exceed max volume count, 2 node(s) didn't match Pod's node affinity/selector"),
    }),
  ];
}

/** sched-volume-node-affinity: the disk was created in zone-b before it was clear that its pod must run in zone-a. */
function wrongZone(clock: DemoClock): readonly RawObject[] {
  return [
    ...boundClaim(clock, {
      namespace: 'ci',
      name: 'build-cache',
      age: 70,
      size: '25Gi',
      className: 'fast-immediate',
      driver: diskDriver,
      zone: 'zone-b',
    }),
    ...unschedulablePod(clock, {
      namespace: 'ci',
      name: 'builder-0',
      age: 68,
      claims: { cache: 'build-cache' },
      spec: { nodeSelector: { 'topology.kubernetes.io/zone': 'zone-a' } },
      unschedulable: noNode(
        "1 node(s) didn't match Pod's node affinity/selector, 2 node(s) didn't match PersistentVolume's node affinity",
      ),
    }),
  ];
}

/** sched-rwop-conflict: a second runner next to the first. */
function singleWriter(clock: DemoClock): readonly RawObject[] {
  const reason =
    '3 node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod';
  return [
    ...diskUser(clock, {
      namespace: 'ci',
      pod: 'runner-0',
      claim: 'runner-state',
      node: 'worker-3',
      age: day,
      size: '10Gi',
      modes: ['ReadWriteOncePod'],
    }),
    ...unschedulablePod(clock, {
      namespace: 'ci',
      name: 'runner-1',
      age: 13,
      claims: { state: 'runner-state' },
      unschedulable:
        `0/3 nodes are available: ${reason}. ` +
        'no new claims to deallocate, preemption: 0/3 nodes are available: ' +
        '3 No preemption victims found for incoming pod.',
    }),
  ];
}

/** pod-pvc-missing: the claim is called runner-state. */
function claimNeverMade(clock: DemoClock): readonly RawObject[] {
  return unschedulablePod(clock, {
    namespace: 'ci',
    name: 'cleaner-0',
    age: 9,
    claims: { state: 'runner-stat' },
    unschedulable: '0/3 nodes are available: persistentvolumeclaim "runner-stat" not found. not found',
  });
}
