import { anything, boolean, list, map, number, quantity, record, string } from '../shape.ts';
import {
  claimSpec,
  condition,
  healthReport,
  labelSelector,
  nodeSelector,
  reference,
  secretReference,
} from '../shared-shapes.ts';

export const topologySelectorTerm = record({
  matchLabelExpressions: list(record({ key: string, values: list(string) })),
});
const volumeError = record({ message: string, time: string, errorCode: number });

/** The kinds of storage. */
export const storageShapes = {
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
      azureFile: record({ shareName: string, secretName: string, secretNamespace: string }),
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
} as const;
