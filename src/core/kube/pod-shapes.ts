import { boolean, list, map, number, quantity, record, string } from './shape.ts';
import {
  claimSpec,
  condition,
  healthReport,
  labelSelector,
  metadata,
  nodeSelector,
  resources,
} from './shared-shapes.ts';

const containerState = record({
  waiting: record({ reason: string, message: string }),
  running: record({ startedAt: string }),
  terminated: record({ exitCode: number, reason: string, message: string, startedAt: string, finishedAt: string }),
});
export const containerStatus = record({
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
  valueFrom: record({ fieldRef: record({ fieldPath: string }), secretKeyRef: record({ name: string, key: string }) }),
});
export const container = record({
  name: string,
  image: string,
  command: list(string),
  args: list(string),
  env: list(environment),
  envFrom: list(record({ secretRef: record({ name: string }) })),
  ports: list(record({ name: string, containerPort: number, hostPort: number, hostIP: string, protocol: string })),
  volumeMounts: list(
    record({
      name: string,
      mountPath: string,
      subPath: string,
      subPathExpr: string,
      readOnly: boolean,
      recursiveReadOnly: string,
    }),
  ),
  volumeDevices: list(record({ name: string, devicePath: string })),
  securityContext: record({ seLinuxOptions, readOnlyRootFilesystem: boolean, privileged: boolean }),
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
export const podVolume = record({
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
  azureFile: record({ shareName: string, secretName: string }),
  cephfs: record({ path: string }),
  cinder: record({ volumeID: string }),
  fc: record({ lun: number }),
  gitRepo: record({ repository: string }),
  image: record({ reference: string, pullPolicy: string }),
  emptyDir: record({ medium: string, sizeLimit: quantity }),
  glusterfs: record({ path: string }),
  portworxVolume: record({ volumeID: string }),
  vsphereVolume: record({ volumePath: string }),
  flocker: record({ datasetName: string }),
  quobyte: record({ volume: string }),
  scaleIO: record({ volumeName: string }),
  storageos: record({ volumeName: string }),
});
export const toleration = record({
  key: string,
  operator: string,
  value: string,
  effect: string,
  tolerationSeconds: number,
});
const podAffinityTerm = record({
  labelSelector,
  topologyKey: string,
  namespaces: list(string),
  namespaceSelector: labelSelector,
});
const spreadConstraint = record({
  topologyKey: string,
  whenUnsatisfiable: string,
  maxSkew: number,
  labelSelector,
  nodeTaintsPolicy: string,
  nodeAffinityPolicy: string,
});
export const podSpec = record({
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
  topologySpreadConstraints: list(spreadConstraint),
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
  hostUsers: boolean,
  imagePullSecrets: list(record({ name: string })),
  runtimeClassName: string,
  priority: number,
  terminationGracePeriodSeconds: number,
  preemptionPolicy: string,
  overhead: map(quantity),
});
export const podStatus = record({
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
export const podTemplate = record({ metadata, spec: podSpec });
