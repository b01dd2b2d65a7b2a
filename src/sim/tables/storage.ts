import { entriesAt, listAt, textAt, valueAt } from '../fields.ts';
import { accessModes, age, agoOf, boolean, field, name, text, wide } from './column.ts';
import type { Column } from './column.ts';

const defaultClass = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];
const betaClass = 'volume.beta.kubernetes.io/storage-class';

const storageClass = text(
  'StorageClass',
  (object) => textAt(object, 'metadata', 'annotations', betaClass) || textAt(object, 'spec', 'storageClassName'),
);
const attributesClass = text(
  'VolumeAttributesClass',
  (object) => textAt(object, 'spec', 'volumeAttributesClassName') || '<unset>',
);
const volumeMode = wide(field('VolumeMode', ['spec', 'volumeMode'], '<unset>'));
const terminatingOr = (path: readonly string[]): ((object: unknown) => string) => {
  return (object) =>
    valueAt(object, 'metadata', 'deletionTimestamp') === undefined ? textAt(object, ...path) : 'Terminating';
};

function claimOf(volume: unknown): string {
  const reference = valueAt(volume, 'spec', 'claimRef');
  return reference === undefined || reference === null
    ? ''
    : `${textAt(reference, 'namespace')}/${textAt(reference, 'name')}`;
}

/** The columns of the server's own printers (pkg/printers/internalversion/printers.go). */
export const storageColumns: Readonly<Record<string, readonly Column[]>> = {
  PersistentVolumeClaim: [
    name,
    text('Status', terminatingOr(['status', 'phase'])),
    field('Volume', ['spec', 'volumeName']),
    text('Capacity', (claim) =>
      textAt(claim, 'spec', 'volumeName') === '' ? '' : textAt(claim, 'status', 'capacity', 'storage'),
    ),
    text('Access Modes', (claim) =>
      textAt(claim, 'spec', 'volumeName') === '' ? '' : accessModes(claim, 'status', 'accessModes'),
    ),
    storageClass,
    attributesClass,
    age,
    volumeMode,
  ],
  PersistentVolume: [
    name,
    field('Capacity', ['spec', 'capacity', 'storage']),
    text('Access Modes', (volume) => accessModes(volume, 'spec', 'accessModes')),
    field('Reclaim Policy', ['spec', 'persistentVolumeReclaimPolicy']),
    text('Status', terminatingOr(['status', 'phase'])),
    text('Claim', claimOf),
    storageClass,
    attributesClass,
    field('Reason', ['status', 'reason']),
    age,
    volumeMode,
  ],
  StorageClass: [
    text(
      'Name',
      (object) =>
        textAt(object, 'metadata', 'name') +
        (defaultClass.some((key) => textAt(object, 'metadata', 'annotations', key) === 'true') ? ' (default)' : ''),
    ),
    field('Provisioner', ['provisioner']),
    field('ReclaimPolicy', ['reclaimPolicy'], 'Delete'),
    field('VolumeBindingMode', ['volumeBindingMode'], 'Immediate'),
    boolean('AllowVolumeExpansion', (object) => valueAt(object, 'allowVolumeExpansion') === true),
    age,
  ],
  VolumeAttributesClass: [name, field('DriverName', ['driverName']), age],
  CSINode: [name, { ...text('Drivers', (object) => listAt(object, 'spec', 'drivers').length), type: 'integer' }, age],
  CSIDriver: [
    name,
    boolean('AttachRequired', (object) => valueAt(object, 'spec', 'attachRequired') !== false),
    boolean('PodInfoOnMount', (object) => valueAt(object, 'spec', 'podInfoOnMount') === true),
    boolean('StorageCapacity', (object) => valueAt(object, 'spec', 'storageCapacity') === true),
    text(
      'TokenRequests',
      (object) =>
        listAt(object, 'spec', 'tokenRequests')
          .map((request) => textAt(request, 'audience'))
          .join(',') || '<unset>',
    ),
    boolean('RequiresRepublish', (object) => valueAt(object, 'spec', 'requiresRepublish') === true),
    text('Modes', (object) => listAt(object, 'spec', 'volumeLifecycleModes').join(',') || '<none>'),
    age,
  ],
  CSIStorageCapacity: [name, field('StorageClassName', ['storageClassName']), field('Capacity', ['capacity'])],
  VolumeAttachment: [
    name,
    field('Attacher', ['spec', 'attacher']),
    field('PV', ['spec', 'source', 'persistentVolumeName']),
    field('Node', ['spec', 'nodeName']),
    boolean('Attached', (object) => valueAt(object, 'status', 'attached') === true),
    age,
  ],
  VolumeSnapshot: [
    name,
    field('ReadyToUse', ['status', 'readyToUse']),
    field('SourcePVC', ['spec', 'source', 'persistentVolumeClaimName']),
    field('SourceSnapshotContent', ['spec', 'source', 'volumeSnapshotContentName']),
    field('RestoreSize', ['status', 'restoreSize']),
    field('SnapshotClass', ['spec', 'volumeSnapshotClassName']),
    field('SnapshotContent', ['status', 'boundVolumeSnapshotContentName']),
    text('CreationTime', (object, now) =>
      textAt(object, 'status', 'creationTime') === '' ? '' : agoOf(valueAt(object, 'status', 'creationTime'), now),
    ),
    age,
  ],
  VolumeSnapshotContent: [
    name,
    field('ReadyToUse', ['status', 'readyToUse']),
    field('RestoreSize', ['status', 'restoreSize']),
    field('DeletionPolicy', ['spec', 'deletionPolicy']),
    field('Driver', ['spec', 'driver']),
    field('VolumeSnapshotClass', ['spec', 'volumeSnapshotClassName']),
    field('VolumeSnapshot', ['spec', 'volumeSnapshotRef', 'name']),
    field('VolumeSnapshotNamespace', ['spec', 'volumeSnapshotRef', 'namespace']),
    age,
  ],
  VolumeSnapshotClass: [name, field('Driver', ['driver']), field('DeletionPolicy', ['deletionPolicy']), age],
  ResourceQuota: [
    name,
    text('Request', (quota) => usage(quota, (key) => !key.startsWith('limits.'))),
    text('Limit', (quota) => usage(quota, (key) => key.startsWith('limits.'))),
    age,
  ],
};

function usage(quota: unknown, counts: (key: string) => boolean): string {
  return entriesAt(quota, 'status', 'hard')
    .filter(([key]) => counts(key))
    .map(([key, hard]) => `${key}: ${textAt(quota, 'status', 'used', key)}/${String(hard)}`)
    .join(', ');
}
