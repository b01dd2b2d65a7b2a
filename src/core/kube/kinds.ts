import { anything, boolean, list, map, number, quantity, record, string } from './shape.ts';
import type { Infer, Shape } from './shape.ts';

const ownerReference = record({ apiVersion: string, kind: string, name: string, uid: string, controller: boolean });
const managedField = record({
  manager: string,
  operation: string,
  time: string,
  subresource: string,
  fieldsV1: anything,
});
const metadata = record({
  name: string,
  namespace: string,
  uid: string,
  resourceVersion: string,
  generation: number,
  creationTimestamp: string,
  deletionTimestamp: string,
  deletionGracePeriodSeconds: number,
  labels: map(string),
  annotations: map(string),
  finalizers: list(string),
  ownerReferences: list(ownerReference),
  managedFields: list(managedField),
});
const condition = record({
  type: string,
  status: string,
  reason: string,
  message: string,
  lastTransitionTime: string,
  lastProbeTime: string,
});
const reference = record({
  apiVersion: string,
  apiGroup: string,
  kind: string,
  namespace: string,
  name: string,
  uid: string,
  fieldPath: string,
});
const selectorRequirement = record({ key: string, operator: string, values: list(string) });
const labelSelector = record({ matchLabels: map(string), matchExpressions: list(selectorRequirement) });
const nodeSelectorTerm = record({
  matchExpressions: list(selectorRequirement),
  matchFields: list(selectorRequirement),
});
const nodeSelector = record({ nodeSelectorTerms: list(nodeSelectorTerm) });
/** What a driver reports of a volume or of its storage (KEP-1432, alpha ≥1.37); the list was called `conditions` in the proposal. */
const healthCondition = record({
  status: string,
  reason: string,
  message: string,
  lastTransitionTime: string,
  accessModes: list(string),
  volumeMode: string,
});
const healthReport = {
  healthConditions: list(healthCondition),
  conditions: list(healthCondition),
  lastTransitionTime: string,
};
const secretReference = record({ name: string, namespace: string });
const resources = record({ requests: map(quantity), limits: map(quantity) });

const claimSpec = record({
  accessModes: list(string),
  resources,
  storageClassName: string,
  volumeName: string,
  volumeMode: string,
  selector: labelSelector,
  volumeAttributesClassName: string,
  dataSource: reference,
  dataSourceRef: reference,
});

const containerState = record({
  waiting: record({ reason: string, message: string }),
  running: record({ startedAt: string }),
  terminated: record({ exitCode: number, reason: string, message: string, startedAt: string, finishedAt: string }),
});
const containerStatus = record({
  name: string,
  ready: boolean,
  started: boolean,
  restartCount: number,
  image: string,
  state: containerState,
  lastState: containerState,
});
const seLinuxOptions = record({ user: string, role: string, type: string, level: string });
const environment = record({
  name: string,
  value: string,
  valueFrom: record({ fieldRef: record({ fieldPath: string }) }),
});
const container = record({
  name: string,
  image: string,
  command: list(string),
  args: list(string),
  env: list(environment),
  ports: list(record({ name: string, containerPort: number })),
  volumeMounts: list(
    record({ name: string, mountPath: string, subPath: string, subPathExpr: string, readOnly: boolean }),
  ),
  volumeDevices: list(record({ name: string, devicePath: string })),
  securityContext: record({ seLinuxOptions }),
  livenessProbe: record({ httpGet: record({ path: string, port: quantity, host: string }) }),
  resources,
  restartPolicy: string,
});
const keyedSource = record({
  name: string,
  secretName: string,
  optional: boolean,
  items: list(record({ key: string, path: string })),
});
const podVolume = record({
  name: string,
  persistentVolumeClaim: record({ claimName: string, readOnly: boolean }),
  ephemeral: record({ volumeClaimTemplate: record({ metadata, spec: claimSpec }) }),
  csi: record({
    driver: string,
    fsType: string,
    readOnly: boolean,
    volumeAttributes: map(string),
    nodePublishSecretRef: record({ name: string }),
  }),
  secret: keyedSource,
  configMap: keyedSource,
  projected: record({ sources: list(record({ secret: keyedSource, configMap: keyedSource })) }),
  hostPath: record({ path: string, type: string }),
  nfs: record({ server: string, path: string }),
  flexVolume: record({ driver: string }),
  iscsi: record({ targetPortal: string, iqn: string, lun: number, readOnly: boolean }),
  rbd: record({ monitors: list(string), image: string, pool: string, readOnly: boolean }),
  gcePersistentDisk: record({ pdName: string, readOnly: boolean }),
  awsElasticBlockStore: record({ volumeID: string, readOnly: boolean }),
  azureDisk: record({ diskName: string, diskURI: string }),
  azureFile: record({ shareName: string }),
  cephfs: record({ path: string }),
  cinder: record({ volumeID: string }),
  fc: record({ lun: number }),
  gitRepo: record({ repository: string }),
  glusterfs: record({ path: string }),
  portworxVolume: record({ volumeID: string }),
  vsphereVolume: record({ volumePath: string }),
  flocker: record({ datasetName: string }),
  quobyte: record({ volume: string }),
  scaleIO: record({ volumeName: string }),
  storageos: record({ volumeName: string }),
});
const toleration = record({ key: string, operator: string, value: string, effect: string, tolerationSeconds: number });
const podAffinityTerm = record({ labelSelector, topologyKey: string, namespaces: list(string) });
const podSpec = record({
  nodeName: string,
  schedulerName: string,
  schedulingGates: list(record({ name: string })),
  nodeSelector: map(string),
  affinity: record({
    nodeAffinity: record({ requiredDuringSchedulingIgnoredDuringExecution: nodeSelector }),
    podAffinity: record({ requiredDuringSchedulingIgnoredDuringExecution: list(podAffinityTerm) }),
    podAntiAffinity: record({ requiredDuringSchedulingIgnoredDuringExecution: list(podAffinityTerm) }),
  }),
  tolerations: list(toleration),
  topologySpreadConstraints: list(record({ topologyKey: string, whenUnsatisfiable: string })),
  containers: list(container),
  initContainers: list(container),
  volumes: list(podVolume),
  securityContext: record({
    fsGroup: number,
    fsGroupChangePolicy: string,
    seLinuxOptions,
    seLinuxChangePolicy: string,
  }),
  serviceAccountName: string,
  hostNetwork: boolean,
  overhead: map(quantity),
});
const podStatus = record({
  phase: string,
  reason: string,
  message: string,
  startTime: string,
  nominatedNodeName: string,
  podIP: string,
  hostIP: string,
  conditions: list(condition),
  containerStatuses: list(containerStatus),
  initContainerStatuses: list(containerStatus),
  volumeHealth: list(record({ name: string, ...healthReport })),
});
const podTemplate = record({ metadata, spec: podSpec });
const workloadSpec = record({
  replicas: number,
  selector: labelSelector,
  template: podTemplate,
  volumeClaimTemplates: list(record({ metadata, spec: claimSpec })),
  ordinals: record({ start: number }),
  podManagementPolicy: string,
});
const workloadStatus = record({
  replicas: number,
  readyReplicas: number,
  availableReplicas: number,
  currentReplicas: number,
  desiredNumberScheduled: number,
  numberReady: number,
  numberAvailable: number,
  conditions: list(condition),
});
const topologySelectorTerm = record({ matchLabelExpressions: list(record({ key: string, values: list(string) })) });
const volumeError = record({ message: string, time: string, errorCode: number });
const webhook = record({
  name: string,
  failurePolicy: string,
  rules: list(record({ operations: list(string), apiGroups: list(string), resources: list(string) })),
  clientConfig: record({ service: record({ namespace: string, name: string }), url: string }),
});

const body = {
  PersistentVolumeClaim: {
    spec: claimSpec,
    status: record({
      phase: string,
      accessModes: list(string),
      capacity: map(quantity),
      allocatedResources: map(quantity),
      allocatedResourceStatuses: map(string),
      conditions: list(condition),
      currentVolumeAttributesClassName: string,
      modifyVolumeStatus: record({ status: string, targetVolumeAttributesClassName: string }),
      healthStatus: record(healthReport),
    }),
  },
  PersistentVolume: {
    spec: record({
      capacity: map(quantity),
      accessModes: list(string),
      claimRef: reference,
      storageClassName: string,
      volumeMode: string,
      volumeAttributesClassName: string,
      persistentVolumeReclaimPolicy: string,
      mountOptions: list(string),
      nodeAffinity: record({ required: nodeSelector }),
      csi: record({
        driver: string,
        volumeHandle: string,
        fsType: string,
        readOnly: boolean,
        volumeAttributes: map(string),
        controllerPublishSecretRef: secretReference,
        nodeStageSecretRef: secretReference,
        nodePublishSecretRef: secretReference,
        controllerExpandSecretRef: secretReference,
        nodeExpandSecretRef: secretReference,
      }),
      local: record({ path: string, fsType: string }),
      hostPath: record({ path: string, type: string }),
      nfs: record({ server: string, path: string, readOnly: boolean }),
      flexVolume: record({ driver: string }),
      iscsi: record({ targetPortal: string, iqn: string, lun: number }),
      rbd: record({ image: string, pool: string, monitors: list(string) }),
      fc: record({ lun: number }),
      cephfs: record({ path: string }),
      glusterfs: record({ path: string }),
      awsElasticBlockStore: record({ volumeID: string }),
      gcePersistentDisk: record({ pdName: string }),
      azureDisk: record({ diskName: string, diskURI: string }),
      azureFile: record({ shareName: string }),
      cinder: record({ volumeID: string }),
      vsphereVolume: record({ volumePath: string }),
      portworxVolume: record({ volumeID: string }),
      flocker: record({ datasetName: string }),
      quobyte: record({ volume: string }),
      scaleIO: record({ volumeName: string }),
      storageos: record({ volumeName: string }),
    }),
    status: record({ phase: string, message: string, reason: string, lastPhaseTransitionTime: string }),
  },
  StorageClass: {
    provisioner: string,
    parameters: map(quantity),
    reclaimPolicy: string,
    volumeBindingMode: string,
    allowVolumeExpansion: boolean,
    mountOptions: list(string),
    allowedTopologies: list(topologySelectorTerm),
  },
  VolumeAttributesClass: { driverName: string, parameters: map(quantity) },
  CSIDriver: {
    spec: record({
      attachRequired: boolean,
      podInfoOnMount: boolean,
      storageCapacity: boolean,
      fsGroupPolicy: string,
      volumeLifecycleModes: list(string),
      tokenRequests: list(record({ audience: string })),
      requiresRepublish: boolean,
      seLinuxMount: boolean,
      nodeAllocatableUpdatePeriodSeconds: number,
      serviceAccountTokenInSecrets: boolean,
      preventPodSchedulingIfMissing: boolean,
    }),
  },
  CSINode: {
    spec: record({
      drivers: list(
        record({ name: string, nodeID: string, topologyKeys: list(string), allocatable: record({ count: number }) }),
      ),
    }),
    status: record({
      storageHealth: list(
        record({
          name: string,
          status: string,
          reason: string,
          message: string,
          accessModes: list(string),
          volumeMode: string,
          ...healthReport,
        }),
      ),
    }),
  },
  CSIStorageCapacity: {
    storageClassName: string,
    nodeTopology: labelSelector,
    capacity: quantity,
    maximumVolumeSize: quantity,
  },
  VolumeAttachment: {
    spec: record({
      attacher: string,
      nodeName: string,
      source: record({ persistentVolumeName: string, inlineVolumeSpec: anything }),
    }),
    status: record({
      attached: boolean,
      attachError: volumeError,
      detachError: volumeError,
      attachmentMetadata: map(string),
    }),
  },
  Pod: { spec: podSpec, status: podStatus },
  Node: {
    spec: record({
      unschedulable: boolean,
      providerID: string,
      taints: list(record({ key: string, value: string, effect: string, timeAdded: string })),
    }),
    status: record({
      capacity: map(quantity),
      allocatable: map(quantity),
      conditions: list(condition),
      volumesAttached: list(record({ name: string, devicePath: string })),
      volumesInUse: list(string),
      nodeInfo: record({
        kubeletVersion: string,
        osImage: string,
        operatingSystem: string,
        kernelVersion: string,
        containerRuntimeVersion: string,
      }),
    }),
  },
  Namespace: { status: record({ phase: string, conditions: list(condition) }) },
  Event: {
    type: string,
    reason: string,
    message: string,
    note: string,
    count: number,
    deprecatedCount: number,
    firstTimestamp: string,
    lastTimestamp: string,
    deprecatedFirstTimestamp: string,
    deprecatedLastTimestamp: string,
    eventTime: string,
    series: record({ count: number, lastObservedTime: string }),
    involvedObject: reference,
    regarding: reference,
    related: reference,
    source: record({ component: string, host: string }),
    deprecatedSource: record({ component: string, host: string }),
    reportingComponent: string,
    reportingController: string,
    reportingInstance: string,
    action: string,
  },
  Lease: {
    spec: record({
      holderIdentity: string,
      leaseDurationSeconds: number,
      acquireTime: string,
      renewTime: string,
      leaseTransitions: number,
    }),
  },
  ResourceQuota: {
    spec: record({
      hard: map(quantity),
      scopes: list(string),
      scopeSelector: record({
        matchExpressions: list(record({ scopeName: string, operator: string, values: list(string) })),
      }),
    }),
    status: record({ hard: map(quantity), used: map(quantity) }),
  },
  LimitRange: { spec: record({ limits: list(record({ type: string, min: map(quantity), max: map(quantity) })) }) },
  StatefulSet: { spec: workloadSpec, status: workloadStatus },
  Deployment: { spec: workloadSpec, status: workloadStatus },
  ReplicaSet: { spec: workloadSpec, status: workloadStatus },
  DaemonSet: { spec: workloadSpec, status: workloadStatus },
  Secret: { type: string },
  ConfigMap: {},
  VolumeSnapshot: {
    spec: record({
      volumeSnapshotClassName: string,
      source: record({ persistentVolumeClaimName: string, volumeSnapshotContentName: string }),
    }),
    status: record({
      boundVolumeSnapshotContentName: string,
      creationTime: string,
      readyToUse: boolean,
      restoreSize: quantity,
      error: record({ message: string, time: string }),
      volumeGroupSnapshotName: string,
    }),
  },
  VolumeSnapshotContent: {
    spec: record({
      driver: string,
      deletionPolicy: string,
      volumeSnapshotClassName: string,
      volumeSnapshotRef: reference,
      sourceVolumeMode: string,
      source: record({ volumeHandle: string, snapshotHandle: string }),
    }),
    status: record({
      snapshotHandle: string,
      readyToUse: boolean,
      restoreSize: number,
      creationTime: number,
      volumeGroupSnapshotHandle: string,
      error: record({ message: string, time: string }),
    }),
  },
  VolumeSnapshotClass: { driver: string, deletionPolicy: string, parameters: map(quantity) },
  VolumeGroupSnapshot: {
    spec: record({
      volumeGroupSnapshotClassName: string,
      source: record({ selector: labelSelector, volumeGroupSnapshotContentName: string }),
    }),
    status: record({
      boundVolumeGroupSnapshotContentName: string,
      creationTime: string,
      readyToUse: boolean,
      error: record({ message: string, time: string }),
    }),
  },
  VolumeGroupSnapshotContent: {
    spec: record({
      driver: string,
      deletionPolicy: string,
      volumeGroupSnapshotClassName: string,
      volumeGroupSnapshotRef: reference,
    }),
    status: record({
      volumeGroupSnapshotHandle: string,
      creationTime: string,
      readyToUse: boolean,
      error: record({ message: string, time: string }),
    }),
  },
  ReferenceGrant: {
    spec: record({
      from: list(record({ group: string, kind: string, namespace: string })),
      to: list(record({ group: string, kind: string, name: string })),
    }),
  },
  VolumePopulator: { sourceKind: record({ group: string, kind: string }) },
  CustomResourceDefinition: {
    spec: record({
      group: string,
      scope: string,
      names: record({ kind: string, plural: string }),
      versions: list(record({ name: string, served: boolean })),
    }),
  },
  MutatingWebhookConfiguration: { webhooks: list(webhook) },
  ValidatingWebhookConfiguration: { webhooks: list(webhook) },
} as const;

export type Kind = keyof typeof body;
type Metadata = Infer<typeof metadata> & { readonly name: string };
type Body<K extends Kind> = { readonly [F in keyof (typeof body)[K]]?: Infer<(typeof body)[K][F]> };

/** An object of a known kind, cut to its shape: what the graph and the rules see. */
export type ObjectOf<K extends Kind> = Body<K> & {
  readonly apiVersion?: string;
  readonly kind: K;
  readonly metadata: Metadata;
};
export type AnyObject = { readonly [K in Kind]: ObjectOf<K> }[Kind];

export type Claim = ObjectOf<'PersistentVolumeClaim'>;
export type Volume = ObjectOf<'PersistentVolume'>;
export type StorageClass = ObjectOf<'StorageClass'>;
export type Pod = ObjectOf<'Pod'>;
export type Node = ObjectOf<'Node'>;
export type CsiNode = ObjectOf<'CSINode'>;
export type CsiDriver = ObjectOf<'CSIDriver'>;
export type Attachment = ObjectOf<'VolumeAttachment'>;
export type Lease = ObjectOf<'Lease'>;
export type KubeEvent = ObjectOf<'Event'>;
export type StatefulSet = ObjectOf<'StatefulSet'>;
export type PodVolume = Infer<typeof podVolume>;
export type Container = Infer<typeof container>;
export type ContainerStatus = Infer<typeof containerStatus>;
export type Condition = Infer<typeof condition>;
export type HealthCondition = Infer<typeof healthCondition>;
export type ClaimSpec = Infer<typeof claimSpec>;
export type LabelSelector = Infer<typeof labelSelector>;
export type NodeSelector = Infer<typeof nodeSelector>;
export type NodeSelectorTerm = Infer<typeof nodeSelectorTerm>;
export type SelectorRequirement = Infer<typeof selectorRequirement>;
export type TopologySelectorTerm = Infer<typeof topologySelectorTerm>;
export type Toleration = Infer<typeof toleration>;
export type Reference = Infer<typeof reference>;

export function isKnownKind(kind: string): kind is Kind {
  return Object.hasOwn(body, kind);
}

/** The shape of a whole object of this kind. */
export function shapeOf(kind: Kind): Shape {
  return record({ apiVersion: string, kind: string, metadata, ...body[kind] });
}
