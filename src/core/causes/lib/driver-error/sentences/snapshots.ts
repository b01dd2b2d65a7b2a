/** The class of a snapshot, where the error quotes it. */
export const snapshotClassMissingText = /volumesnapshotclass\S* \\?"([^"\\]+)\\?" not found/;

/** SetDefaultGroupSnapshotClass: how many classes are marked as the default. */
export const groupDefaultsText = /(\d+) default (?:group )?snapshot classes were found/;

/** SetDefaultGroupSnapshotClass: no class is marked as the default. */
export const noGroupDefaultText = /cannot find default group snapshot class/;

/**
 * The validation of older definitions forbids what the snapshot controller itself has to write: the uid of the group.
 */
export const groupRefImmutableText = /\bvolumeGroupSnapshotRef is immutable\b/i;

/** groupsnapshot_controller_helper.go getClaimsFromVolumeGroupSnapshot: no claim has the labels. */
export const selectorUnmatchedText = /label selector (\S+) for group snapshot not applied to any PVC/;

/** The driver takes no snapshots of groups. */
export const groupsUnsupportedTexts =
  /does not support (?:creation of )?(?:volume )?group snapshots?|CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT/i;

/** The class of a snapshot does not exist. */
export const classNotFoundText = /snapshot ?class.*not found/is;

/** The content belongs to another snapshot. */
export const contentMisboundTexts =
  /is bound to a different snapshot|is not bound to the VolumeSnapshot correctly|Could not bind snapshot/;

/** The content is of the other kind: made for a snapshot, or brought along. */
export const contentMismatchTexts =
  /is (?:dynamically provisioned|pre-provisioned) while expecting a (?:pre-provisioned|dynamically provisioned) one|Snapshot handle should not be set in content/;

/** The content of a snapshot is gone. */
export const contentMissingText = /VolumeSnapshotContent is missing/;

/** The API server to a driver that looks for a content itself. */
export const contentObjectMissingText =
  /\bvolumesnapshotcontents?(?:\.snapshot\.storage\.k8s\.io)? \\?"([^"\\]+)\\?" not found/;

/** csi-snapshotter: the call that takes the snapshot has failed. */
export const takeFailedText = /failed to take snapshot of the volume/;

/** The handle of the volume that is to be snapshotted. */
export const takenVolumeText = /of the volume (\S+):/;

/** What the controller checks itself before any driver is called. */
export const ownErrorTexts =
  /default snapshot class|CSI PersistentVolumeSource|non-CSI volumes|cannot get claim from snapshot|failed to retrieve PVC|VolumeSnapshotContent (?:\[|is )|credentials/;

/** The secret of a snapshot or its class. */
export const credentialsText = /credentials/;

/** SetDefaultSnapshotClass: how many classes are marked as the default. */
export const defaultsText = /(\d+) default snapshot classes were found/;

/** SetDefaultSnapshotClass: no class is marked as the default. */
export const noDefaultText = /cannot find default snapshot class/;

/** The events of csi-snapshotter about a deletion that failed. */
export const deleteFailedTexts = /Failed to (?:delete snapshot|get snapshot credentials|clear content status)/;

/** What csi-snapshotter puts before the answer of the driver. */
export const beforeRpcError = /^[^"]*?(?="?rpc error:)/;

/** A member of a group is deleted with its group only. */
export const groupMemberText = /belongs to group snapshot/;

/** A claim is being restored from the snapshot. */
export const restoringText = /being used to restore a PVC/;

/** The secret for taking or listing snapshots cannot be read. */
export const secretMissingTexts =
  /cannot get credentials for snapshot content|failed to get credentials|error getting secret/i;

/** The secret for deleting snapshots cannot be read. */
export const deletionSecretText = /Failed to get snapshot credentials/;

/** The parameters of the class give no name for a secret. */
export const secretInvalidTexts = /secrets specified|error resolving value|is not a valid (?:secret|namespace) name/;

/** The claim that is to be snapshotted has no volume yet. */
export const sourceUnboundTexts =
  /the PVC \S+ is not yet bound to a PV|claim in dataSource not bound or invalid|failed to retrieve PV \S+ from the API server/;

/** The volume that is to be snapshotted is not of a CSI driver. */
export const sourceNotCsiTexts =
  /cannot find CSI PersistentVolumeSource for volume (\S+)|snapshotting non-CSI volumes is not supported/;

/** The claim that is to be snapshotted is being deleted. */
export const sourceDeletingText = /cannot add finalizer on claim because it is being deleted/;

/** The claim that is to be snapshotted does not exist. */
export const sourceMissingClaimTexts = /failed to retrieve PVC \S+ from the lister|cannot get claim from snapshot/;

/** csi-snapshotter asked the driver for the state of a snapshot. */
export const checkFailedTexts = /Failed to check and update snapshot content|failed to list snapshot/i;

/** The driver does not know the snapshot. */
export const snapshotUnknownTexts = /can not find snapshot|not found/i;
