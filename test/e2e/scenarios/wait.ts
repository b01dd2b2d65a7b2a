import type { WaitReport } from '../../../src/core/report/wait.ts';
import type { World } from './world.ts';

/** Something that is waited for, what happens meanwhile, and how the wait must end. */
export interface WaitScenario {
  readonly name: string;
  /** Before the wait begins. */
  readonly prepare?: (world: World) => Promise<unknown>;
  /** What `kubectl csi wait` is told. */
  readonly words: readonly string[];
  /** As soon as the wait has said its first word. */
  readonly meanwhile?: (world: World) => Promise<unknown>;
  readonly user?: 'admin' | 'viewer';
  readonly result: WaitReport['result'];
  /** Why it does not come, where it does not. */
  readonly cause?: string;
}

const grown = { spec: { resources: { requests: { storage: '2Gi' } } } };

/** None of these may come to its end by the time running out: that is five minutes. */
export const waitScenarios: readonly WaitScenario[] = [
  {
    name: 'wait-bound',
    words: ['pvc/data', '--for=bound'],
    meanwhile: (world) => world.claim('data', 'fast-immediate'),
    result: 'reached',
  },
  {
    name: 'wait-missing-class',
    words: ['pvc/data', '--for=bound'],
    meanwhile: (world) => world.claim('data', 'e2e-platinum'),
    result: 'unreachable',
    cause: 'sc-missing',
  },
  {
    name: 'wait-first-consumer',
    prepare: (world) => world.claim('data', 'fast-wffc'),
    words: ['pvc/data'],
    meanwhile: (world) => world.pod('app', ['data']),
    result: 'reached',
  },
  {
    name: 'wait-strictly',
    prepare: (world) => world.claim('data', 'fast-wffc'),
    words: ['pvc/data', '--strict', '--grace=5s'],
    result: 'unreachable',
    cause: 'wffc-no-consumer',
  },
  {
    name: 'wait-mounted',
    words: ['pod/app', 'pvc/data', '--for=mounted'],
    meanwhile: async (world) => {
      await world.claim('data', 'fast-wffc');
      await world.pod('app', ['data']);
    },
    result: 'reached',
  },
  {
    name: 'wait-ready-viewer',
    words: ['pod/app', '--for=condition=Ready'],
    meanwhile: async (world) => {
      await world.claim('data', 'fast-wffc');
      await world.pod('app', ['data']);
    },
    user: 'viewer',
    result: 'reached',
  },
  {
    name: 'wait-inline-unsupported',
    words: ['pod/app'],
    meanwhile: (world) =>
      world.pod('app', ['scratch'], { volumes: [{ name: 'scratch', csi: { driver: world.cluster.driver.name } }] }),
    result: 'unreachable',
    cause: 'mount-inline-unsupported',
  },
  {
    name: 'wait-through-error',
    words: ['pvc/data', '--grace=4m'],
    result: 'reached',
    prepare: (world) => Promise.resolve(world.refuse('CreateVolume', 13, 'lvcreate ended with 5')),
    meanwhile: async (world) => {
      await world.claim('data', 'fast-immediate');
      await world.event('data', 'ProvisioningFailed');
      await world.mend();
    },
  },
  {
    name: 'wait-lasting-error',
    words: ['pvc/data', '--grace=10s'],
    result: 'unreachable',
    cause: 'provision-internal',
    prepare: (world) => Promise.resolve(world.refuse('CreateVolume', 13, 'lvcreate ended with 5')),
    meanwhile: (world) => world.claim('data', 'fast-immediate'),
  },
  {
    name: 'wait-deleted',
    prepare: (world) => world.boundClaim('data'),
    words: ['pvc/data', '--for=delete'],
    meanwhile: (world) => world.remove('v1', 'PersistentVolumeClaim', 'data'),
    result: 'reached',
  },
  {
    name: 'wait-deleted-held',
    words: ['pvc/data', '--for=deleted', '--grace=5s'],
    result: 'unreachable',
    cause: 'pvc-terminating-foreign-finalizer',
    prepare: (world) =>
      world.make({
        ...world.claimObject('data', 'fast-immediate'),
        metadata: { name: 'data', namespace: world.namespace, finalizers: ['e2e.test/keep'] },
      }),
    meanwhile: async (world) => {
      await world.remove('v1', 'PersistentVolumeClaim', 'data');
      world.later(() =>
        world.api.patch(world.object('v1', 'PersistentVolumeClaim', 'data'), { metadata: { finalizers: null } }),
      );
    },
  },
  {
    name: 'wait-resized',
    words: ['pvc/data', '--for=resized'],
    result: 'reached',
    prepare: async (world) => {
      await world.boundClaim('data');
      await world.api.patch(world.object('v1', 'PersistentVolumeClaim', 'data'), grown);
    },
    meanwhile: (world) => world.pod('app', ['data']),
  },
  {
    name: 'wait-snapshot',
    prepare: (world) => world.boundClaim('data'),
    words: ['vs/nightly'],
    result: 'reached',
    meanwhile: (world) =>
      world.make({
        ...world.object('snapshot.storage.k8s.io/v1', 'VolumeSnapshot', 'nightly'),
        spec: { volumeSnapshotClassName: 'snapshots', source: { persistentVolumeClaimName: 'data' } },
      }),
  },
];
