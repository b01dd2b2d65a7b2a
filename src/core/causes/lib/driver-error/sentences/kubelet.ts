/** pkg/volume/csi: the directory of a mount could not be created. */
export const directoryFailedText = /kubernetes\.io\/csi: \w+\.\w+ failed to create /;

/** pkg/volume/csi csi_mounter.go: it walks through the files once the driver has mounted them. */
export const groupFailedText = /applyFSGroup failed for vol/;

/** The text quotes an answer over gRPC, so a driver was asked. */
export const rpcErrorText = /rpc error/;

/** Any step of the kubelet or the attach-detach controller with a volume. */
export const anyVolumeStepText = /MountVolume|MapVolume|AttachVolume/;

/** pkg/volume/git_repo, from 1.33 on. */
export const gitRepoOffText = /git-?repo volume plugin has been disabled/i;

/** What the kubelet says where it has no plugin for a volume. */
export const noPluginTexts =
  /no volume plugin matched|FindAttachablePluginBySpec failed|failed to get Plugin from volumeSpec/;

/** pkg/volume/local and pkg/volume/hostpath: the path on the node. */
export const localPathMissingTexts =
  /(?:MountVolume|MapVolume)\.(?:NewMounter initialization|NewMapper initialization|SetUp|MountDevice|SetUpDevice|MapBlockVolume|EvalHostSymlinks)[^]*?failed[^]*?(?:path ["']?([^"'\s]+)["']? does not exist|(only directory and block device are supported)|(invalid path)|lstat (\S+): no such file or directory)/;

/** mount-utils: the file system that was asked for, and the one on the device. */
export const fileSystemFoundText = /failed to mount the volume as "([^"]*)", it already contains ([^.,;]+)/;

/** pkg/volume volume_linux.go: how far the kubelet is. */
export const ownershipProgressText = /Setting volume ownership for (\S+?),? (?:is taking longer|processed (\d+) files)/;

/** WaitForAttachAndMount: the time is up, for whatever reason. */
export const waitedForVolumesTexts = /timed out waiting for the condition|timeout expired|context deadline exceeded/;

/** The volumes that a pod still waits for. */
export const unmountedVolumesText = /unmounted volumes=\[([^\]]*)\]/;

/** An inline volume needs the CSIDriver object. */
export const noCsiDriverText = /no CSIDriver object/;

/** The volume, in quotation marks. */
export const namedVolumeText = /for volume "([^"]+)"/;

/** The service account that a token was asked for. */
export const accountMissingText = /serviceaccounts? "([^"]+)" not found/i;

/** The kubelet does not watch the object yet, or no longer. */
export const notCachedText = /object "([^"]*)"\/"([^"]*)" not registered/;

/** The same, of any object. */
export const notRegisteredWords = /not registered/;

/** What is left of an error whose only content is that time is up. */
export const deadlineWords = /context deadline exceeded|code = DeadlineExceeded|rpc error:?|desc =/gi;

/** The secret of a step on the node, as NAMESPACE/NAME. */
export const secretRefText = /SecretRef ([^\s/]+)\/(\S+) failed/;

/** The same in its long form. */
export const secretOfNodeText = /failed to find the secret (?<name>\S+) in the namespace (?<namespace>\S+)/;

/** The two labels of a volume. */
export const labelConflictText = /conflicting SELinux labels of volume \S+ "?([^"]*)"? and "?([^"]*)"?/;

/** The node authorizer: what the kubelet may not read. */
export const forbiddenObjectText =
  /(volumeattachments|secrets|configmaps|persistentvolumeclaims|persistentvolumes)(?:\.[\w.]+)? "([^"]+)" is forbidden/;

/** Its namespace. */
export const forbiddenNamespaceText = /in the namespace "([^"]+)"/;

/** A volume of one mode in the list for the other. */
export const wrongModeText =
  /volume (\S+) has volumeMode (Block|Filesystem), but is specified in (volumeMounts|volumeDevices)/;

/** The claim that could not be read. */
export const namedClaimText = /error processing PVC (?:\S+\/)?([^/\s:]+):/;

/** What the kubelet says where the path of a hostPath volume is not of the type that the pod asks for. */
export const hostPathTypeText =
  /hostPath type check failed[:,] (\S+) is not (?:an? )?(.+?)(?:, unable to determine|$|\n)/m;

/** The key that a secret or config map does not have. */
export const missingKeyText = /non-existent (?:secret|config) key: (\S+)/;

/** pkg/kubelet/eviction: what a container used and requested. */
export const containerUsageText = /Container (\S+) was using (\S+?), request is/;

/** pkg/kubelet: a container cannot be created without this Secret or ConfigMap. */
export const containerSourceTexts =
  /(secret|configmap) "([^"]+)" not found|couldn't find key (\S+) in (Secret|ConfigMap) (?:\S+\/)?(\S+)/i;

/** The image that cannot be pulled. */
export const imageText = /image "?([^\s"]+)/;

/** The volume, in either kind of quotation marks. */
export const quotedVolumeText = /for volume ["']([^"']+)["']/;

/** The volume, by its directory on the node. */
export const volumeOfPathText = /\/volumes\/kubernetes\.io~[\w-]+\/([^\s:/]+)/;

/** The kubelet's directory of a volume, with the uid of its pod. */
export const podDirectoryText = /\/[^\s"':]*\/pods\/([0-9a-f-]{36})\/volumes\/kubernetes\.io~[^\s"':,]+/;

/** A directory of the kubelet of a Windows node. */
export const windowsPathText = /(?:^|[\s"'(])[a-z]:\\+var\\+lib\\+kubelet\\/i;
