import { iscsiCode } from './exit-codes.ts';
import { anyOf } from './wordings.ts';

/** Proves that this kernel does not read it as asked; not that it is damaged. */
export const unknownFeatureTexts =
  /unknown (?:read-only )?compatible features|unsupported (?:optional )?feature|couldn't mount because of unsupported|Superblock has unknown|feature set mismatch|features unsupported by the kernel/i;

/** e2fsck in the image of the driver is older than what formatted the volume; the kernel was not asked. */
export const checkerTooOldText = /Get a newer version of e2fsck|unsupported feature\(s\): [^]*e2fsck/i;

/** Proves that the kernel does not read the device as asked; the text alone does not tell damage from another type. */
export const wrongFileSystemTexts =
  /wrong fs type|bad superblock|can't read superblock|structure needs cleaning|failed to mount the volume as|mismatched? (?:fs|file ?system)/i;

/** A tool that formats found something on the device and stopped. */
export const notEmptyTexts =
  /\bpartition table\b|(?:will not|refus\w+ to|won't|not going to) (?:over-?write|format|wipe)|(?:device|disk)\b.{0,40}\b(?:is not (?:empty|blank)|carries|already (?:has|contains) (?:a |an |data|other))|\b(?:found|contains?|carries|holds|has) (?:an? )?(?:\w+ )?(?:ntfs|xfs|ext[234]|btrfs|vfat|zfs_member|LVM2?_member|crypto_LUKS|swap)\b[^.;]{0,60}\b(?:expected|instead|wanted|asked)\b|\bexpected (?:ext[234]|xfs|btrfs|ntfs)\b[^.;]{0,40}\b(?:found|got|has|is)\b/i;

/** mount(8) for a type that the kernel does not know; the types of a network file system come with its client. */
export const unknownTypeText = /unknown file ?system type '?"?([\w.-]+)/i;

const networkTypes = String.raw`(?:nfs4?|cifs|smb3?|smbfs|ceph|glusterfs|lustre|beegfs)`;

/** fsck does not touch a device that is mounted: it says nothing about the file system. */
export const checkOfMountedText =
  /\bis mounted\b[^]{0,80}(?:cannot continue|abort)|e2fsck: cannot continue|fsck[^]*\bis mounted\b/i;

/** k8s.io/mount-utils formatAndMount. */
export const otherFileSystemText = /failed to mount the volume as "[^"]*", it already contains/;

export const fileSystemCheckTexts =
  /^(?![^]*(?:\bis mounted\b|unsupported feature|Get a newer version of e2fsck))[^]*(?:fsck[^]*(?:exit status [48]\b|UNEXPECTED INCONSISTENCY|could not correct|errors? (?:left )?uncorrected)|'fsck' found errors)/i;

/** The client tools of a network file system are missing on the node. */
export const mountHelperMissingTexts = new RegExp(
  String.raw`-t ${networkTypes}\b[^]*wrong fs type, bad option, bad superblock[^]*missing codepage or helper program|need a \/sbin\/mount\.(?:<type>|\w+) helper|\/sbin\/mount\.\w+[^]{0,40}(?:not found|no such file)|mount\.(?:nfs|cifs|ceph|glusterfs)\b[^]{0,20}: (?:not found|command not found)|unknown file ?system type '?"?${networkTypes}\b`,
  'i',
);

/** In an rpc error: missing in the driver's image, not on the node. */
export const programMissingTexts =
  /executable file not found|exec: "[^"]+":|mkfs\.\w+[^]{0,60}(?:not found|no such file)|(?:iscsiadm|mkfs|fsck|blkid|cryptsetup|multipath)\S*: (?:command )?not found|failed to execute \S+: no such file|\b(?:ba)?sh: (?:line \d+: )?[\w./-]+: (?:command )?not found|\bline \d+: [\w./-]+: (?:command )?not found|\b(?:resize2fs|xfs_growfs|xfs_info|btrfs|fsadm|findmnt|e2fsck): (?:command )?not found|exit status 127\b/i;

/**
 * mount(2) ENODEV: "filesystemtype not configured in the kernel". A network file system has no other device to miss.
 */
export const kernelModuleMissingTexts = anyOf({
  notSupported: /filesystem not supported by the system|mount error(?:\(19\)| 19\b)|fuse: device not found/,
  networkFileSystem:
    /(?:-t |mount\.)(?:nfs4?|cifs|smb3?|ceph|glusterfs|lustre|beegfs|gpfs|9p|virtiofs|fuse\S*)\b[^]*no such device(?! or address)/,
  named: /\b\w+ kernel module (?:is )?not (?:loaded|available|found)/,
  typeNamedLast:
    /no such device(?! or address)[^]{0,40}(?:-t |mount\.)(?:nfs4?|cifs|smb3?|ceph|glusterfs|lustre|beegfs|gpfs|9p|virtiofs|fuse\S*)\b/,
  nvme: /\/dev\/nvme-fabrics: no such file/,
  modprobe: /modprobe: (?:FATAL|ERROR)|module \S+ not found in directory/,
});

export const fuseProcessGoneText = /transport endpoint is not connected/i;

export const staleHandleText = /stale (?:NFS )?file handle|\bESTALE\b/i;

export const readOnlyTexts =
  /read-only file system|\bEROFS\b|write[- ]protected|cannot (?:re)?mount .{0,60}read-write/i;

export const diskErrorTexts = /input\/output error|i\/o error|medium error|\bEIO\b/i;

/** Services of a node without which a mount cannot work, by what programs say when they are missing. */
const nodeServices: readonly (readonly [RegExp, string])[] = [
  [/(?:can ?not|could not|can't) connect to (?:the )?(?:iSCSI daemon|iscsid)|iscsid is not running/i, 'iscsid'],
  [iscsiCode(18, 20), 'iscsid'],
  [
    /csi-?proxy\b[^]*(?:cannot find the file|not running|connection refused|error connecting)|pipe\\+csi-proxy/i,
    'csi-proxy',
  ],
  [/rpc\.statd is not running/i, 'rpc-statd'],
  [/multipathd is not running|multipathd?: daemon is not running/i, 'multipathd'],
];
export const nodeServiceTexts = anyOf(...nodeServices.map(([pattern]) => pattern));

export function nodeServiceIn(text: string): string | undefined {
  return nodeServices.find(([pattern]) => pattern.test(text))?.[1];
}

/** cryptsetup, for LUKS. */
export const passphraseText = /No key available with this passphrase/i;

/** mount.ceph. */
export const metadataServerText = /no mds \(Metadata Server\) is up/i;

/** mount.nfs. */
export const nfsVersionText =
  /requested NFS version or transport protocol is not supported|mount\.nfs\S*: Protocol not supported/i;
export const exportRefusedText = /access denied by server while mounting (?:([^\s:/]+):(\/\S*))?/i;
/** mount.efs goes through a tunnel on the node itself: the address is not what is refused. */
export const tunnelRefusedText = /access denied by server while mounting (?:127\.0\.0\.1|localhost):/i;
export const exportMissingText =
  /mount\.nfs\S*: mounting \S+ failed, reason given by server: No such file|STATUS_BAD_NETWORK_NAME|\bSystem error 67\b/i;

/** Drivers that mount in a pod of their own: JuiceFS, Mountpoint for S3, the share manager of Longhorn. */
export const helperPodText =
  /\b(?:mount ?pod|share[- ]manager pod|pod) "?(?:[a-z0-9-]+\/)?([a-z0-9][a-z0-9.-]*[a-z0-9])"?[^]{0,40}?\b(?:not (?:yet )?(?:ready|running)|failed)/i;

/** The storage is reached over the network: what fails while the connection is opened is no error of a disk. */
export const connectFailedTexts =
  /(?:attach|connect|login|discover)\w*\b[^]{0,80}(?:input\/output error|i\/o error)[^]*(?:transport=|traddr|portal|nqn\.)|(?:failed to write to|could not open) \/dev\/nvme-fabrics|nvme (?:connect|discover)\b[^]*fail/i;

/** The driver relies on a file system that the node's own client has to mount first. */
export const notMountedTexts =
  /\b(?:file ?system|cluster|cache|share|mount point|client)\b[^.;]{0,60}\b(?:is|was) not (?:yet |currently )?mounted\b/i;

/** Volumes on disks of the node itself: LVM and ZFS. */
export const localVolumeTexts = anyOf({
  lvm: /(?:fail(?:ed)? to find|can ?not find|can't find|no such) (?:the )?(?:VG or LV|LV|VG|logical volume|volume group)\b|\b(?:logical volume|volume group|LV|VG) "?[\w./-]+"? (?:was |is )?(?:not found|does(?: not|n't) exist|missing)/,
  zfs: /cannot open '[^']+': (?:dataset does not exist|no such pool)|\b(?:zpool|dataset) "?[\w./-]+"? (?:was |is )?(?:not found|does(?: not|n't) exist)/,
});

/** dm-multipath did not build the device that the driver waits for. */
export const multipathTexts =
  /\b(?:multipathd?|mpath\w*|multipath (?:daemon|device|map))\b[^.;]{0,60}\b(?:not (?:be )?(?:found|created|built|exist|available|configured)|did not|was not|fail(?:ed|s)?)\b|\bno (?:multipath|mpath) (?:device|map)\b/i;

/** The node has no iSCSI session with the target of the volume. */
export const noSessionTexts =
  /\bno (?:active |open |logged-in |i?scsi )*(?:sessions?|connections?) (?:to|with|for|found|exists?)\b|\bnot logged in(?:to)? (?:to )?(?:the |any )?(?:target|portal)/i;

/** mount(8) and drivers that were given no source. */
export const emptySourceText = /can't find in \/etc\/fstab|could not mount "" at|no mount source/i;

/** mount.cifs, EOPNOTSUPP: mostly a version of SMB that the server does not speak. */
export const smbVersionText = /mount error\(95\)/i;

/** Drivers that look for something in the pod itself: a container that a webhook adds, an annotation, a label. */
export const podSpecTexts =
  /\b(?:sidecar|init ?container|annotation|label)s?\b[^.;]{0,60}\b(?:not found|missing|required|not (?:set|injected|present))|\b(?:find|missing|lacks?) (?:the |an? )?(?:[\w/.-]+ ){0,3}(?:sidecar|annotation|init ?container)\b/i;

/** secrets-store-csi-driver: the provider's socket on this node. */
export const noProviderText = /provider not found: provider "?([\w.-]+)|error connecting to provider "([\w.-]+)"/i;

/** mount(8) failed; exit status 32 alone gives no reason. */
export const mountFailedTexts = /exit status \d+|mount failed|mounting failed/i;

/** The device that fsck was run on. */
export const checkedDeviceText = /on device (\S+)/;

/** Any device of the node. */
export const anyDeviceText = /(\/dev\/\S+?)[:\s]/;

/** EROFS, in the words of the C library. */
export const readOnlyFileSystemText = /read-only file system/i;

/** EPERM. */
export const notPermittedText = /not permitted/i;

/** EACCES. */
export const permissionDeniedText = /permission denied/i;

/** ENOTDIR. */
export const notDirectoryText = /not a directory/i;

/** ENOENT. */
export const noSuchFileText = /no such file/i;
