/**
 * kept: a word of the API. driver: the name of a driver. name: any other name. command: a command line. speech: a
 * message, which may contain names.
 */
export type FieldRole = 'kept' | 'driver' | 'name' | 'command' | 'speech';

const driverFields = new Set(['provisioner', 'driver', 'driverName', 'attacher']);
const keptFields = new Set([
  ...[
    'kind',
    'apiVersion',
    'apiGroup',
    'group',
    'phase',
    'reason',
    'type',
    'status',
    'state',
    'operator',
    'effect',
    'action',
    'accessModes',
    'volumeMode',
    'sourceVolumeMode',
    'fsType',
    'mode',
  ],
  ...[
    'reclaimPolicy',
    'persistentVolumeReclaimPolicy',
    'deletionPolicy',
    'volumeBindingMode',
    'fsGroupPolicy',
    'fsGroupChangePolicy',
    'seLinuxChangePolicy',
    'volumeLifecycleModes',
    'restartPolicy',
    'failurePolicy',
    'podManagementPolicy',
    'whenUnsatisfiable',
  ],
  ...[
    'operations',
    'apiGroups',
    'resources',
    'scopes',
    'scopeName',
    'operation',
    'subresource',
    'fieldPath',
    'scope',
    'plural',
    'served',
    'resourceVersion',
    'role',
    'level',
  ],
  ...[
    'kubeletVersion',
    'osImage',
    'operatingSystem',
    'kernelVersion',
    'containerRuntimeVersion',
    'capacity',
    'allocatable',
    'allocatedResources',
    'allocatedResourceStatuses',
    'requests',
    'limits',
    'min',
    'max',
    'hard',
    'used',
    'maximumVolumeSize',
    'restoreSize',
    'overhead',
  ],
]);
const namingFields = new Set([
  ...[
    'name',
    'namespace',
    'uid',
    'key',
    'topologyKey',
    'topologyKeys',
    'values',
    'value',
    'server',
    'host',
    'monitors',
    'pool',
    'path',
    'mountPath',
    'targetPortal',
    'iqn',
    'subPath',
    'subPathExpr',
    'repository',
    'holderIdentity',
    'reportingInstance',
    'url',
    'audience',
    'podIP',
    'providerID',
    'nodeID',
    'image',
    'volume',
    'volumesInUse',
    'diskURI',
    'volumeID',
    'volumePath',
    'devicePath',
    'namespaces',
  ],
  ...['volumeHandle', 'snapshotHandle', 'volumeGroupSnapshotHandle'],
]);
/** Maps whose values are names, whatever their keys are. */
const namingMaps = new Set([
  'labels',
  'matchLabels',
  'nodeSelector',
  'annotations',
  'attachmentMetadata',
  'volumeAttributes',
]);
/** Maps of quantities. */
const keptMaps = new Set([
  'capacity',
  'allocatable',
  'allocatedResources',
  'allocatedResourceStatuses',
  'requests',
  'limits',
  'hard',
  'used',
  'min',
  'max',
  'overhead',
]);
const moment = /(?:Time|Timestamp|At|^time|timeAdded)$/;

/** The role of the text at this path, by its last fields. */
export function fieldRole(path: readonly string[]): FieldRole {
  const field = path.at(-1) ?? '';
  const parent = path.at(-2) ?? '';
  if (parent === 'annotations') return 'name';
  if (namingMaps.has(parent)) return 'name';
  if (keptMaps.has(parent) || moment.test(field)) return 'kept';
  if (parent === 'parameters') return 'speech';
  if (field === 'name' && (parent === 'drivers' || parent === 'storageHealth')) return 'driver';
  if (field === 'name' && (parent === 'env' || parent === 'ports' || parent === 'versions')) return 'kept';
  if ((field === 'value' && parent === 'env') || field === 'args' || field === 'command') return 'command';
  if (driverFields.has(field) && parent !== 'labels') return 'driver';
  if (keptFields.has(field)) return 'kept';
  return namingFields.has(field) || /(?:Name|Names)$/.test(field) ? 'name' : 'speech';
}
