/** The step on the node, which the kubelet takes. */
export const nodeExpandText = /NodeExpandVolume/;

/** A mount that failed since the volume could not be grown, and the volume. */
export const mountWhileExpandingText = /failed while expanding volume (?:for volume )?"?([^" ]*)"?/;

/** Any failed mount. */
export const anyMountFailureText = /failed (?!while expanding).*for volume|failed while expanding volume/s;

/** The volume controller tried it with a plugin of Kubernetes itself. */
export const inTreeResizeText = /of plugin "?kubernetes\.io\//;

/** The kubelet does not grow what is mounted read-only. */
export const readOnlyResizeText = /requested read-only file system/;

/** A secret for growing volumes does not exist: for the storage, or for the node. */
export const resizeSecretTexts =
  /error getting secret (\S+) in namespace (\S+?): (?!.*is forbidden)|failed to get NodeExpandSecretRef (\S+?)\/(\S+?):? /s;

/** external-resizer: the driver offers nothing that it could call. */
export const incapableTexts = /neither supports controller resize nor node resize|does not support resize nor modify/;

/** The VolumeAttributesClass that a claim asks for does not exist. */
export const attributesClassMissingText = /VAC "([^"]+)" does not exist/;

/** What the resizer puts after an error that it repeats. */
export const waitsForRetryText = /\.? Waiting for retry\.?\s*$/;

/** The resizer says that it failed, and nothing more. */
export const modifyFailedText = /^\s*ModifyVolume failed with error[.\s]*(?:Waiting for retry)?[.\s]*$/i;
