/** The volume that the claim names has another claim. */
export const boundToOtherText = /already bound to a different claim/;

/** The volume that the claim names has the other mode. */
export const volumeModeText = /incompatible volumeMode/;

/** Two claims are bound to one volume. */
export const boundTwiceText = /bound to the same volume/;

/** The volume of a bound claim is gone. */
export const volumeLostText = /has lost its PersistentVolume/;

/** A bound claim no longer names its volume. */
export const volumeNameLostText = /lost reference to PersistentVolume/;

/** The volume that the claim names, and why it does not fit. */
export const requestedVolumeText = /Cannot bind to requested volume "([^"]*)": (.*)/;

/** The volume that the claim names is being deleted (this and the next: pv_controller checkVolumeSatisfyClaim). */
export const volumeTerminatingText = /marked for deletion/;

/** It is smaller than the request. */
export const volumeTooSmallText = /too small/;

/** It has another class. */
export const volumeClassText = /storageClassName does not match/;

/** It has another VolumeAttributesClass. */
export const volumeAttributesClassText = /volumeAttributesClassName does not match/;

/** It lacks an access mode. */
export const accessModeText = /incompatible accessMode/;

/** The class provisions nothing, or there is none. */
export const nothingProvisionsText =
  /no volume plugin matched name: kubernetes\.io\/no-provisioner|no persistent volumes available for this claim/;

/** The claim has no class, and no volume fits it. */
export const noClassText = /no persistent volumes available for this claim and no storage class is set/i;

/** pv_controller findDeletablePlugin. */
export const noDeletablePluginText = /no (?:deletable )?volume plugin matched/;

/** pv_controller findDeletablePlugin and the deleter of hostPath volumes. */
export const noDeleterTexts =
  /error getting deleter volume plugin for volume "[^"]+": no (?:deletable )?volume plugin matched|no (?:deletable )?volume plugin matched|host_path deleter only supports/i;

/** It deletes below /tmp only. */
export const hostPathDeleterText = /host_path deleter/;

/** pv_controller recycleVolumeOperation. */
export const recycleFailedTexts = /No recycler plugin found for the volume!|Recycle failed: /;

/** The pods that still use a volume that is to be wiped. */
export const recycledInUseText = /Volume is used by pods: (.*)/;

/** pv_controller provisionClaimOperation, for plugins of Kubernetes itself. */
export const inTreeFailedTexts =
  /Failed to provision volume with StorageClass|Failed to create provisioner|Mount options are not supported by the provisioner|is not a CSI plugin\. Only CSI plugin can provision a claim with a datasource|provisioning in volume plugin "([^"]+)" is disabled/;

/** The plugin takes no mount options. */
export const noMountOptionsText = /Mount options are not supported/;

/** The plugin takes no data source. */
export const noDataSourceText = /Only CSI plugin can provision/;

/** The plugin that the class names is not in this version of Kubernetes. */
export const noProvisionablePluginText =
  /no (?:provisionable )?volume plugin matched(?: name)?:? ?"?(kubernetes\.io\/[\w.-]+)?/;

/** The provisioner that the claim waits for. */
export const waitsForProvisionerText =
  /[Ww]aiting for a volume to be created,? either by (?:the )?external provisioner ['"]?([^'" ]+)/;

/** pv_controller setClaimProvisioner: the API server did not save the annotation that asks a provisioner. */
export const claimSaveFailedText = /^Error saving claim\b(?:: )?/;

/** Written again at once: somebody else changed the object in between. */
export const changedMeanwhileText = /the object has been modified|Operation cannot be fulfilled/i;
