import { cutWords } from '../../kube/cut-words.ts';

/** What a driver, or the mount helper of a node, means in plain words. */
export interface MountSense {
  readonly id:
    | 'driverDown'
    | 'inconsistent'
    | 'unknownFeatures'
    | 'fileSystem'
    | 'helper'
    | 'program'
    | 'kernelModule'
    | 'busy'
    | 'deviceMissing'
    | 'fuse'
    | 'staleHandle'
    | 'inUse'
    | 'denied'
    | 'network'
    | 'readOnly'
    | 'full'
    | 'device'
    | 'notAttached'
    | 'gone'
    | 'notStaged'
    | 'options'
    | 'mountFailed';
  /** Reads after "…: ". */
  readonly meaning: string;
  readonly advice: string;
  /** The same for every pod on the node that uses the driver. */
  readonly isOfNode?: true;
}

/** The first that fits counts: mount(8) answers most things with exit status 32, so that comes last. */
const senses: readonly (MountSense & { readonly pattern: RegExp })[] = [
  {
    id: 'driverDown',
    pattern:
      /dial unix \S*|connection error: desc|transport: (?:error|connection)|error reading from server: EOF|code = Unavailable\b[^]*(?:connect|transport|EOF|socket)/i,
    meaning: 'its socket does not answer, because its container there has stopped, hangs or has not started',
    advice: 'see whether the driver container of the node plugin runs on that node, and restart its pod',
    isOfNode: true,
  },
  {
    id: 'unknownFeatures',
    pattern:
      /unknown (?:read-only )?compatible features|unsupported (?:optional )?features?|couldn't mount because of unsupported|Superblock has unknown|feature set mismatch|features unsupported by the kernel/i,
    meaning: 'the file system, or the image, was made with features that the kernel of the node does not know',
    advice:
      'use a newer kernel, or make the file system with older features (another fsType, another version of the driver), or the image with fewer (imageFeatures: layering for RBD)',
  },
  {
    id: 'fileSystem',
    pattern:
      /wrong fs type|bad superblock|can't read superblock|unknown filesystem type|unknown file ?system|structure needs cleaning|failed to mount the volume as|mismatched? (?:fs|file ?system)/i,
    meaning:
      'the file system on the volume is not the expected one, is damaged, or the kernel of the node cannot read it',
    advice:
      'compare fsType with what is on the volume (blkid on the node), and look at the kernel log of the node; do not format it again',
  },
  {
    id: 'helper',
    pattern:
      /need a \/sbin\/mount\.(?:<type>|\w+) helper|\/sbin\/mount\.\w+[^]{0,40}(?:not found|no such file)|mount\.(?:nfs|cifs|ceph|glusterfs)\b[^]{0,20}: (?:not found|command not found)/i,
    meaning: 'the node lacks the mount helper for this file system',
    advice: 'install the client tools on the node (nfs-common or nfs-utils, cifs-utils)',
    isOfNode: true,
  },
  {
    id: 'program',
    pattern:
      /executable file not found|exec: "[^"]+":|mkfs\.\w+[^]{0,60}(?:not found|no such file)|(?:iscsiadm|mkfs|fsck|blkid|cryptsetup|multipath)\S*: (?:command )?not found|failed to execute \S+: no such file|exit status 127\b/i,
    meaning:
      'a program that is needed to format or mount the volume is missing in the image of the driver or on the node',
    advice:
      'use an fsType whose tools the image of the driver has (ext4), or an image or node with the tools (open-iscsi for iscsiadm, xfsprogs for mkfs.xfs)',
  },
  {
    // mount(2) ENODEV: "filesystemtype not configured in the kernel". A network file system has no other device to miss.
    id: 'kernelModule',
    pattern:
      /filesystem not supported by the system|mount error(?:\(19\)| 19\b)|(?:-t |mount\.)(?:nfs4?|cifs|smb3?|ceph|glusterfs|lustre|9p|virtiofs|fuse\S*)\b[^]*no such device(?! or address)|fuse: device not found|modprobe: (?:FATAL|ERROR)|module \S+ not found in directory/i,
    meaning: 'the kernel of the node lacks the module for this kind of storage',
    advice:
      'load the module on the node (modprobe nfs, cifs, ceph, rbd); where it is not there, install the package with the further modules of the kernel (linux-modules-extra, kernel-modules-extra)',
    isOfNode: true,
  },
  {
    id: 'fuse',
    pattern: /transport endpoint is not connected/i,
    meaning: 'the FUSE process behind a mount on the node has died',
    advice: 'restart the node plugin on that node, then the pods that use the volume',
    isOfNode: true,
  },
  {
    id: 'staleHandle',
    pattern: /stale (?:NFS )?file handle/i,
    meaning: 'the server has dropped the directory that the node has mounted',
    advice: 'check the export on the server, and unmount what is left on the node by moving the pods away',
  },
  {
    id: 'inUse',
    pattern:
      /is still being used|(?:image|volume|disk)\b.{0,60}\bhas watchers|already (?:in use|exclusively|locked)|in use by another|exclusive lock|failed to (?:acquire|break) lock|blocklist/i,
    meaning: 'another client still holds the volume in the storage system',
    advice: 'find out who holds it (a node that was cut off, a mount outside of the cluster), and release it there',
  },
  {
    id: 'busy',
    pattern: /already mounted|mount point busy|(?:device or )?resource busy|apparently in use by the system|\bEBUSY\b/i,
    meaning: 'something on the node holds the device or the mount point (multipathd, a mount that was left over)',
    advice:
      'look on the node who holds the device (lsblk, multipath -ll, mount); keep multipathd off the devices of the driver',
  },
  {
    id: 'notStaged',
    pattern: /not (?:been )?staged|staging (?:target )?path\b.{0,120}(?:not|no such)|volume not staged/i,
    meaning: 'the driver was asked to publish a volume that is not staged on the node any more',
    advice: 'delete the pod, so that the volume is staged again; restart the node plugin if that does not help',
  },
  {
    id: 'network',
    pattern:
      /connection (?:timed out|refused|reset)|no route to host|host is (?:down|unreachable)|network is unreachable|i\/o timeout|name or service not known|no such host|could not resolve|error\((?:110|111|112|113|115)\)|login (?:to .{0,80})?(?:failed|timed out)|no portal|target .{0,60} not (?:found|reachable)/i,
    meaning: 'the node cannot reach the storage over the network',
    advice: 'check the address in the volume, DNS, firewall and routes from that node to the storage',
  },
  {
    id: 'deviceMissing',
    pattern:
      /no such device|device\b.{0,120}\bnot found|(?:could not|cannot|can't|unable to|failed to) (?:find|get|locate|identify) .{0,60}(?:device|disk|path|dev\b)|no (?:disk|device|nvme|multipath)\b.{0,60}(?:found|exist)|timed out waiting for (?:the )?device|\/dev\/\S+.{0,60}(?:no such file|does not exist|not exist)|waiting for device|rescan.*failed|special device .* does not exist|disk: \S+ not attached to node|could not find attached (?:VMDK|PD|disk|volume)|waiting for mount paths to be created/i,
    meaning: 'the attached disk does not show up as a device on the node',
    advice:
      'look whether the disk is visible on the node (lsblk, /dev/disk/by-id); on vSphere the machine needs disk.EnableUUID = TRUE, set while it is off; elsewhere udev rules, or a node plugin that is too old for the machine type, hide it',
  },
  {
    id: 'denied',
    pattern:
      /permission denied|operation not permitted|access denied|\(13\)|\(1\): operation|error\((?:13|12[6-9])\)|required key not available|key (?:has expired|has been revoked|was rejected)|code = (?:PermissionDenied|Unauthenticated)|unauthori[sz]ed|authentication fail|invalid (?:credentials|key)|AccessDenied|Forbidden|\bEACCES\b|\bEPERM\b|STATUS_LOGON_FAILURE|NT_STATUS_ACCESS/i,
    meaning: 'the storage refuses the mount: wrong or outdated credentials, or the node is not allowed to',
    advice:
      'check the secret that the volume names (was a key rotated?), the rights of that user, and the access list of the storage',
  },
  {
    id: 'readOnly',
    pattern: /read-only file system|write[- ]protected|cannot (?:re)?mount .{0,60}read-write/i,
    meaning: 'the volume or the file system is read-only',
    advice: 'mount it read-only (readOnly: true), or find out why the storage made it so',
  },
  {
    id: 'full',
    pattern: /no space left|disk quota exceeded|ENOSPC/i,
    meaning: 'there is no space left on the node or on the volume',
    advice: 'free space there',
  },
  {
    id: 'device',
    pattern: /input\/output error|i\/o error|medium error|\bEIO\b/i,
    meaning: 'the disk answers with input/output errors',
    advice: 'look at the kernel log of the node and at the health of the disk in the storage system',
  },
  {
    id: 'notAttached',
    pattern: /(?:not|n't) (?:been |yet |yet been )?attached\b|not ready for workloads/i,
    meaning: 'the storage does not have the volume attached to the node, or not ready there',
    advice:
      'look at the state of the volume in the storage system: it may be on its way, damaged, or was taken off the node by someone else; delete the pod, so that it is attached again',
  },
  {
    id: 'gone',
    pattern:
      /code = NotFound\b|(?:volume|image|disk|share|dataset|export)\b.{0,80}(?:not found|does not exist|no such)|mount error\(2\)|No such file or directory/i,
    meaning: 'the storage does not know the volume, or the path, any more',
    advice: 'look for the volume in the storage system by its handle; it may have been deleted there',
  },
  {
    id: 'options',
    pattern:
      /bad (?:mount )?option|invalid (?:mount )?option|unknown (?:mount )?option|unrecognized mount option|mount error\(22\)|invalid argument/i,
    meaning: 'the driver or the mount helper refuses an option or attribute of the volume',
    advice: 'check mountOptions and the attributes of the volume',
  },
  {
    id: 'mountFailed',
    pattern: /exit status \d+|mount failed|mounting failed/i,
    meaning: 'the mount command fails on the node',
    advice: 'look at the kernel log of the node (dmesg), which says more than mount',
  },
];

const mostWords = 160;

export function mountSenseOf(text: string): MountSense | undefined {
  return senses.find(({ pattern }) => pattern.test(text));
}

/** The driver's own words, or those of the mount command, without the wrapping of the kubelet, cut around what tells to a length that fits a summary. */
export function ownWords(text: string): string {
  const last = [...text.matchAll(/desc = /g)].at(-1);
  const output = /\bOutput:\s*(\S[^]*)$/.exec(text)?.[1];
  const words = (output ?? (last ? text.slice(last.index + last[0].length) : text)).trim().replace(/^["']|["']$/g, '');
  const sense = senses.find(({ pattern }) => pattern.test(text));
  return cutWords(words, mostWords, sense?.id === 'mountFailed' ? undefined : sense?.pattern);
}

/** The innermost gRPC code that says more than "something went wrong". */
export function grpcCodeOf(text: string): string | undefined {
  const codes = [...text.matchAll(/code = (\w+)/g)].map((match) => match[1] ?? '');
  return codes.findLast((code) => code !== 'Internal' && code !== 'Unknown') ?? codes.at(-1);
}
