import { isDeepStrictEqual } from 'node:util';
import { compareQuantities } from '../../core/kube/quantity.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import type { Cluster } from '../cluster.ts';
import { entriesAt, listAt, textAt, valueAt } from '../fields.ts';
import type { FieldFault } from '../status.ts';

const immutable = 'field is immutable';
/** Fields that can never be changed, by kind. */
const frozen: Readonly<Record<string, readonly (readonly string[])[]>> = {
  StorageClass: [['parameters'], ['provisioner'], ['reclaimPolicy'], ['volumeBindingMode']],
  CSIDriver: [
    ['spec', 'attachRequired'],
    ['spec', 'volumeLifecycleModes'],
  ],
  VolumeAttachment: [['spec']],
  Deployment: [['spec', 'selector']],
  ReplicaSet: [['spec', 'selector']],
  DaemonSet: [['spec', 'selector']],
  VolumeSnapshot: [['spec', 'source']],
  Secret: [['type']],
};
const setFields: ReadonlySet<string> = new Set([
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]);
const podFields: ReadonlySet<string> = new Set([
  'activeDeadlineSeconds',
  'terminationGracePeriodSeconds',
  'tolerations',
  'schedulingGates',
  'nodeName',
]);

/** Why a change of an object is refused; empty if it is not. */
export function forbiddenChanges(before: RawObject, after: RawObject, cluster: Cluster): FieldFault[] {
  switch (before.kind) {
    case 'PersistentVolumeClaim':
      return claimChanges(before, after, cluster);
    case 'PersistentVolume':
      return volumeChanges(before, after);
    case 'StatefulSet':
      return onlyThese(
        before,
        after,
        setFields,
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', " +
          "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      );
    case 'Pod':
      return podChanges(before, after);
    default:
      return (frozen[before.kind] ?? [])
        .filter((path) => !isSame(before, after, path))
        .map((path) => ({
          field: path.join('.'),
          type: 'Forbidden',
          message: `updates to ${path.join('.')} are forbidden.`,
        }));
  }
}

const isSame = (before: RawObject, after: RawObject, path: readonly string[]): boolean =>
  isDeepStrictEqual(valueAt(before, ...path), valueAt(after, ...path));

/**
 * ValidatePersistentVolumeClaimUpdate: the size of a bound claim may grow if its class allows it, an empty class may be
 * filled in once, and the volume is set once.
 */
function claimChanges(before: RawObject, after: RawObject, cluster: Cluster): FieldFault[] {
  const changed = changedFields(before, after).filter((field) => !isClaimChangeAllowed(field, before));
  if (changed.length > 0)
    return [
      {
        field: 'spec',
        type: 'Forbidden',
        message:
          'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
      },
    ];
  const size = (claim: RawObject): string => textAt(claim, 'spec', 'resources', 'requests', 'storage');
  const growth = compareQuantities(size(after), size(before));
  if (growth < 0 && compareQuantities(size(after), textAt(before, 'status', 'capacity', 'storage')) < 0)
    return [
      {
        field: 'spec.resources.requests.storage',
        type: 'Forbidden',
        message: 'field can not be less than status.capacity',
      },
    ];
  const storageClass = cluster.get('StorageClass', undefined, textAt(before, 'spec', 'storageClassName'));
  if (growth > 0 && valueAt(storageClass, 'allowVolumeExpansion') !== true)
    return [
      {
        field: 'spec.resources.requests.storage',
        type: 'Forbidden',
        message:
          'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      },
    ];
  return [];
}

function isClaimChangeAllowed(field: string, before: RawObject): boolean {
  const isBound = textAt(before, 'status', 'phase') === 'Bound';
  if (field === 'resources' || field === 'volumeAttributesClassName') return isBound;
  if (field === 'volumeName') return textAt(before, 'spec', 'volumeName') === '';
  return field === 'storageClassName' && valueAt(before, 'spec', 'storageClassName') === undefined;
}

/** ValidatePersistentVolumeUpdate: the source is set once and for all, the affinity once. */
function volumeChanges(before: RawObject, after: RawObject): FieldFault[] {
  const free = new Set([
    'accessModes',
    'capacity',
    'claimRef',
    'mountOptions',
    'persistentVolumeReclaimPolicy',
    'storageClassName',
    'volumeAttributesClassName',
  ]);
  return changedFields(before, after)
    .filter((field) => !free.has(field) && (field !== 'nodeAffinity' || valueAt(before, 'spec', field) !== undefined))
    .map((field) =>
      field === 'volumeMode' || field === 'nodeAffinity'
        ? { field: `spec.${field}`, type: 'Invalid value', message: immutable }
        : {
            field: 'spec.persistentvolumesource',
            type: 'Forbidden',
            message: 'spec.persistentvolumesource is immutable after creation',
          },
    );
}

function podChanges(before: RawObject, after: RawObject): FieldFault[] {
  const message =
    'pod updates may not change fields other than ' +
    '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` ' +
    '(only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 ' +
    'if it was previously negative)';
  const withoutImages = (pod: RawObject): RawObject => ({
    ...pod,
    spec: {
      ...(pod['spec'] as object),
      containers: listAt(pod, 'spec', 'containers').map((container) => ({ ...(container as object), image: '' })),
      initContainers: [],
    },
  });
  return onlyThese(withoutImages(before), withoutImages(after), podFields, message);
}

function onlyThese(before: RawObject, after: RawObject, free: ReadonlySet<string>, message: string): FieldFault[] {
  const isClean = changedFields(before, after).every((field) => free.has(field));
  return isClean ? [] : [{ field: 'spec', type: 'Forbidden', message }];
}

function changedFields(before: RawObject, after: RawObject): string[] {
  const names = new Set([...entriesAt(before, 'spec'), ...entriesAt(after, 'spec')].map(([name]) => name));
  return [...names].filter((name) => !isSame(before, after, ['spec', name]));
}
