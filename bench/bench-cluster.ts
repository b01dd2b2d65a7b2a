import { createHash } from 'node:crypto';
import type { RawObject } from '../src/core/kube/snapshot.ts';

export interface BenchSize {
  readonly claims: number;
  /** How many of them are stuck. */
  readonly broken: number;
}

type Fields = Readonly<Record<string, unknown>>;

const driver = 'disk.csi.example.com';
const idle = 'files.csi.example.com';
const home = 'storage';
const claimsPerNamespace = 100;
const claimsPerNode = 100;

/**
 * A cluster as a company has it: each claim with its volume, its pod and its attachment, one event for every ten, and as much metadata as
 * real objects carry. The broken claims lie spread over all namespaces and wait for four different reasons. The same size is the same cluster.
 */
export function* benchCluster({ claims, broken }: BenchSize, now: Date): Generator<RawObject> {
  const past = (minutes: number): string => `${new Date(now.getTime() - minutes * 60_000).toISOString().slice(0, 19)}Z`;
  const born = past(60 * 24 * 30);
  const make = maker(born);
  const nodes = Array.from(
    { length: Math.max(3, Math.ceil(claims / claimsPerNode)) },
    (_, index) => `node-${String(index).padStart(4, '0')}`,
  );
  const namespaces = Array.from(
    { length: Math.max(1, Math.ceil(claims / claimsPerNamespace)) },
    (_, index) => `team-${String(index).padStart(4, '0')}`,
  );
  yield* [...namespaces, home, 'default', 'kube-system'].map((name) =>
    make('v1', 'Namespace', undefined, name, { spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } }),
  );
  yield* nodes.flatMap((name) => nodeObjects(make, name, past(1)));
  yield* driverObjects(make, now);
  const every = broken === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(claims / broken));
  let stuck = 0;
  for (let index = 0; index < claims; index += 1) {
    const namespace = namespaces[Math.floor(index / claimsPerNamespace)] ?? 'default';
    const place = nodes[index % nodes.length] ?? 'node-0000';
    const name = `data-${String(index).padStart(6, '0')}`;
    const isStuck = stuck < broken && index % every === Math.min(every - 1, 7);
    if (isStuck) yield* stuckObjects(make, { namespace, name, born: past(45), seen: past(2), reason: stuck % 4 });
    // No two claims of a real cluster are made in the same second.
    else yield* boundObjects(make, { namespace, name, place, born: past(60 * 24 * 30 + index * 1.37) });
    if (isStuck) stuck += 1;
    else if (index % 10 === 0)
      yield event(make, {
        namespace,
        about: { kind: 'Pod', name: `app-${name}` },
        reason: 'Pulled',
        message: 'Container image is already present on machine',
        type: 'Normal',
        seen: past(20),
      });
  }
}

type Make = (
  apiVersion: string,
  kind: string,
  namespace: string | undefined,
  name: string,
  rest: Fields,
  metadata?: Fields,
) => RawObject;

function maker(born: string): Make {
  return (apiVersion, kind, namespace, name, rest, metadata = {}) => ({
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      uid: uidOf(`${kind}/${namespace ?? ''}/${name}`),
      creationTimestamp: born,
      ...metadata,
    },
    ...rest,
  });
}

function uidOf(text: string): string {
  const hash = createHash('md5').update(text).digest('hex');
  return [hash.slice(0, 8), hash.slice(8, 12), hash.slice(12, 16), hash.slice(16, 20), hash.slice(20)].join('-');
}

function nodeObjects(make: Make, name: string, seen: string): RawObject[] {
  const labels = {
    'kubernetes.io/hostname': name,
    'topology.kubernetes.io/zone': `zone-${name.slice(-1)}`,
    'kubernetes.io/os': 'linux',
  };
  return [
    make(
      'v1',
      'Node',
      undefined,
      name,
      {
        spec: {},
        status: {
          capacity: { cpu: '64', memory: '256Gi', pods: '250' },
          allocatable: { cpu: '64', memory: '256Gi', pods: '250' },
          conditions: [
            {
              type: 'Ready',
              status: 'True',
              reason: 'KubeletReady',
              message: 'kubelet is posting ready status',
              lastHeartbeatTime: seen,
              lastTransitionTime: seen,
            },
          ],
        },
      },
      { labels },
    ),
    make('storage.k8s.io/v1', 'CSINode', undefined, name, {
      spec: {
        drivers: [
          { name: driver, nodeID: name, topologyKeys: ['topology.kubernetes.io/zone'], allocatable: { count: 127 } },
        ],
      },
    }),
  ];
}

/** One driver that works, and one whose controller is scaled to nothing. */
function driverObjects(make: Make, now: Date): RawObject[] {
  const micro = (minutes: number): string =>
    new Date(now.getTime() - minutes * 60_000).toISOString().replace('Z', '000Z');
  const controller = (short: string, name: string, replicas: number): RawObject => {
    const labels = { app: `${short}-controller` };
    const containers = [
      { name: 'driver', image: `registry.example.com/${short}:v1.9.2`, args: [`--driver-name=${name}`] },
      { name: 'csi-provisioner', image: 'registry.example.com/csi-provisioner:v5.1.0', args: ['--leader-election'] },
    ];
    return make('apps/v1', 'Deployment', home, `${short}-controller`, {
      spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
      status: { replicas, readyReplicas: replicas },
    });
  };
  const running = ['driver', 'csi-provisioner'].map((name) => ({
    name,
    image: name,
    imageID: name,
    ready: true,
    restartCount: 0,
    started: true,
    state: { running: {} },
  }));
  return [
    ...[driver, idle].map((name) =>
      make('storage.k8s.io/v1', 'CSIDriver', undefined, name, { spec: { attachRequired: true } }),
    ),
    make('storage.k8s.io/v1', 'StorageClass', undefined, 'fast', {
      provisioner: driver,
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'Immediate',
    }),
    make('storage.k8s.io/v1', 'StorageClass', undefined, 'shared', {
      provisioner: idle,
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'Immediate',
    }),
    make('storage.k8s.io/v1', 'StorageClass', undefined, 'late', {
      provisioner: driver,
      reclaimPolicy: 'Delete',
      volumeBindingMode: 'WaitForFirstConsumer',
    }),
    controller('disk', driver, 1),
    controller('files', idle, 0),
    make(
      'v1',
      'Pod',
      home,
      'disk-controller-0',
      {
        spec: {
          nodeName: 'node-0000',
          containers: [
            { name: 'driver', image: 'registry.example.com/disk:v1.9.2', args: [`--driver-name=${driver}`] },
            {
              name: 'csi-provisioner',
              image: 'registry.example.com/csi-provisioner:v5.1.0',
              args: ['--leader-election'],
            },
          ],
        },
        status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }], containerStatuses: running },
      },
      { labels: { app: 'disk-controller' } },
    ),
    make('coordination.k8s.io/v1', 'Lease', home, driver.replaceAll('.', '-'), {
      spec: {
        holderIdentity: 'disk-controller-0',
        leaseDurationSeconds: 15,
        acquireTime: micro(9000),
        renewTime: micro(0),
      },
    }),
  ];
}

interface Place {
  readonly namespace: string;
  readonly name: string;
  readonly born: string;
}

function boundObjects(make: Make, { namespace, name, place, born }: Place & { readonly place: string }): RawObject[] {
  const volume = `pvc-${uidOf(`PersistentVolumeClaim/${namespace}/${name}`)}`;
  return [
    claim(make, { namespace, name, born, className: 'fast', volume }),
    make(
      'v1',
      'PersistentVolume',
      undefined,
      volume,
      {
        spec: {
          capacity: { storage: '10Gi' },
          accessModes: ['ReadWriteOnce'],
          persistentVolumeReclaimPolicy: 'Delete',
          storageClassName: 'fast',
          volumeMode: 'Filesystem',
          claimRef: {
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            namespace,
            name,
            uid: uidOf(`PersistentVolumeClaim/${namespace}/${name}`),
          },
          csi: {
            driver,
            fsType: 'ext4',
            volumeHandle: volume,
            volumeAttributes: { 'storage.kubernetes.io/csiProvisionerIdentity': `1700000000000-1-${driver}` },
          },
        },
        status: { phase: 'Bound' },
      },
      {
        creationTimestamp: born,
        annotations: { 'pv.kubernetes.io/provisioned-by': driver },
        finalizers: ['kubernetes.io/pv-protection', `external-attacher/${driver.replaceAll('.', '-')}`],
        managedFields: [
          written('csi-provisioner', born, {
            'f:metadata': { 'f:annotations': { '.': {}, 'f:pv.kubernetes.io/provisioned-by': {} } },
            'f:spec': {
              'f:accessModes': {},
              'f:capacity': { '.': {}, 'f:storage': {} },
              'f:claimRef': { '.': {}, 'f:name': {}, 'f:namespace': {}, 'f:uid': {} },
              'f:csi': { '.': {}, 'f:driver': {}, 'f:fsType': {}, 'f:volumeHandle': {} },
              'f:persistentVolumeReclaimPolicy': {},
              'f:storageClassName': {},
              'f:volumeMode': {},
            },
          }),
        ],
      },
    ),
    make(
      'storage.k8s.io/v1',
      'VolumeAttachment',
      undefined,
      `csi-${createHash('md5')
        .update(volume + place)
        .digest('hex')}`,
      {
        spec: { attacher: driver, nodeName: place, source: { persistentVolumeName: volume } },
        status: { attached: true },
      },
    ),
    pod(
      make,
      { namespace, name, born },
      { nodeName: place },
      {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [
          {
            name: 'app',
            image: 'app',
            imageID: 'app',
            ready: true,
            restartCount: 0,
            started: true,
            state: { running: { startedAt: born } },
          },
        ],
      },
    ),
  ];
}

function stuckObjects(
  make: Make,
  { namespace, name, born, seen, reason }: Place & { readonly seen: string; readonly reason: number },
): RawObject[] {
  const className = ['gone', 'shared', 'late', 'fast'][reason] ?? 'gone';
  const stuck = claim(make, { namespace, name, born, className });
  const about = { kind: 'PersistentVolumeClaim', name };
  const messages: Readonly<Record<string, readonly [string, string, string]>> = {
    gone: ['ProvisioningFailed', 'storageclass.storage.k8s.io "gone" not found', 'Warning'],
    shared: [
      'ExternalProvisioning',
      `Waiting for a volume to be created either by the external provisioner '${idle}' or manually by the system administrator.`,
      'Normal',
    ],
    late: ['WaitForFirstConsumer', 'waiting for first consumer to be created before binding', 'Normal'],
    fast: [
      'ProvisioningFailed',
      'failed to provision volume with StorageClass "fast": rpc error: code = ResourceExhausted desc = pool ssd-1 is full',
      'Warning',
    ],
  };
  const [why = '', message = '', type = 'Normal'] = messages[className] ?? [];
  const told = event(make, {
    namespace,
    about,
    reason: why,
    message,
    type,
    seen,
    ...(className === 'fast' && { from: `${driver}_disk-controller-0` }),
  });
  if (className === 'late') return [stuck, told];
  const unbound =
    '0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.';
  return [
    stuck,
    told,
    pod(
      make,
      { namespace, name, born },
      {},
      {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'False',
            reason: 'Unschedulable',
            message: unbound,
            lastTransitionTime: born,
          },
        ],
      },
    ),
    event(make, {
      namespace,
      about: { kind: 'Pod', name: `app-${name}` },
      reason: 'FailedScheduling',
      message: unbound,
      type: 'Warning',
      seen,
    }),
  ];
}

function claim(
  make: Make,
  { namespace, name, born, className, volume }: Place & { readonly className: string; readonly volume?: string },
): RawObject {
  const asked = {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '10Gi' } },
    storageClassName: className,
    volumeMode: 'Filesystem',
  };
  const provisioner = className === 'shared' ? idle : driver;
  const isHanded = className !== 'gone' && className !== 'late';
  const annotations = {
    'kubectl.kubernetes.io/last-applied-configuration': `${JSON.stringify({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { annotations: {}, labels: { app: name }, name, namespace }, spec: asked })}\n`,
    ...(volume !== undefined && {
      'pv.kubernetes.io/bind-completed': 'yes',
      'pv.kubernetes.io/bound-by-controller': 'yes',
    }),
    ...(isHanded && {
      'volume.beta.kubernetes.io/storage-provisioner': provisioner,
      'volume.kubernetes.io/storage-provisioner': provisioner,
    }),
  };
  const managedFields = [
    written('kubectl-client-side-apply', born, {
      'f:metadata': {
        'f:annotations': { '.': {}, 'f:kubectl.kubernetes.io/last-applied-configuration': {} },
        'f:labels': { '.': {}, 'f:app': {} },
      },
      'f:spec': {
        'f:accessModes': {},
        'f:resources': { 'f:requests': { '.': {}, 'f:storage': {} } },
        'f:storageClassName': {},
        'f:volumeMode': {},
      },
    }),
    written('kube-controller-manager', born, {
      'f:metadata': {
        'f:annotations': {
          'f:pv.kubernetes.io/bind-completed': {},
          'f:pv.kubernetes.io/bound-by-controller': {},
          'f:volume.beta.kubernetes.io/storage-provisioner': {},
          'f:volume.kubernetes.io/storage-provisioner': {},
        },
      },
      'f:spec': { 'f:volumeName': {} },
    }),
    {
      ...written('kube-controller-manager', born, {
        'f:status': { 'f:accessModes': {}, 'f:capacity': { '.': {}, 'f:storage': {} }, 'f:phase': {} },
      }),
      subresource: 'status',
    },
  ];
  return make(
    'v1',
    'PersistentVolumeClaim',
    namespace,
    name,
    {
      spec: { ...asked, ...(volume !== undefined && { volumeName: volume }) },
      status:
        volume === undefined
          ? { phase: 'Pending' }
          : { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '10Gi' } },
    },
    {
      creationTimestamp: born,
      labels: { app: name },
      annotations,
      finalizers: ['kubernetes.io/pvc-protection'],
      managedFields,
    },
  );
}

function pod(make: Make, { namespace, name, born }: Place, spec: Fields, status: Fields): RawObject {
  return make(
    'v1',
    'Pod',
    namespace,
    `app-${name}`,
    {
      spec: {
        containers: [
          {
            name: 'app',
            image: 'registry.example.com/app:1.0.0',
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: name } }],
        ...spec,
      },
      status,
    },
    {
      creationTimestamp: born,
      labels: { app: name },
      managedFields: [
        written('kubectl-client-side-apply', born, {
          'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
          'f:spec': {
            'f:containers': { 'k:{"name":"app"}': { '.': {}, 'f:image': {}, 'f:name': {} } },
            'f:volumes': { '.': {}, 'k:{"name":"data"}': { '.': {}, 'f:name': {}, 'f:persistentVolumeClaim': {} } },
          },
        }),
      ],
    },
  );
}

function event(
  make: Make,
  {
    namespace,
    about,
    reason,
    message,
    type,
    seen,
    from,
  }: {
    readonly namespace: string;
    readonly about: { readonly kind: string; readonly name: string };
    readonly reason: string;
    readonly message: string;
    readonly type: string;
    readonly seen: string;
    readonly from?: string;
  },
): RawObject {
  return make(
    'v1',
    'Event',
    namespace,
    `${about.name}.${createHash('md5')
      .update(about.kind + reason)
      .digest('hex')
      .slice(0, 16)}`,
    {
      involvedObject: {
        apiVersion: 'v1',
        kind: about.kind,
        namespace,
        name: about.name,
        uid: uidOf(`${about.kind}/${namespace}/${about.name}`),
      },
      reason,
      message,
      type,
      count: 3,
      firstTimestamp: seen,
      lastTimestamp: seen,
      source: { component: from ?? (about.kind === 'Pod' ? 'default-scheduler' : 'persistentvolume-controller') },
    },
    { creationTimestamp: seen },
  );
}

function written(manager: string, time: string, fieldsV1: Fields): Fields {
  return { apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1, manager, operation: 'Update', time };
}
