import { cutWords } from '../../../kube/cut-words.ts';
import { tidyWords } from './tidy-words.ts';
import { parseDriverError } from './parse.ts';
import { nodeFullTexts } from './senses/capacity.ts';
import {
  actionDeniedText,
  credentialsMissingTexts,
  loginFailedText,
  loginRefusedTexts,
  mountDeniedTexts,
  wrongPasswordText,
} from './senses/credentials.ts';
import { bareExitText, iscsiCode, noTargetTexts } from './senses/exit-codes.ts';
import {
  checkOfMountedText,
  checkerTooOldText,
  connectFailedTexts,
  emptySourceText,
  localVolumeTexts,
  multipathTexts,
  noSessionTexts,
  notMountedTexts,
  podSpecTexts,
  smbVersionText,
  tunnelRefusedText,
  exportMissingText,
  exportRefusedText,
  helperPodText,
  metadataServerText,
  nfsVersionText,
  nodeServiceTexts,
  notEmptyTexts,
  noProviderText,
  passphraseText,
  diskErrorTexts,
  fuseProcessGoneText,
  kernelModuleMissingTexts,
  mountFailedTexts,
  mountHelperMissingTexts,
  programMissingTexts,
  readOnlyTexts,
  staleHandleText,
  unknownFeatureTexts,
  unknownTypeText,
  wrongFileSystemTexts,
} from './senses/file-system.ts';
import { apiForbiddenTexts, apiObjectMissingText } from './senses/kubernetes.ts';
import {
  deviceMissingTexts,
  notAttachedTexts,
  notStagedTexts,
  pathMissingText,
  unknownClusterText,
  volumeGoneTexts,
} from './senses/missing.ts';
import { certificateTexts, nodeNetworkTexts, nodeSocketTexts, unresolvedTexts } from './senses/network.ts';
import { brokenStateTexts, busyTexts, outageTexts } from './senses/time.ts';
import { mountOptionTexts } from './senses/request.ts';
import { spelledOut } from './spelled-out.ts';
import { anyOf } from './senses/wordings.ts';
import { busyOnNodeTexts, heldByClientTexts } from './senses/use.ts';

/** What the words of a driver, or of the mount helper of a node, prove. */
export interface MountSense {
  readonly id:
    | 'driverDown'
    | 'apiForbidden'
    | 'apiMissing'
    | 'noProvider'
    | 'secretsStore'
    | 'nodeService'
    | 'names'
    | 'metadataServer'
    | 'login'
    | 'passphrase'
    | 'nfsVersion'
    | 'exportMissing'
    | 'state'
    | 'action'
    | 'credentials'
    | 'unknownFeatures'
    | 'unknownType'
    | 'mounted'
    | 'fileSystem'
    | 'helper'
    | 'program'
    | 'kernelModule'
    | 'busy'
    | 'deviceMissing'
    | 'fuse'
    | 'staleHandle'
    | 'blocklist'
    | 'inUse'
    | 'nfsDenied'
    | 'wrongLogin'
    | 'cluster'
    | 'helperPod'
    | 'denied'
    | 'network'
    | 'readOnly'
    | 'full'
    | 'device'
    | 'notAttached'
    | 'gone'
    | 'path'
    | 'notStaged'
    | 'options'
    | 'certificate'
    | 'notEmpty'
    | 'outage'
    | 'storageBusy'
    | 'policyDenied'
    | 'cephDenied'
    | 'multipath'
    | 'localVolume'
    | 'notMounted'
    | 'staleMount'
    | 'checkerTooOld'
    | 'podSpec'
    | 'noTarget'
    | 'emptySource'
    | 'smbVersion'
    | 'exit'
    | 'mountFailed';
  /**
   * A sentence that follows the quoted words, and says no more than they prove; empty where they speak for themselves.
   */
  readonly meaning: string;
  /** The same for every pod on the node that uses the driver. */
  readonly isOfNode?: true;
}

/** The first that fits counts: mount(8) answers most things with exit status 32, so that comes last. */
const senses: readonly (MountSense & { readonly pattern: RegExp })[] = [
  { id: 'driverDown', pattern: nodeSocketTexts, meaning: '', isOfNode: true },
  {
    id: 'apiForbidden',
    pattern: apiForbiddenTexts,
    meaning: 'The Kubernetes API refused this; the storage has not been asked.',
  },
  {
    id: 'apiMissing',
    pattern: apiObjectMissingText,
    meaning: 'A Kubernetes object is missing, not a disk.',
  },
  {
    id: 'podSpec',
    pattern: podSpecTexts,
    meaning: 'The driver misses something in the pod itself; the storage has not been asked.',
  },
  {
    id: 'noProvider',
    pattern: noProviderText,
    meaning: 'The provider of the secrets store does not answer on this node.',
  },
  {
    id: 'secretsStore',
    pattern: /failed to mount secrets store objects/,
    meaning: 'The provider could not fetch what the SecretProviderClass names.',
  },
  {
    id: 'credentials',
    pattern: credentialsMissingTexts,
    meaning: 'The driver has no usable credentials.',
  },
  {
    id: 'action',
    pattern: actionDeniedText,
    meaning: "The driver's identity lacks that permission.",
  },
  {
    id: 'emptySource',
    pattern: emptySourceText,
    meaning: 'The mount command got no source: the volume does not name what is to be mounted.',
  },
  {
    id: 'noTarget',
    pattern: noTargetTexts,
    meaning: 'iscsiadm found no record, target, session or portal of that name (its code 21).',
  },
  {
    id: 'noTarget',
    pattern: noSessionTexts,
    meaning: 'The node has no session with the target of the volume.',
  },
  {
    id: 'multipath',
    pattern: multipathTexts,
    meaning: 'dm-multipath on the node did not build the device of the volume.',
  },
  {
    id: 'localVolume',
    pattern: localVolumeTexts,
    meaning: 'The volume is on disks of the node itself, and the node does not find it there.',
  },
  {
    id: 'notMounted',
    pattern: notMountedTexts,
    meaning: 'The node itself has to mount this before the driver can use it.',
  },
  {
    id: 'smbVersion',
    pattern: smbVersionText,
    meaning: 'The server does not support what the mount asks for, mostly the version of SMB.',
  },
  {
    id: 'nodeService',
    pattern: nodeServiceTexts,
    meaning: 'A service that this kind of mount needs is not running on the node.',
    isOfNode: true,
  },
  {
    id: 'cluster',
    pattern: unknownClusterText,
    meaning: 'The configuration of the driver has no Ceph cluster with that id.',
  },
  {
    id: 'passphrase',
    pattern: passphraseText,
    meaning: 'The passphrase that the driver was given does not open the encrypted volume.',
  },
  {
    id: 'metadataServer',
    pattern: metadataServerText,
    meaning: 'The file system has no metadata server (MDS) that is up, or the user of the driver may not see it.',
  },
  {
    id: 'nfsVersion',
    pattern: nfsVersionText,
    meaning:
      'The node and the server have no version of NFS in common, or the NFS service of the server is not running.',
  },
  {
    id: 'exportMissing',
    pattern: exportMissingText,
    meaning: 'The server answered: it does not have this directory, or does not export it.',
  },
  {
    id: 'names',
    pattern: unresolvedTexts,
    meaning: 'The name of the server cannot be resolved from this node.',
  },
  {
    id: 'checkerTooOld',
    pattern: checkerTooOldText,
    meaning:
      'The e2fsck of the driver is older than the file system, so nothing was checked. This is no sign of damage.',
  },
  {
    id: 'unknownFeatures',
    pattern: unknownFeatureTexts,
    meaning: 'The kernel of the node does not know these features; this is not a sign of damage.',
  },
  {
    id: 'helper',
    pattern: mountHelperMissingTexts,
    meaning: 'The node lacks the client for this network file system.',
    isOfNode: true,
  },
  {
    id: 'unknownType',
    pattern: unknownTypeText,
    meaning: 'The kernel of the node does not know this type of file system.',
    isOfNode: true,
  },
  {
    id: 'mounted',
    pattern: checkOfMountedText,
    meaning:
      'The check stopped because the device is mounted already. This is no sign of damage: do not repair it by hand.',
  },
  {
    id: 'notEmpty',
    pattern: notEmptyTexts,
    meaning: 'The device holds something other than what the driver expects.',
  },
  {
    id: 'fileSystem',
    pattern: wrongFileSystemTexts,
    meaning: 'The kernel of the node cannot read the device as this type of file system.',
  },
  {
    id: 'program',
    pattern: programMissingTexts,
    meaning: "A program is missing in the driver's image.",
  },
  {
    id: 'kernelModule',
    pattern: kernelModuleMissingTexts,
    meaning: 'The kernel of the node lacks the module for this kind of storage.',
    isOfNode: true,
  },
  {
    id: 'network',
    pattern: connectFailedTexts,
    meaning: 'The node could not connect to the target of the volume; this is not an error of a disk.',
  },
  {
    id: 'fuse',
    pattern: fuseProcessGoneText,
    meaning: 'The FUSE process behind a mount on the node has ended.',
    isOfNode: true,
  },
  {
    id: 'staleHandle',
    pattern: staleHandleText,
    meaning: 'The server no longer has the directory that the node has mounted.',
  },
  {
    id: 'blocklist',
    pattern: /failed to blocklist[^]*?-13\b/i,
    meaning: 'The storage let the client in, but it may not blocklist the holder of an old lock.',
  },
  {
    id: 'blocklist',
    pattern: /rbd: map failed: \(13\) Permission denied/,
    meaning:
      'Ceph most likely refused a right rather than the key. After an unclean reboot it is often the right to blocklist the client that holds the old lock, which the kernel log of the node shows.',
  },
  {
    id: 'inUse',
    pattern: heldByClientTexts,
    meaning: 'Another client still holds the volume in the storage system.',
  },
  {
    id: 'busy',
    pattern: busyOnNodeTexts,
    meaning: 'A process or a mount on the node holds the device or the mount point.',
  },
  {
    id: 'notStaged',
    pattern: notStagedTexts,
    meaning: 'The volume is no longer staged on the node.',
  },
  {
    id: 'certificate',
    pattern: certificateTexts,
    meaning: 'The connection was refused because of a certificate, before any login.',
  },
  {
    id: 'login',
    pattern: anyOf(/(?:authori[sz]ation|authentication) failure/, iscsiCode(24)),
    meaning: 'The storage was reached and refused the login of this node.',
  },
  {
    id: 'network',
    pattern: nodeNetworkTexts,
    meaning: 'The node does not reach the storage over the network.',
  },
  {
    id: 'deviceMissing',
    pattern: deviceMissingTexts,
    meaning: 'The node does not see the disk; that does not prove that it is deleted or detached.',
  },
  {
    id: 'policyDenied',
    pattern: tunnelRefusedText,
    meaning:
      'The server answered through the tunnel of the driver and refused, mostly by the policy of the file system; the address is not to blame.',
  },
  {
    id: 'cephDenied',
    pattern: /mount error:? 13 = Permission denied|-t ceph\b[^]*permission denied/i,
    meaning:
      'Ceph answered and refused, mostly because the key is not that of the user or its caps do not cover the path.',
  },
  {
    id: 'nfsDenied',
    pattern: exportRefusedText,
    meaning: 'The NFS server answered and refused this node.',
  },
  {
    id: 'wrongLogin',
    pattern: wrongPasswordText,
    meaning: 'The storage was reached and did not accept the user name or the password.',
  },
  {
    id: 'wrongLogin',
    pattern: loginFailedText,
    meaning: 'The driver could not log in to the storage with the credentials that it was given.',
  },
  {
    id: 'wrongLogin',
    pattern: loginRefusedTexts,
    meaning: 'The storage does not accept the key, password or token that the driver was given.',
  },
  {
    id: 'denied',
    pattern: mountDeniedTexts,
    meaning: 'The storage answered and refused; the text does not name the reason.',
  },
  {
    id: 'state',
    pattern: brokenStateTexts,
    meaning: 'The storage itself does not consider the volume usable.',
  },
  { id: 'readOnly', pattern: readOnlyTexts, meaning: 'The volume or its file system is read-only.' },
  { id: 'full', pattern: nodeFullTexts, meaning: '' },
  { id: 'device', pattern: diskErrorTexts, meaning: 'The disk returns input/output errors.' },
  {
    id: 'notAttached',
    pattern: notAttachedTexts,
    meaning: 'The storage does not have the volume attached to the node, or it is not ready there.',
  },
  {
    id: 'gone',
    pattern: volumeGoneTexts,
    meaning: 'The driver does not find the volume or its path; that does not prove that it was deleted.',
  },
  {
    id: 'staleMount',
    pattern: /failed to create (?:dir|target)\b[^]*: file exists/i,
    meaning: 'Something that the kubelet cannot read is left at this path, mostly a dead mount.',
  },
  { id: 'path', pattern: pathMissingText, meaning: '' },
  { id: 'helperPod', pattern: helperPodText, meaning: '' },
  { id: 'options', pattern: mountOptionTexts, meaning: 'An option or attribute of the volume is refused.' },
  {
    id: 'outage',
    pattern: outageTexts,
    meaning: 'The storage answers that it is not available now.',
  },
  {
    id: 'storageBusy',
    pattern: busyTexts,
    meaning: 'The storage refuses it until what the error names is finished or released.',
  },
  {
    id: 'exit',
    pattern: bareExitText,
    meaning: 'A program that the driver started has failed; the text names neither the program nor the reason.',
  },
  {
    id: 'mountFailed',
    pattern: mountFailedTexts,
    meaning: 'mount(8) failed on the node; this text does not say why.',
  },
];

const mostWords = 168;

/** mount(8) begins with the directory, and drivers repeat the command they ran: what went wrong comes after that. */
function withoutEcho(said: string): string {
  const result = tidyWords(said)
    .trim()
    .replace(/^[^]*\b(?:(?:error|stderr) output|stderr): (?=\S)/, '')
    // amazon-efs-utils prints this in every container, also when it mounts.
    .replace(/Could not start amazon-efs-mount-watchdog, unrecognized init system "[^"]*"\s*/, '')
    .replace(/^mount: (?:\/\S+: )+/, '')
    .replace(/^[^]*\bexit status \d+: (?=\S)/, '');
  return result === '' ? said : result;
}

/** What a provider of secrets quotes from its store tells more than the words around it. */
function tellingOf(sense: (typeof senses)[number] | undefined, said: string): RegExp | undefined {
  if (sense?.id === 'mountFailed') return undefined;
  return sense?.id === 'secretsStore' && mountDeniedTexts.test(said) ? mountDeniedTexts : sense?.pattern;
}

/** Senses that only say that something failed. */
const isVague = (id: MountSense['id']): boolean => id === 'mountFailed' || id === 'exit';

/** Errors that are a single name (`VolumeDeviceNotFound`) are read word by word, if the text as it is says nothing. */
function senseIn(text: string): (typeof senses)[number] | undefined {
  const direct = senses.find(({ pattern }) => pattern.test(text));
  if (direct && !isVague(direct.id)) return direct;
  const words = spelledOut(parseDriverError(text).words);
  return (
    (words === undefined ? undefined : senses.find(({ id, pattern }) => !isVague(id) && pattern.test(words))) ?? direct
  );
}

export function mountSenseOf(text: string): MountSense | undefined {
  return senseIn(text);
}

/**
 * What the mount command printed, else the innermost words, cut around the telling part to a length that fits a
 * summary.
 */
export function ownWords(text: string): string {
  const { output, words } = parseDriverError(text);
  const sense = senseIn(text);
  // The arguments of a mount command without its output say nothing about the reason.
  const said = withoutEcho(output ?? words.replace(/\s*Mounting command:[^]*$/, ''));
  return cutWords(said.trim().replace(/^(["'])([^]*)\1$/, '$2'), mostWords, tellingOf(sense, said));
}
