import { only, shared, symptom } from '../wording.ts';
import type { Wording } from '../wording.ts';

/** What the snapshot controller and the snapshotter say. */
export const snapshotWordings: readonly Wording[] = [
  shared(
    /the server could not find the requested resource[^]*snapshot\.storage\.k8s\.io|no matches for kind "VolumeSnapshot|the server doesn't have a resource type "volumesnapshots?|customresourcedefinitions?\S* "?volumesnapshot\S+ not found/i,
    {
      'snap-crds-missing': 'kubectl get crd lists no snapshot.storage.k8s.io',
    },
  ),
  ...only(
    'groupsnap-failed',
    /group ?snapshot(?!:?\S*\. Deleting)[^]*(?:not applied to any PVC|not yet bound to a PV|non-CSI volumes|cannot find default|default snapshot classes were found)|GroupSnapshotContent(?:CreationFailed|Missing)|SetDefaultGroupSnapshotClassFailed|cannot find default group snapshot class/i,
  ),
  ...only(
    'snap-class-missing',
    /Failed to get snapshot class with error|failed to retrieve snapshot class|volumesnapshotclass(?:es)?\.snapshot\.storage\.k8s\.io \\*"[^"]+" not found/,
  ),
  ...only('snap-default-class-none', /cannot find default snapshot class/),
  shared(/\d+ default snapshot classes were found/, {
    'snap-default-class-multiple': 'a VolumeSnapshot reports it',
    'groupsnap-default-class-multiple': 'a VolumeGroupSnapshot reports it',
  }),
  ...only('snap-source-pvc-deleting', /cannot add finalizer on claim because it is being deleted/),
  ...only('snap-source-pvc-missing', /failed to retrieve PVC(?! \S+ from the API)|cannot get claim from snapshot/),
  ...only('groupsnap-member-unbound', /is not yet bound to a PV, will not attempt to take a group snapshot/),
  ...only('snap-source-not-bound', /the PVC \S+ is not yet bound to a PV/),
  ...only(
    'snap-source-not-csi',
    /cannot find CSI PersistentVolumeSource for volume|snapshotting non-CSI volumes is not supported/,
  ),
  ...only('snap-secret-missing', /cannot get credentials for snapshot content|failed to get credentials/),
  shared(/Failed to get snapshot credentials/, {
    'snap-secret-missing': 'the secret that the content names does not exist',
    'snap-delete-failed': 'the secret exists',
  }),
  ...only('snap-delete-restoring', /Snapshot is being used to restore a PVC/),
  ...only('snap-delete-group-member', /is not allowed as it belongs to group snapshot/),
  ...only('snap-delete-failed', /Failed to (?:delete snapshot|clear content status)/i),
  ...only(
    'snap-content-misbound',
    /VolumeSnapshotContent \[[^\]]+\] is bound to a different snapshot|VolumeSnapshotContent is not bound to the VolumeSnapshot correctly|SnapshotContentMisbound/,
  ),
  ...only(
    'snap-content-mismatch',
    /is dynamically provisioned while expecting a pre-provisioned one|SnapshotContentMismatch/,
  ),
  ...only('snap-content-missing', /VolumeSnapshotContent is missing|SnapshotContentMissing/),
  ...only('snap-validation', /Exactly one of \w+ and \w+ should be specified|(?:Snapshot|Content)ValidationError/),
  ...only('snap-status-check-failed', /failed to list snapshot for content/),
  ...only(
    'snap-create-failed',
    /failed to take snapshot|Error creating volume snapshot content object|SnapshotFinalizerError/,
  ),
  ...only('snap-status-check-failed', /Failed to check and update snapshot content/),
  symptom(/Waiting for a snapshot \S+ to be created by the CSI driver/, {
    'snap-sidecar-down': 'the VolumeSnapshotContent has no status, and no csi-snapshotter of the driver runs',
    'snap-create-failed': 'the VolumeSnapshotContent has an error',
    'snap-create-in-flight': 'the snapshot is still being taken',
    'snap-not-ready': 'the snapshot was taken, and the storage is still copying it (expected)',
    'snap-controller-down': 'the snapshot has no status, and no snapshot-controller runs',
    'snap-class-driver-mismatch': 'the class of the snapshot is for another driver than the volume',
    'snap-secret-missing': 'the secret of the class does not exist',
    'snap-managed-by-node-gone': 'snapshots are taken on each node, and the node is gone',
  }),
  symptom(/Snapshot \S+ was successfully created by the CSI driver/, {
    'snap-not-ready': 'readyToUse is still false: the storage is copying the snapshot (expected)',
  }),
];
