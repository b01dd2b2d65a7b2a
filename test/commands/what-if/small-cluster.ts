import { resources } from '../../../src/core/kube/resources.ts';
import type { RawObject, Snapshot } from '../../../src/core/kube/snapshot.ts';

type Fields = Readonly<Record<string, unknown>>;
const born = '2026-01-01T00:00:00Z';
export const zoneKey = 'topology.kubernetes.io/zone';
export const driver = 'disk.csi.example.com';

export function make(
  kind: string,
  name: string,
  rest: Fields = {},
  metadata: Fields = {},
  apiVersion = 'v1',
): RawObject {
  return {
    apiVersion,
    kind,
    metadata: { name, uid: `${kind}-${name}`, creationTimestamp: born, ...metadata },
    ...rest,
  };
}

export function node(name: string, zone: string, rest: Fields = {}, key = zoneKey): RawObject[] {
  return [
    make(
      'Node',
      name,
      {
        spec: {},
        status: {
          allocatable: { cpu: '4', memory: '8Gi', pods: '20' },
          conditions: [{ type: 'Ready', status: 'True' }],
          nodeInfo: { kubeletVersion: 'v1.36.4' },
        },
        ...rest,
      },
      {
        labels: { 'kubernetes.io/hostname': name, [key]: zone },
        annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
      },
    ),
    make(
      'CSINode',
      name,
      { spec: { drivers: [{ name: driver, nodeID: name, topologyKeys: [key], allocatable: { count: 4 } }] } },
      {},
      'storage.k8s.io/v1',
    ),
  ];
}

export interface PodOptions {
  readonly cpu?: string;
  readonly claim?: string;
  readonly owner?: string | null;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Fields;
}

export function pod(
  name: string,
  nodeName: string,
  { cpu = '100m', claim, owner = 'ReplicaSet', labels = { app: name }, spec }: PodOptions = {},
): RawObject {
  return make(
    'Pod',
    name,
    {
      spec: {
        nodeName,
        containers: [{ name: 'app', image: 'registry.example.com/app:1', resources: { requests: { cpu } } }],
        ...(claim !== undefined && { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }] }),
        ...spec,
      },
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    },
    {
      namespace: 'shop',
      labels,
      ...(owner !== null && {
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: owner, name: `${name}-owner`, uid: `${name}-owner`, controller: true },
        ],
      }),
    },
  );
}

/** A bound claim, its volume, and its attachment to a node. */
export function volume(claim: string, zone: string | undefined, nodeName?: string, rest: Fields = {}): RawObject[] {
  const name = `pv-${claim}`;
  return [
    make(
      'PersistentVolumeClaim',
      claim,
      {
        spec: {
          storageClassName: 'fast',
          volumeName: name,
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
        },
        status: { phase: 'Bound', capacity: { storage: '1Gi' } },
      },
      {
        namespace: 'shop',
        finalizers: ['kubernetes.io/pvc-protection'],
        annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
      },
    ),
    make(
      'PersistentVolume',
      name,
      {
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          persistentVolumeReclaimPolicy: 'Delete',
          storageClassName: 'fast',
          csi: { driver, volumeHandle: `vol-${claim}` },
          claimRef: {
            kind: 'PersistentVolumeClaim',
            namespace: 'shop',
            name: claim,
            uid: `PersistentVolumeClaim-${claim}`,
          },
          ...(zone !== undefined && {
            nodeAffinity: {
              required: {
                nodeSelectorTerms: [{ matchExpressions: [{ key: zoneKey, operator: 'In', values: [zone] }] }],
              },
            },
          }),
          ...rest,
        },
        status: { phase: 'Bound' },
      },
      { finalizers: ['kubernetes.io/pv-protection'], annotations: { 'pv.kubernetes.io/provisioned-by': driver } },
    ),
    ...(nodeName === undefined
      ? []
      : [
          make(
            'VolumeAttachment',
            `csi-${claim}`,
            {
              spec: { attacher: driver, nodeName, source: { persistentVolumeName: name } },
              status: { attached: true },
            },
            {},
            'storage.k8s.io/v1',
          ),
        ]),
  ];
}

const usual: readonly RawObject[] = [
  make('Namespace', 'shop', { status: { phase: 'Active' } }),
  make('CSIDriver', driver, { spec: { attachRequired: true } }, {}, 'storage.k8s.io/v1'),
  make(
    'StorageClass',
    'fast',
    { provisioner: driver, reclaimPolicy: 'Delete', volumeBindingMode: 'WaitForFirstConsumer' },
    {},
    'storage.k8s.io/v1',
  ),
];

/** A cluster of these objects, of which these kinds could not be read. */
export function cluster(objects: readonly RawObject[], denied: readonly string[] = []): Snapshot {
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Snapshot',
    takenAt: '2026-05-06T07:08:09Z',
    source: { type: 'cluster', name: 'small' },
    serverVersion: 'v1.36.4',
    objects: [...usual, ...objects],
    observations: resources.map(({ kind }) =>
      denied.includes(kind)
        ? { kind, scope: {}, state: 'denied' as const, message: 'forbidden' }
        : { kind, scope: {}, state: 'complete' as const },
    ),
  };
}
