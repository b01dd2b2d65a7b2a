import { resources } from '../../src/core/kube/resources.ts';
import type { RawObject, Snapshot } from '../../src/core/kube/snapshot.ts';

export const largeClusterTime = '2026-03-01T12:00:00Z';
const born = '2026-01-01T00:00:00Z';
const disk = 'disk.csi.example.com';
const files = 'files.csi.example.com';
const home = 'storage';

/** A hundred nodes and two drivers: a few nodes are odd, one controller is scaled to nothing, and forty claims wait for it. */
export function largeCluster(size: { readonly nodes?: number; readonly bound?: number } = {}): Snapshot {
  const nodes = Array.from({ length: size.nodes ?? 100 }, (_, index) => `node-${String(index + 1).padStart(3, '0')}`);
  const bound = Array.from({ length: size.bound ?? 1200 }, (_, index) => boundClaim(index, nodes));
  return {
    apiVersion: 'csi.kubectl.dev/v1',
    kind: 'Snapshot',
    takenAt: largeClusterTime,
    source: { type: 'cluster', name: 'large' },
    serverVersion: 'v1.36.4',
    objects: [
      make('Namespace', 'v1', undefined, 'shop', {}),
      ...nodes.flatMap((name, index) => node(name, index)),
      ...[disk, files].map((name) =>
        make('CSIDriver', 'storage.k8s.io/v1', undefined, name, {
          spec: { attachRequired: name === disk, storageCapacity: name === disk },
        }),
      ),
      storageClass('fast', disk, 'WaitForFirstConsumer'),
      storageClass('shared', files, 'Immediate'),
      ...controller('disk', disk, 2),
      ...controller('files', files, 0),
      ...plugin('disk', disk, nodes),
      ...plugin('files', files, nodes),
      ...['a', 'b', 'c'].flatMap((zone) => capacity(zone)),
      ...bound.flat(),
      ...Array.from({ length: 40 }, (_, index) =>
        claim(`upload-${index}`, 'shared', { phase: 'Pending', created: '2026-03-01T11:46:00Z', asked: files }),
      ),
    ],
    observations: resources.map(({ kind }) => ({ kind, scope: {}, state: 'complete' })),
  };
}

function make(
  kind: string,
  apiVersion: string,
  namespace: string | undefined,
  name: string,
  rest: Readonly<Record<string, unknown>>,
  metadata: Readonly<Record<string, unknown>> = {},
): RawObject {
  return {
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
  };
}

function node(name: string, index: number): RawObject[] {
  const isDown = index === 41;
  const isControlPlane = index < 2;
  const taints = isControlPlane ? [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }] : [];
  const drivers = isControlPlane || index === 22 ? [] : [disk, ...(index === 6 ? [] : [files])];
  return [
    make('Node', 'v1', undefined, name, {
      spec: { taints, ...(index === 76 && { unschedulable: true }) },
      status: {
        conditions: [
          {
            type: 'Ready',
            status: isDown ? 'Unknown' : 'True',
            reason: isDown ? 'NodeStatusUnknown' : 'KubeletReady',
            lastTransitionTime: '2026-03-01T11:00:00Z',
          },
        ],
      },
    }),
    make('CSINode', 'storage.k8s.io/v1', undefined, name, {
      spec: {
        drivers: drivers.map((driver) => ({
          name: driver,
          nodeID: name,
          ...(driver === disk && { allocatable: { count: 25 } }),
        })),
      },
    }),
  ];
}

function storageClass(name: string, provisioner: string, volumeBindingMode: string): RawObject {
  return make('StorageClass', 'storage.k8s.io/v1', undefined, name, {
    provisioner,
    reclaimPolicy: 'Delete',
    volumeBindingMode,
  });
}

const image = (name: string, version: string): string => `registry.example.com/sig-storage/${name}:${version}`;

function controller(short: string, driver: string, replicas: number): RawObject[] {
  const roles = ['provisioner', 'resizer', ...(driver === disk ? ['attacher'] : [])];
  const spec = {
    containers: [
      {
        name: `${short}-driver`,
        image: `registry.example.com/${short}-driver:v1.9.2`,
        args: ['--endpoint=unix:///csi/csi.sock', `--driver-name=${driver}`],
      },
      ...roles.map((role) => ({
        name: `csi-${role}`,
        image: image(`csi-${role}`, 'v5.1.0'),
        args: ['--leader-election'],
      })),
      { name: 'liveness-probe', image: image('livenessprobe', 'v2.14.0') },
    ],
  };
  const labels = { app: `${short}-controller` };
  const names = Array.from({ length: replicas }, (_, index) => `${short}-controller-${index}`);
  const flat = driver.replaceAll('.', '-');
  const leases: Readonly<Record<string, string>> = {
    provisioner: flat,
    resizer: `external-resizer-${flat}`,
    attacher: `external-attacher-leader-${flat}`,
  };
  return [
    make('Deployment', 'apps/v1', home, `${short}-controller`, {
      spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
      status: { replicas, readyReplicas: replicas },
    }),
    ...names.map((name) =>
      make(
        'Pod',
        'v1',
        home,
        name,
        { spec: { ...spec, nodeName: 'node-005' }, status: running(spec.containers) },
        { labels },
      ),
    ),
    ...roles.map((role, index) =>
      make('Lease', 'coordination.k8s.io/v1', home, leases[role] ?? role, {
        spec: {
          holderIdentity: names[index % 2] ?? `${short}-controller-0`,
          leaseDurationSeconds: 15,
          acquireTime: '2026-02-26T12:00:00.000000Z',
          renewTime: replicas > 0 ? '2026-03-01T11:59:58.000000Z' : '2026-03-01T10:25:00.000000Z',
        },
      }),
    ),
  ];
}

function running(containers: readonly { readonly name: string }[]): Record<string, unknown> {
  return {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: containers.map(({ name }) => ({
      name,
      ready: true,
      restartCount: 0,
      state: { running: { startedAt: born } },
    })),
  };
}

/** The plugin keeps off control planes; it crashes on node-007, has no pod on node-023 and an older version on node-050. */
function plugin(short: string, driver: string, nodes: readonly string[]): RawObject[] {
  const specOf = (version: string) => ({
    containers: [
      {
        name: `${short}-driver`,
        image: `registry.example.com/${short}-driver:${version}`,
        args: ['--endpoint=unix:///csi/csi.sock'],
      },
      {
        name: 'node-driver-registrar',
        image: image('csi-node-driver-registrar', 'v2.12.0'),
        args: [`--kubelet-registration-path=/var/lib/kubelet/plugins/${driver}/csi.sock`],
      },
    ],
  });
  const labels = { app: `${short}-node` };
  const set = make('DaemonSet', 'apps/v1', home, `${short}-node`, {
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: specOf('v1.9.2') } },
  });
  const pods = nodes.flatMap((name, index) => {
    if (index < 2 || index === 22) return [];
    const spec = specOf(short === 'disk' && index === 49 ? 'v1.8.0' : 'v1.9.2');
    const crashing = {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }],
      containerStatuses: [
        { name: `${short}-driver`, ready: false, restartCount: 12, state: { waiting: { reason: 'CrashLoopBackOff' } } },
      ],
    };
    return [
      make(
        'Pod',
        'v1',
        home,
        `${short}-node-${name}`,
        {
          spec: { ...spec, nodeName: name },
          status: short === 'files' && index === 6 ? crashing : running(spec.containers),
        },
        {
          labels,
          ownerReferences: [
            {
              apiVersion: 'apps/v1',
              kind: 'DaemonSet',
              name: `${short}-node`,
              uid: set.metadata.uid,
              controller: true,
            },
          ],
        },
      ),
    ];
  });
  return [set, ...pods];
}

function capacity(zone: string): RawObject[] {
  const sizes: Readonly<Record<string, readonly string[]>> = {
    a: ['812Gi', '107374182400', '3Ti'],
    b: ['436Gi', '0', '900Mi'],
    c: ['1Ti', '2Ti', '4Ti'],
  };
  return (sizes[zone] ?? []).map((size, index) =>
    make('CSIStorageCapacity', 'storage.k8s.io/v1', home, `csisc-${zone}${index}`, {
      storageClassName: 'fast',
      nodeTopology: { matchLabels: { 'topology.kubernetes.io/zone': `zone-${zone}${index}` } },
      capacity: size,
    }),
  );
}

/** The first 25 claims fill node-004, the next 24 nearly fill node-010, and the rest are spread over the others. */
function nodeIndexOf(claim: number, nodes: number): number {
  if (claim < 25) return 3;
  return claim < 49 ? 9 : 10 + (claim % Math.max(1, nodes - 10));
}

function boundClaim(index: number, nodes: readonly string[]): RawObject[] {
  const name = `data-${index}`;
  const place = nodes[nodeIndexOf(index, nodes.length)];
  const volume = `pvc-${String(index).padStart(5, '0')}`;
  const growing = index === 60;
  return [
    claim(name, 'fast', {
      phase: 'Bound',
      created: born,
      volume,
      ...(growing && { request: '20Gi', written: '2026-03-01T11:58:50Z' }),
    }),
    make('PersistentVolume', 'v1', undefined, volume, {
      spec: {
        capacity: { storage: '10Gi' },
        accessModes: ['ReadWriteOnce'],
        storageClassName: 'fast',
        persistentVolumeReclaimPolicy: 'Delete',
        csi: { driver: disk, volumeHandle: volume },
        claimRef: { kind: 'PersistentVolumeClaim', namespace: 'shop', name, uid: `PersistentVolumeClaim-shop-${name}` },
      },
      status: { phase: 'Bound' },
    }),
    make('VolumeAttachment', 'storage.k8s.io/v1', undefined, `csi-${volume}`, {
      spec: { attacher: disk, nodeName: place, source: { persistentVolumeName: volume } },
      status: { attached: true },
    }),
  ];
}

function claim(
  name: string,
  storageClassName: string,
  more: {
    readonly phase: string;
    readonly created: string;
    readonly volume?: string;
    readonly request?: string;
    readonly written?: string;
    readonly asked?: string;
  },
): RawObject {
  const managedFields = [
    {
      manager: 'kubectl-client-side-apply',
      operation: 'Update',
      time: more.written ?? more.created,
      fieldsV1: { 'f:spec': { 'f:resources': { 'f:requests': { 'f:storage': {} } } } },
    },
    {
      manager: 'kube-controller-manager',
      operation: 'Update',
      subresource: 'status',
      time: '2026-02-01T00:00:00Z',
      fieldsV1: { 'f:status': { 'f:phase': {} } },
    },
  ];
  return make(
    'PersistentVolumeClaim',
    'v1',
    'shop',
    name,
    {
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName,
        volumeMode: 'Filesystem',
        resources: { requests: { storage: more.request ?? '10Gi' } },
        ...(more.volume !== undefined && { volumeName: more.volume }),
      },
      status: {
        phase: more.phase,
        ...(more.volume !== undefined && { capacity: { storage: '10Gi' }, accessModes: ['ReadWriteOnce'] }),
      },
    },
    {
      creationTimestamp: more.created,
      managedFields,
      ...(more.asked !== undefined && { annotations: { 'volume.kubernetes.io/storage-provisioner': more.asked } }),
    },
  );
}
