import { until } from '../cluster/until.ts';
import type { KubernetesObject } from '../cluster/api.ts';
import type { World } from './world.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An operation that is foretold, and then carried out. */
export interface Operation {
  readonly name: string;
  /** What there is before. */
  readonly prepare: (world: World) => Promise<unknown>;
  /** The words of `what-if`, without the namespace. */
  readonly words: (world: World) => readonly string[];
  /** The same operation on the cluster. A refusal is an outcome, not an error. */
  readonly act: (world: World, kubectl: (words: readonly string[]) => Promise<unknown>) => Promise<unknown>;
  /** Seconds until everything should have happened. */
  readonly patience?: number;
}

const toleratesBare = { key: 'e2e/bare', operator: 'Exists' };
const soon = ['unreachable', 'not-ready'].map((word) => ({
  key: `node.kubernetes.io/${word}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 5,
}));
const onNodeA = { 'kubernetes.io/hostname': 'node-a' };

/** A Deployment or StatefulSet of one pod, whose app is its name. */
async function workload(
  world: World,
  kind: 'Deployment' | 'StatefulSet',
  name: string,
  claims: readonly string[],
  more: { readonly pod?: Fields; readonly spec?: Fields } = {},
): Promise<void> {
  const labels = { app: name };
  await world.make({
    ...world.object('apps/v1', kind, name),
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      ...(kind === 'Deployment' ? { strategy: { type: 'Recreate' } } : { serviceName: name }),
      template: { metadata: { labels }, spec: { ...world.podSpec(claims), ...more.pod } },
      ...more.spec,
    },
  });
}

/** The label of the workload; a pod without one stands for itself. */
export function appOf({ metadata }: KubernetesObject): string {
  return (metadata.labels as Readonly<Record<string, string>> | undefined)?.['app'] ?? metadata.name;
}

/** Until the only pod of an app runs. */
function runs(world: World, app: string): Promise<KubernetesObject> {
  return until(`a pod of ${app} to run`, 90, async () =>
    (await world.api.list('v1', 'Pod', world.namespace)).find(
      (pod) => appOf(pod) === app && pod['status']?.phase === 'Running',
    ),
  );
}

/** The same on a node without a kubelet, where no pod ever runs. */
function placed(world: World, app: string): Promise<KubernetesObject> {
  return until(`a pod of ${app} to have a node`, 90, async () =>
    (await world.api.list('v1', 'Pod', world.namespace)).find(
      (pod) => appOf(pod) === app && pod['spec'].nodeName !== undefined,
    ),
  );
}

async function withClaim(
  world: World,
  name: string,
  policy: 'Delete' | 'Retain' = 'Delete',
): Promise<KubernetesObject> {
  const volume = await world.boundClaim(name);
  if (policy === 'Retain') await world.api.patch(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } });
  return volume;
}

const drainA = ['drain', 'node-a'];
const drainFlags = ['--ignore-daemonsets', '--delete-emptydir-data', '--timeout=45s'];
const drain: Operation['act'] = (_world, kubectl) => kubectl([...drainA, ...drainFlags]);

function statefulClaims(className: string): Fields {
  return {
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: {
          accessModes: ['ReadWriteOnce'],
          storageClassName: className,
          resources: { requests: { storage: '1Gi' } },
        },
      },
    ],
  };
}

/** Of a StatefulSet, the claim template is the volume. */
function withoutVolumes(world: World): Fields {
  return { ...world.podSpec([]), volumes: [] };
}

const deleteWords = (kind: string, name: string) => (): readonly string[] => ['delete', `${kind}/${name}`];

export const operations: readonly Operation[] = [
  {
    name: 'what-if-drain-moves',
    prepare: async (world) => {
      const preferA = {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 100,
              preference: { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node-a'] }] },
            },
          ],
        },
      };
      await workload(world, 'Deployment', 'web', [], {
        pod: { tolerations: [toleratesBare], affinity: preferA, volumes: [{ name: 'scratch', emptyDir: {} }] },
      });
      await runs(world, 'web');
    },
    words: () => drainA,
    act: drain,
  },
  {
    name: 'what-if-drain-volume',
    prepare: async (world) => {
      await workload(world, 'StatefulSet', 'db', [], { pod: withoutVolumes(world), spec: statefulClaims('fast-wffc') });
      await runs(world, 'db');
    },
    words: () => drainA,
    act: drain,
  },
  {
    name: 'what-if-drain-bare-pod',
    prepare: async (world) => {
      await withClaim(world, 'data');
      await world.make({
        ...world.object('v1', 'Pod', 'alone'),
        metadata: { ...world.object('v1', 'Pod', 'alone').metadata, labels: { app: 'alone' } },
        spec: world.podSpec(['data']),
      });
      await runs(world, 'alone');
    },
    words: () => drainA,
    act: drain,
  },
  {
    name: 'what-if-drain-budget',
    prepare: async (world) => {
      await workload(world, 'Deployment', 'guarded', []);
      await world.make({
        ...world.object('policy/v1', 'PodDisruptionBudget', 'guard'),
        spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'guarded' } } },
      });
      await runs(world, 'guarded');
      await until(
        'the budget to be counted',
        60,
        async () =>
          (await world.api.get(world.object('policy/v1', 'PodDisruptionBudget', 'guard')))?.['status']
            ?.currentHealthy === 1 || undefined,
      );
    },
    words: () => drainA,
    act: drain,
  },
  {
    name: 'what-if-drain-local',
    prepare: async (world) => {
      const className = `local-${world.namespace}`;
      await world.manualClass(className);
      await world.volume(`disk-${world.namespace}`, className, {
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['node-a'] }] },
            ],
          },
        },
      });
      await world.claim('data', className);
      await world.bound('data');
      await workload(world, 'Deployment', 'local', ['data'], { pod: { tolerations: [toleratesBare] } });
      await runs(world, 'local');
    },
    words: () => drainA,
    act: drain,
  },
  {
    name: 'what-if-drain-selector',
    prepare: async (world) => {
      await workload(world, 'Deployment', 'picky', [], { pod: { nodeSelector: onNodeA } });
      await runs(world, 'picky');
    },
    words: () => drainA,
    act: drain,
  },
  {
    name: 'what-if-delete-namespace',
    prepare: async (world) => {
      await withClaim(world, 'data');
      await withClaim(world, 'kept', 'Retain');
      await workload(world, 'Deployment', 'web', ['data', 'kept']);
      await runs(world, 'web');
    },
    words: (world) => ['delete', `ns/${world.namespace}`],
    act: (world, kubectl) => kubectl(['delete', 'namespace', world.namespace, '--wait=false']),
    patience: 120,
  },
  {
    name: 'what-if-delete-claim',
    prepare: (world) => withClaim(world, 'data'),
    words: deleteWords('pvc', 'data'),
    act: (_world, kubectl) => kubectl(['delete', 'pvc', 'data', '--wait=false']),
  },
  {
    name: 'what-if-delete-claim-retain',
    prepare: (world) => withClaim(world, 'data', 'Retain'),
    words: deleteWords('pvc', 'data'),
    act: (_world, kubectl) => kubectl(['delete', 'pvc', 'data', '--wait=false']),
  },
  {
    name: 'what-if-delete-claim-in-use',
    prepare: async (world) => {
      await withClaim(world, 'data');
      await workload(world, 'Deployment', 'web', ['data']);
      await runs(world, 'web');
    },
    words: deleteWords('pvc', 'data'),
    act: (_world, kubectl) => kubectl(['delete', 'pvc', 'data', '--wait=false']),
  },
  {
    name: 'what-if-delete-volume',
    prepare: (world) => withClaim(world, 'data').then((volume) => (world.target = volume.metadata.name)),
    words: (world) => ['delete', `pv/${world.target ?? ''}`],
    act: (world, kubectl) => kubectl(['delete', 'pv', world.target ?? '', '--wait=false']),
  },
  {
    name: 'what-if-scale-to-zero',
    prepare: async (world) => {
      await withClaim(world, 'data');
      await workload(world, 'Deployment', 'web', ['data']);
      await runs(world, 'web');
    },
    words: () => ['scale', 'deploy/web', '--replicas=0'],
    act: (_world, kubectl) => kubectl(['scale', 'deploy/web', '--replicas=0']),
  },
  {
    name: 'what-if-scale-and-delete',
    prepare: async (world) => {
      await withClaim(world, 'data');
      await workload(world, 'Deployment', 'web', ['data']);
      await runs(world, 'web');
    },
    words: () => ['scale', 'deploy/web', '--replicas=0', '+', 'delete', 'pvc/data'],
    act: async (_world, kubectl) => {
      await kubectl(['scale', 'deploy/web', '--replicas=0']);
      await kubectl(['delete', 'pvc', 'data', '--wait=false']);
    },
  },
  {
    name: 'what-if-scale-set-deletes',
    prepare: async (world) => {
      const policy = { persistentVolumeClaimRetentionPolicy: { whenScaled: 'Delete', whenDeleted: 'Retain' } };
      await workload(world, 'StatefulSet', 'db', [], {
        pod: withoutVolumes(world),
        spec: { ...statefulClaims('fast-wffc'), ...policy },
      });
      await runs(world, 'db');
    },
    words: () => ['scale', 'sts/db', '--replicas=0'],
    act: (_world, kubectl) => kubectl(['scale', 'sts/db', '--replicas=0']),
  },
  {
    name: 'what-if-delete-class',
    prepare: async (world) => {
      const { name: provisioner } = world.cluster.driver;
      await world.storageClass(`gone-${world.namespace}`, provisioner, { volumeBindingMode: 'WaitForFirstConsumer' });
      await world.claim('later', `gone-${world.namespace}`);
    },
    words: (world) => ['delete', `sc/gone-${world.namespace}`],
    act: (world, kubectl) => kubectl(['delete', 'sc', `gone-${world.namespace}`]),
  },
  {
    name: 'what-if-delete-snapshot',
    prepare: async (world) => {
      await withClaim(world, 'data');
      await world.make({
        ...world.object('snapshot.storage.k8s.io/v1', 'VolumeSnapshot', 'nightly'),
        spec: { volumeSnapshotClassName: 'snapshots', source: { persistentVolumeClaimName: 'data' } },
      });
      await until(
        'the snapshot to be ready',
        90,
        async () =>
          (await world.api.get(world.object('snapshot.storage.k8s.io/v1', 'VolumeSnapshot', 'nightly')))?.['status']
            ?.readyToUse === true || undefined,
      );
    },
    words: deleteWords('vs', 'nightly'),
    act: (_world, kubectl) => kubectl(['delete', 'volumesnapshot', 'nightly', '--wait=false']),
  },
  {
    name: 'what-if-lose-node',
    prepare: (world) => onOwnNode(world, 'node-lost'),
    words: () => ['lose', 'node-lost'],
    act: (world) => Promise.resolve((world.mend as () => void)()),
    patience: 180,
  },
  {
    name: 'what-if-delete-node',
    prepare: (world) => onOwnNode(world, 'node-doomed'),
    words: () => ['delete', 'node/node-doomed'],
    act: async (world, kubectl) => {
      (world.mend as () => void)();
      await kubectl(['delete', 'node', 'node-doomed']);
    },
    patience: 180,
  },
];

/** Two pods on a node of their own that could run elsewhere: one of a Deployment, one of a StatefulSet. */
async function onOwnNode(world: World, name: string): Promise<void> {
  const node = await world.bareNode(name);
  world.mend = () => node.stop();
  const preferred = {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 100,
          preference: { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [name] }] },
        },
      ],
    },
  };
  const pod = { tolerations: [toleratesBare, ...soon], affinity: preferred };
  await workload(world, 'Deployment', 'web', [], { pod });
  await workload(world, 'StatefulSet', 'db', [], { pod });
  await placed(world, 'web');
  await placed(world, 'db');
}
