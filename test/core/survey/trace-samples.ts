import { attachmentName } from '../../../src/core/kube/names.ts';
import type { RawObject, Snapshot } from '../../../src/core/kube/snapshot.ts';
import { baseObjects, scenarioNow, snapshotOf } from '../../kit/scenario.ts';

/** A moment so many seconds after the claim was made, which is five minutes before the clock of the scenarios. */
export const at = (seconds: number): string =>
  new Date(Date.parse(scenarioNow) - 300_000 + seconds * 1000).toISOString().replace('.000Z', 'Z');

const uid = '5f2d7a10-0000-4000-8000-00000000da7a';
export const volumeName = `pvc-${uid}`;
const handle = 'vol-5f2d7a10';
const driver = 'csi.example.com';
const finalizer = 'external-attacher/csi-example-com';

type Fields = Record<string, unknown>;
const fields = (...paths: readonly string[][]): Fields => {
  const root: Fields = {};
  for (const path of paths) path.reduce<Fields>((node, step) => (node[step] ??= {}) as Fields, root);
  return root;
};
/** An entry of managedFields as the API server keeps it. */
export const wrote = (manager: string, seconds: number, paths: readonly string[][], subresource?: string): Fields => ({
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: fields(...paths),
  manager,
  operation: 'Update',
  ...(subresource && { subresource }),
  time: at(seconds),
});
const annotation = (name: string): string[] => ['f:metadata', 'f:annotations', `f:${name}`];

const claim: RawObject = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name: 'data',
    namespace: 'shop',
    uid,
    creationTimestamp: at(0),
    annotations: {
      'pv.kubernetes.io/bind-completed': 'yes',
      'volume.kubernetes.io/selected-node': 'node-a',
      'volume.kubernetes.io/storage-provisioner': driver,
    },
    finalizers: ['kubernetes.io/pvc-protection'],
    managedFields: [
      wrote('kubectl-create', 0, [
        ['f:spec', 'f:accessModes'],
        ['f:spec', 'f:resources', 'f:requests', 'f:storage'],
        ['f:spec', 'f:storageClassName'],
      ]),
      wrote('kube-scheduler', 45, [annotation('volume.kubernetes.io/selected-node')]),
      wrote('kube-controller-manager', 58, [
        annotation('pv.kubernetes.io/bind-completed'),
        annotation('volume.kubernetes.io/storage-provisioner'),
        ['f:spec', 'f:volumeName'],
      ]),
      wrote(
        'kube-controller-manager',
        58,
        [
          ['f:status', 'f:phase'],
          ['f:status', 'f:capacity', 'f:storage'],
        ],
        'status',
      ),
    ],
  },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '5Gi' } },
    storageClassName: 'fast-wffc',
    volumeMode: 'Filesystem',
    volumeName,
  },
  status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '5Gi' } },
};

const volume: RawObject = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: {
    name: volumeName,
    uid: 'uid-pv-data',
    creationTimestamp: at(57),
    annotations: { 'pv.kubernetes.io/provisioned-by': driver },
    finalizers: ['kubernetes.io/pv-protection', finalizer],
    managedFields: [
      wrote('csi-provisioner', 57, [
        ['f:spec', 'f:csi', 'f:driver'],
        ['f:spec', 'f:claimRef'],
      ]),
      wrote('kube-controller-manager', 58, [['f:status', 'f:phase']], 'status'),
      wrote('csi-attacher', 61, [['f:metadata', 'f:finalizers', `v:"${finalizer}"`]]),
    ],
  },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '5Gi' },
    claimRef: { kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'data', uid },
    csi: { driver, volumeHandle: handle },
    persistentVolumeReclaimPolicy: 'Delete',
    storageClassName: 'fast-wffc',
    volumeMode: 'Filesystem',
  },
  status: { phase: 'Bound', lastPhaseTransitionTime: at(58) },
};

const attachment: RawObject = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'VolumeAttachment',
  metadata: {
    name: attachmentName(handle, driver, 'node-a'),
    uid: 'uid-va-data',
    creationTimestamp: at(60),
    finalizers: [finalizer],
    managedFields: [
      wrote('kube-controller-manager', 60, [
        ['f:spec', 'f:attacher'],
        ['f:spec', 'f:nodeName'],
      ]),
      wrote('csi-attacher', 61, [
        ['f:metadata', 'f:finalizers', `v:"${finalizer}"`],
        annotation('csi.alpha.kubernetes.io/node-id'),
      ]),
      wrote('csi-attacher', 72, [['f:status', 'f:attached']], 'status'),
    ],
  },
  spec: { attacher: driver, nodeName: 'node-a', source: { persistentVolumeName: volumeName } },
  status: { attached: true },
};

const pod: RawObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web-0',
    namespace: 'shop',
    uid: 'uid-web-0',
    creationTimestamp: at(40),
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'uid-web', controller: true }],
    managedFields: [
      wrote('kube-controller-manager', 40, [['f:spec', 'f:containers']]),
      wrote('kubelet', 80, [['f:status', 'f:phase']], 'status'),
    ],
  },
  spec: {
    nodeName: 'node-a',
    containers: [{ name: 'main', image: 'example.org/app:1' }],
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
  },
  status: {
    phase: 'Running',
    startTime: at(59),
    conditions: [
      { type: 'PodScheduled', status: 'True', lastTransitionTime: at(59) },
      { type: 'PodReadyToStartContainers', status: 'True', lastTransitionTime: at(78) },
      { type: 'Ready', status: 'True', lastTransitionTime: at(80) },
    ],
    containerStatuses: [{ name: 'main', ready: true, restartCount: 0, state: { running: { startedAt: at(80) } } }],
  },
};

/** A claim that waited 40 s for its pod and took 38 s from there, with the record of writes that a server keeps and no event left. */
export const delayedLife: readonly RawObject[] = [claim, volume, attachment, pod];

type Change = (object: RawObject) => RawObject | undefined;

/** The healthy cluster of the scenarios with this life in it, changed. */
export function snapshotWith(
  change: Change = (object) => object,
  more: readonly RawObject[] = [],
  options: Parameters<typeof snapshotOf>[1] = {},
): Snapshot {
  return snapshotOf([...baseObjects(), ...delayedLife.flatMap((object) => change(object) ?? []), ...more], options);
}

export function event(
  about: RawObject,
  reason: string,
  message: string,
  from: string,
  seconds: readonly [number, number?],
  more: Record<string, unknown> = {},
): RawObject {
  const { name, namespace, uid: aboutUid } = about.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: `${name}.${reason.toLowerCase()}-${seconds[0]}`,
      namespace: namespace ?? 'default',
      creationTimestamp: at(seconds[0]),
    },
    type: 'Normal',
    reason,
    message,
    source: { component: from },
    involvedObject: { kind: about.kind, ...(namespace && { namespace }), name, uid: aboutUid },
    firstTimestamp: at(seconds[0]),
    lastTimestamp: at(seconds[1] ?? seconds[0]),
    count: 1,
    ...more,
  };
}

/** What the components said meanwhile, on a server that still keeps it. */
export const events: readonly RawObject[] = [
  event(
    claim,
    'WaitForFirstConsumer',
    'waiting for first consumer to be created before binding',
    'persistentvolume-controller',
    [0, 30],
    { count: 3 },
  ),
  event(
    claim,
    'Provisioning',
    'External provisioner is provisioning volume for claim "shop/data"',
    `${driver}_csi-controller_1234`,
    [45],
  ),
  event(
    claim,
    'ProvisioningSucceeded',
    `Successfully provisioned volume ${volumeName}`,
    `${driver}_csi-controller_1234`,
    [57],
  ),
  // As the scheduler writes it, through events.k8s.io: only eventTime is set.
  event(pod, 'Scheduled', 'Successfully assigned shop/web-0 to node-a', '', [59], {
    source: {},
    reportingComponent: 'default-scheduler',
    eventTime: at(59).replace('Z', '.314159Z'),
    firstTimestamp: null,
    lastTimestamp: null,
    count: null,
  }),
  event(
    pod,
    'SuccessfulAttachVolume',
    `AttachVolume.Attach succeeded for volume "${volumeName}"`,
    'attachdetach-controller',
    [72],
  ),
  event(pod, 'Started', 'Container started', 'kubelet', [80], {
    source: { component: 'kubelet', host: 'node-a' },
    involvedObject: {
      kind: 'Pod',
      namespace: 'shop',
      name: 'web-0',
      uid: 'uid-web-0',
      fieldPath: 'spec.containers{main}',
    },
  }),
];

export const withoutRecords: Change = (object) => ({ ...object, metadata: { ...object.metadata, managedFields: [] } });

/** The same life, stopped where the attacher should act. */
export const attachStuck: Change = (object) => {
  if (object.kind === 'VolumeAttachment') {
    const { managedFields, ...metadata } = object.metadata;
    return {
      ...object,
      metadata: { ...metadata, managedFields: (managedFields as Fields[]).slice(0, 1) },
      status: {
        attached: false,
        attachError: {
          time: at(280),
          message: 'rpc error: code = ResourceExhausted desc = node i-a has 25 of 25 volumes',
          errorCode: 8,
        },
      },
    };
  }
  if (object.kind !== 'Pod') return object;
  return {
    ...object,
    status: {
      phase: 'Pending',
      startTime: at(59),
      conditions: [
        { type: 'PodScheduled', status: 'True', lastTransitionTime: at(59) },
        { type: 'PodReadyToStartContainers', status: 'False', lastTransitionTime: at(59) },
      ],
      containerStatuses: [
        { name: 'main', ready: false, restartCount: 0, state: { waiting: { reason: 'ContainerCreating' } } },
      ],
    },
  };
};

/** The same life, stopped where the provisioner should act. */
export const provisionFails: Change = (object) => {
  if (object.kind === 'PersistentVolume' || object.kind === 'VolumeAttachment') return undefined;
  if (object.kind === 'PersistentVolumeClaim') {
    const { managedFields } = object.metadata;
    const { volumeName: _, ...spec } = object['spec'] as Record<string, unknown>;
    return {
      ...object,
      metadata: {
        ...object.metadata,
        annotations: {
          'volume.kubernetes.io/selected-node': 'node-a',
          'volume.kubernetes.io/storage-provisioner': driver,
        },
        managedFields: [
          ...(managedFields as Fields[]).slice(0, 2),
          wrote('kube-controller-manager', 46, [annotation('volume.kubernetes.io/storage-provisioner')]),
        ],
      },
      spec,
      status: { phase: 'Pending' },
    };
  }
  const { nodeName: _, ...spec } = object['spec'] as Record<string, unknown>;
  return {
    ...object,
    spec,
    status: {
      phase: 'Pending',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'SchedulerError',
          message: 'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded',
          lastTransitionTime: at(45),
        },
      ],
    },
  };
};

export const provisionFailed: readonly RawObject[] = [
  event(
    claim,
    'ProvisioningFailed',
    `failed to provision volume with StorageClass "fast-wffc": rpc error: code = ResourceExhausted desc = pool ssd-1 is full`,
    `${driver}_csi-controller_1234`,
    [47, 290],
    { type: 'Warning', count: 9 },
  ),
];

const lease = (name: string, namespace: string, holder: string): RawObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, namespace, uid: `uid-${name}`, creationTimestamp: at(-9000) },
  spec: { holderIdentity: holder, leaseDurationSeconds: 15, acquireTime: at(-9000), renewTime: at(298) },
});

export const snapshotLife: readonly RawObject[] = [
  lease('snapshot-controller-leader', 'kube-system', 'snapshot-controller-7c9d-4t9wd'),
  lease('external-snapshotter-leader-csi-example-com', 'storage', 'csi-controller-6d5f7-x2x4z'),
  {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotClass',
    metadata: { name: 'snaps', uid: 'uid-snaps', creationTimestamp: at(-9000) },
    driver,
    deletionPolicy: 'Delete',
  },
  {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: {
      name: 'nightly',
      namespace: 'shop',
      uid: 'uid-nightly',
      creationTimestamp: at(120),
      managedFields: [
        wrote('backup-operator', 120, [
          ['f:spec', 'f:source'],
          ['f:spec', 'f:volumeSnapshotClassName'],
        ]),
        wrote(
          'snapshot-controller',
          151,
          [
            ['f:status', 'f:readyToUse'],
            ['f:status', 'f:creationTime'],
          ],
          'status',
        ),
      ],
    },
    spec: { source: { persistentVolumeClaimName: 'data' }, volumeSnapshotClassName: 'snaps' },
    status: {
      boundVolumeSnapshotContentName: 'snapcontent-uid-nightly',
      creationTime: at(124),
      readyToUse: true,
      restoreSize: '5Gi',
    },
  },
  {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotContent',
    metadata: {
      name: 'snapcontent-uid-nightly',
      uid: 'uid-content',
      creationTimestamp: at(121),
      managedFields: [
        wrote('snapshot-controller', 121, [['f:spec', 'f:driver']]),
        wrote(
          'csi-snapshotter',
          150,
          [
            ['f:status', 'f:readyToUse'],
            ['f:status', 'f:snapshotHandle'],
          ],
          'status',
        ),
      ],
    },
    spec: {
      driver,
      deletionPolicy: 'Delete',
      source: { volumeHandle: handle },
      volumeSnapshotClassName: 'snaps',
      volumeSnapshotRef: { kind: 'VolumeSnapshot', namespace: 'shop', name: 'nightly', uid: 'uid-nightly' },
    },
    status: {
      snapshotHandle: 'snap-77',
      readyToUse: true,
      creationTime: Date.parse(at(124)) * 1e6,
      restoreSize: 5 * 2 ** 30,
    },
  },
];
