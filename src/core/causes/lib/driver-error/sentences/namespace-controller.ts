/** What keeps objects of storage in a namespace that is being deleted. */
export const storageFinalizerTexts =
  /pvc-protection|cloning-protection|as-source-protection|bound-protection|in-group-protection|populate-target-protection|snapshot\.storage|storage\.k8s\.io/;

/** Objects of storage that remain in it. */
export const storageResourceTexts = /persistentvolumeclaims|volumesnapshots|volumegroupsnapshots|csistoragecapacities/;

/** The API group of storage whose objects could not be listed. */
export const storageGroupText = /([a-z0-9.-]*(?:snapshot|storage|csi|populator)[a-z0-9.-]*)\/v\w+/;

/** Snapshots remain in it. */
export const snapshotsRemainText = /snapshot/;
