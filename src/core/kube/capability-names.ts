/** The names of the capabilities that a driver can report, by their numbers in the CSI specification (v1.13). */
export const capabilityNames = {
  plugin: [
    'UNKNOWN',
    'CONTROLLER_SERVICE',
    'VOLUME_ACCESSIBILITY_CONSTRAINTS',
    'GROUP_CONTROLLER_SERVICE',
    'SNAPSHOT_METADATA_SERVICE',
  ],
  expansion: ['UNKNOWN', 'ONLINE', 'OFFLINE'],
  controller: [
    'UNKNOWN',
    'CREATE_DELETE_VOLUME',
    'PUBLISH_UNPUBLISH_VOLUME',
    'LIST_VOLUMES',
    'GET_CAPACITY',
    'CREATE_DELETE_SNAPSHOT',
    'LIST_SNAPSHOTS',
    'CLONE_VOLUME',
    'PUBLISH_READONLY',
    'EXPAND_VOLUME',
    'LIST_VOLUMES_PUBLISHED_NODES',
    'VOLUME_CONDITION',
    'GET_VOLUME',
    'SINGLE_NODE_MULTI_WRITER',
    'MODIFY_VOLUME',
    'GET_SNAPSHOT',
    'GET_VOLUME_HEALTH',
    'LIST_VOLUME_HEALTH',
  ],
  groupController: ['UNKNOWN', 'CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT'],
  node: [
    'UNKNOWN',
    'STAGE_UNSTAGE_VOLUME',
    'GET_VOLUME_STATS',
    'EXPAND_VOLUME',
    'VOLUME_CONDITION',
    'SINGLE_NODE_MULTI_WRITER',
    'VOLUME_MOUNT_GROUP',
    'GET_VOLUME_HEALTH',
    'GET_STORAGE_HEALTH',
  ],
  /** Of a driver for object storage: ObjectProtocol.Type in COSI v1alpha2. */
  object: ['UNKNOWN', 'S3', 'AZURE', 'GCS'],
} as const;
export type CapabilityGroup = keyof typeof capabilityNames;

/** A newer driver may report capabilities that are not listed here: those are shown as numbers. */
export function capabilityName(group: CapabilityGroup, number: number): string {
  return capabilityNames[group][number] ?? String(number);
}
