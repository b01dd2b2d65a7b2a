import type { RawObject, Snapshot } from '../src/core/kube/snapshot.ts';
import { resources } from '../src/core/kube/resources.ts';

const driver = 'disk.csi.example.com';
const zoneKey = 'topology.kubernetes.io/zone';
const zones = ['zone-a', 'zone-b', 'zone-c'] as const;
const podsPerNode = 20;
const replicas = 3;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Three zones with a third of the processor free: two fifths of the pods belong to StatefulSets with a volume in their zone,
 * the others to Deployments, of which some keep their pods on different nodes and some spread them over the zones.
 */
export function zonedCluster(nodeCount: number, now: Date): Snapshot {
  const born = new Date(now.getTime() - 30 * 86_400_000).toISOString().replace(/\.\d+/, '');
  const make = (
    kind: string,
    apiVersion: string,
    name: string,
    rest: Fields,
    namespace?: string,
    metadata: Fields = {},
  ): RawObject => ({
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      uid: `${kind}-${namespace ?? ''}-${name}`,
      creationTimestamp: born,
      ...metadata,
    },
    ...rest,
  });
  const nodes = Array.from({ length: nodeCount }, (_, index) => `node-${String(index).padStart(4, '0')}`);
  const zoneOf = (index: number): string => zones[index % zones.length] ?? 'zone-a';
  const objects: RawObject[] = [
    make('CSIDriver', 'storage.k8s.io/v1', driver, { spec: { attachRequired: true } }),
    make('StorageClass', 'storage.k8s.io/v1', 'fast', {
      provisioner: driver,
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'WaitForFirstConsumer',
    }),
    ...nodes.flatMap((name, index) => [
      make(
        'Node',
        'v1',
        name,
        {
          spec: {},
          status: {
            allocatable: { cpu: '16', memory: '64Gi', pods: '110' },
            conditions: [{ type: 'Ready', status: 'True' }],
          },
        },
        undefined,
        {
          labels: { 'kubernetes.io/hostname': name, [zoneKey]: zoneOf(index) },
          annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
        },
      ),
      make('CSINode', 'storage.k8s.io/v1', name, {
        spec: { drivers: [{ name: driver, nodeID: name, topologyKeys: [zoneKey], allocatable: { count: 25 } }] },
      }),
    ]),
  ];
  const count = nodeCount * podsPerNode;
  for (let index = 0; index < count; index += 1) {
    const app = Math.floor(index / replicas);
    const isSet = app % 5 < 2;
    const place = (app * 7 + index) % nodeCount;
    objects.push(
      ...podObjects(make, { app, ordinal: index % replicas, isSet, node: nodes[place] ?? '', zone: zoneOf(place) }),
    );
  }
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Snapshot',
    takenAt: now.toISOString(),
    source: { type: 'cluster', name: 'zoned' },
    serverVersion: 'v1.36.4',
    objects,
    observations: resources.map(({ kind }) => ({ kind, scope: {}, state: 'complete' })),
  };
}

interface PodPlace {
  readonly app: number;
  readonly ordinal: number;
  readonly isSet: boolean;
  readonly node: string;
  readonly zone: string;
}

type Make = (
  kind: string,
  apiVersion: string,
  name: string,
  rest: Fields,
  namespace?: string,
  metadata?: Fields,
) => RawObject;

function podObjects(make: Make, { app, ordinal, isSet, node, zone }: PodPlace): RawObject[] {
  const namespace = `team-${Math.floor(app / 40)}`;
  const name = `app-${app}-${ordinal}`;
  const labels = { app: `app-${app}` };
  const requests = { cpu: `${250 + (app % 4) * 100}m`, memory: `${512 * (1 + (app % 3))}Mi` };
  const pod = make(
    'Pod',
    'v1',
    name,
    {
      spec: {
        nodeName: node,
        containers: [{ name: 'app', image: 'registry.example.com/app:1', resources: { requests } }],
        ...rulesOf(app, labels),
        ...(isSet && { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-${name}` } }] }),
      },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    },
    namespace,
    {
      labels,
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          kind: isSet ? 'StatefulSet' : 'ReplicaSet',
          name: `app-${app}`,
          uid: `app-${app}`,
          controller: true,
        },
      ],
    },
  );
  return isSet ? [pod, ...volumeObjects(make, namespace, name, node, zone)] : [pod];
}

function rulesOf(app: number, matchLabels: Fields): Fields {
  const labelSelector = { matchLabels };
  if (app % 10 === 3)
    return {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector, topologyKey: 'kubernetes.io/hostname' }],
        },
      },
    };
  if (app % 10 === 4)
    return {
      topologySpreadConstraints: [
        { topologyKey: zoneKey, maxSkew: 2, whenUnsatisfiable: 'DoNotSchedule', labelSelector },
      ],
    };
  return {};
}

function volumeObjects(make: Make, namespace: string, name: string, node: string, zone: string): RawObject[] {
  const claim = `data-${name}`;
  const volume = `pvc-${namespace}-${name}`;
  return [
    make(
      'PersistentVolumeClaim',
      'v1',
      claim,
      {
        spec: {
          storageClassName: 'fast',
          volumeName: volume,
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '10Gi' } },
        },
        status: { phase: 'Bound', capacity: { storage: '10Gi' } },
      },
      namespace,
    ),
    make('PersistentVolume', 'v1', volume, {
      spec: {
        capacity: { storage: '10Gi' },
        accessModes: ['ReadWriteOnce'],
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: 'fast',
        csi: { driver, volumeHandle: `vol-${volume}` },
        claimRef: {
          kind: 'PersistentVolumeClaim',
          namespace,
          name: claim,
          uid: `PersistentVolumeClaim-${namespace}-${claim}`,
        },
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: zoneKey, operator: 'In', values: [zone] }] }] },
        },
      },
      status: { phase: 'Bound' },
    }),
    make('VolumeAttachment', 'storage.k8s.io/v1', `csi-${volume}`, {
      spec: { attacher: driver, nodeName: node, source: { persistentVolumeName: volume } },
      status: { attached: true },
    }),
  ];
}
