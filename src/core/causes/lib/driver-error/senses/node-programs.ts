import { anyOf } from './wordings.ts';

/** A shell that does not find a program ends with 127; these texts do not say which program it was. */
export const commandMissingText = /^(?![^]*(?:not found|no such file|exec: ))[^]*\bexit (?:status|code):? 127\b/i;

/** krbd, EOPNOTSUPP: the kernel does not do what the image asks for. */
export const mapUnsupportedText = /\brbd\b[^]*map failed: \(95\)/i;

/** EUCLEAN: the kernel read the file system and found it damaged. */
export const damagedText = anyOf({
  errno: /structure needs cleaning|\bEUCLEAN\b/,
  kernel: /\b(?:xfs|ext[34]|btrfs)\b[^.;]{0,60}\b(?:corrupt(?:ion|ed)?|metadata I\/O error)\b/,
});

/** A tool that creates a file system failed, and nothing in the text tells why. */
export const formatFailedText =
  /\b(?:could not|could ?n't|cannot|can't|failed to|unable to) format\b|\bformat(?:ting)? (?:of )?(?:the )?(?:disk|device|volume)\b[^.;]{0,80}\bfailed\b|\bmkfs\.\w+[^;]{0,120}\b(?:exit status|failed)\b/i;

/** DRBD lets one node write: the driver sets the device writable, which makes it Primary. */
export const drbdRefusedText =
  /set source device readwrite|multiple primaries not allowed|need access to uptodate data|drbd(?:adm|setup)[^]{0,80}\bprimary\b[^]*(?:exit|fail)/i;

/** The driver does file systems and was asked for a block device, or the reverse. */
export const accessTypeText = /access[ _-]?type (?:must|has to|should) be "?(?:a |an )?(mount|file ?system|block)/i;

/** mount.efs asks the API for the address only where the name of the file system does not resolve. */
export const unresolvedEfsText =
  /^(?=[^]*not authorized to perform:? elasticfilesystem:DescribeMountTargets)[^]*failed to resolve "?(?:[\w-]+\.)?fs-[0-9a-z]+\.efs\./i;

/** Webhooks of drivers add a container to the pods that ask for it. */
export const notInjectedText =
  /\b(?:fail(?:ed|s)? to|did not|has not|could not) inject\b[^.;]{0,60}\b(?:sidecar|container|agent)\b|\b(?:sidecar|container|agent)\b[^.;]{0,40}\bnot (?:been )?injected\b/i;

/** krbd, ESHUTDOWN: the cluster has fenced this client. */
export const fencedText = /\brbd\b[^]*map failed: \(108\)|cannot send after transport endpoint shutdown/i;

/** mount.cifs, EINPROGRESS: it gave up waiting for the connection. */
export const smbPendingText = /mount error\(115\)/i;

/** Object storage of any kind. */
export const bucketGoneText = /\bNoSuchBucket\b|\bbucket\b[^.;]{0,60}\b(?:does not exist|doesn't exist|not found)\b/i;

/** Azure: the machine that asked has no identity assigned, or its metadata service gave no token. */
export const noTokenText =
  /\bMSI not available\b|failed to acquire (?:a )?token\b|managed identity (?:was )?not found/i;

/** dm-multipath has the map, and every path of it failed. */
export const noPathsText = /\bno (?:usable|active|valid|working) paths?\b|\ball paths (?:are )?(?:down|failed)\b/i;

/** mount(8) on a device that takes no writes. */
export const readOnlyDeviceText = /cannot mount \S+ read-only/i;

/** A container next to the application serves the mount, and ran out of memory. */
export const sidecarMemoryText = /\bsidecar\b[^.;]{0,80}\b(?:OOMKilled|out of memory|exit (?:code|status):? 137)\b/i;

/** A driver waits for a pod of its own, whose name it does not give. */
export const waitsForHelperText =
  /\b(?:wait\w*|time-?out|timed out)\b[^.;]{0,40}\b(?:mount(?: point)? pod|share[- ]manager)\b|\bshare[- ]manager\b[^.;]{0,30}\bnot (?:running|ready)\b/i;

const argumentsText = /\b(?:run(?:ning)?|execut(?:e|ing)|command|cmd)[ :]+"?([a-z][\w.-]*)"? args: \[/i;
const knownPrograms =
  /\b(cryptsetup|rbd|mkfs\.\w+|fsck\.\w+|e2fsck|xfs_repair|iscsiadm|blkid|blockdev|lvcreate|lvchange|lvextend|lvs|vgs|zfs|zpool|drbdadm|drbdsetup|nvme|multipath|losetup|dmsetup|modprobe|udevadm)(?![\w./-])(?! (?:driver|volume|image|csi))[^]*exit (?:status|code)/i;

/** The program of a node plugin that failed, where the text names it. */
export function programIn(text: string): string | undefined {
  return (argumentsText.exec(text) ?? knownPrograms.exec(text))?.[1]?.toLowerCase();
}

export function exitCodeIn(text: string): string | undefined {
  return /\bexit (?:status|code):? (\d+)/i.exec(text)?.[1];
}

/** cryptsetup(8), RETURN CODES. */
const cryptsetupCodes: Readonly<Record<string, string>> = {
  1: 'wrong parameters; a wrong passphrase would be 2',
  2: 'no permission: a bad passphrase',
  3: 'out of memory',
  4: 'wrong device',
  5: 'the device exists already or is busy',
};

/** What is proven by the end of a program, which says no more. */
export function exitWords(text: string): string | undefined {
  const program = programIn(text);
  const code = exitCodeIn(text);
  if (program === undefined || code === undefined) return undefined;
  const known = program === 'cryptsetup' ? cryptsetupCodes[code] : undefined;
  return `${program} ended with exit status ${code}${known === undefined ? '' : ` (${known})`}; the text does not give its reason.`;
}

/** The device that a program or mount(8) was given. */
export function deviceIn(text: string): string | undefined {
  return /(\/dev\/(?:mapper\/)?[\w./-]*\w)/.exec(text)?.[1];
}

/** The image that `rbd map` was given. */
export function mappedImageIn(text: string): string | undefined {
  return /\bmap ([\w.-]+(?:\/[\w.-]+)+)/.exec(text)?.[1];
}

/** The storage is iSCSI. */
export const iscsiText = /iscsi/i;

/** The mount is there, and what served it is gone: only a new mount helps. Disk errors are another matter. */
export const deadMountText = /stale (?:NFS )?file handle|\bESTALE\b|transport endpoint is not connected/i;
