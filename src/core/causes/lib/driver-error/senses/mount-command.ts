/** The address in a text or in a repeated mount command, and its port. */
export const mountAddressText =
  /(?:dial (?:tcp|udp) |portal:? |addr(?:ess)?[=: ]+|-m |NFS volume |-t (?:nfs4?|cifs|ceph|lustre)\s+(?:-o \S+ )?(?:\/\/)?|https?:\/\/)\[?([\w.-]+)\]?(?:[:,](\d+))?/i;

/** nvme connect names the port in an option of its own. */
export const nvmePortText = /\btrsvcid=(\d+)/;

/** The options and the share of a repeated NFS mount. */
export const nfsShareText = /(?:-t nfs4? (?:-o (\S+) )?|NFS volume )([\w.-]+:\/\S*)/;

/** A repeated mount of Lustre. */
export const lustreMountText = /-t lustre\b/;

/** A repeated mount of SMB. */
export const smbMountText = /-t (?:cifs|smb3?)\b/;

/** k8s.io/mount-utils: the command printed something. */
export const printedText = /\bOutput: \S/;

/** A repeated mount of NFS. */
export const nfsMountText = /-t nfs\b/;

/** The Ceph user in a repeated rbd or ceph-fuse command. */
export const cephIdText = /--id[ =]([\w.-]+)/;

/** The Ceph user among mount options. */
export const cephNameText = /\bname=([\w.-]+)/;

/** The file system of Ceph among mount options, by its old and its new name. */
export const cephFileSystemText = /mds_namespace=([\w.-]+)|\bfs=([\w.-]+)/;

/** The version of NFS among mount options. */
export const nfsVersionOption = /\b(?:nfs)?vers=([\d.]+)/;

/** mount.nfs: the server and the path that it could not mount. */
export const refusedExportText = /mounting ([^\s:]+|\[[^\]]+\]):(\/\S*) failed/;

/** SMB: the server has no such share. */
export const smbShareMissingTexts = /STATUS_BAD_NETWORK_NAME|System error 67/i;

/** The version of SMB among mount options. */
export const smbVersionOption = /\bvers=[\d.]+/;

/** The portal of an iSCSI target. */
export const portalText = /portal:? ?\[?([\d.]+[:,]\d+)/;

/** The server and the path of a repeated NFS mount. */
export const nfsServerAndPathText = /-t nfs\S*\s+(?:-o\s+\S+\s+)?([^\s:]+):(\S*)/;

/** Mount options name a version of NFS. */
export const namesNfsVersion = /\b(?:nfs)?vers=/;

/** The text is about a mount of NFS. */
export const isNfsText = /mount\.nfs|~nfs|-t nfs/;

/** The kubelet could not mount a volume that may be an NFS share. */
export const nfsMountFailedText = /mount failed: exit status|mount\.nfs|kubernetes\.io~nfs|-t nfs|Mounting arguments:/;

/** The plugin of the kubelet, by the directory that it mounts to. */
export const inTreePluginText = /kubernetes\.io~([a-z-]+)\//;

/** k8s.io/mount-utils: the text repeats the command. */
export const repeatedCommandText = /Mounting command:/;

/** The same as `printedText`, also where the output begins on the next line. */
export const anyOutputText = /Output:\s*\S/;

/** NFS by any name: of a driver, a program or a type of file system. */
export const nfsWord = /nfs/i;

/** Whether a mount command in the text has this option. */
export function hasMountOption(text: string, option: string): boolean {
  const options = /(?:^|\s)-o (\S+)/.exec(text)?.[1]?.split(',') ?? [];
  return options.includes(option);
}

/** The type of a file system of a disk that mount(8) was given. */
export function diskTypeIn(text: string): string | undefined {
  return /-t (xfs|ext[234]|btrfs)\b/.exec(text)?.[1];
}
