import { cutWords } from '../../../kube/cut-words.ts';
import { parseDriverError } from './parse.ts';
import { nodeFullTexts } from './senses/capacity.ts';
import { mountDeniedTexts } from './senses/credentials.ts';
import {
  diskErrorTexts,
  fuseProcessGoneText,
  kernelModuleMissingTexts,
  mountFailedTexts,
  mountHelperMissingTexts,
  programMissingTexts,
  readOnlyTexts,
  staleHandleText,
  unknownFeatureTexts,
  wrongFileSystemTexts,
} from './senses/file-system.ts';
import { deviceMissingTexts, notAttachedTexts, notStagedTexts, volumeGoneTexts } from './senses/missing.ts';
import { nodeNetworkTexts, nodeSocketTexts } from './senses/network.ts';
import { mountOptionTexts } from './senses/request.ts';
import { busyOnNodeTexts, heldByClientTexts } from './senses/use.ts';

/** What a driver, or the mount helper of a node, means in plain words. */
export interface MountSense {
  readonly id:
    | 'driverDown'
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
    pattern: nodeSocketTexts,
    meaning: 'its socket does not answer, because its container there has stopped, hangs or has not started',
    advice: 'see whether the driver container of the node plugin runs on that node, and restart its pod',
    isOfNode: true,
  },
  {
    id: 'unknownFeatures',
    pattern: unknownFeatureTexts,
    meaning: 'the file system, or the image, was made with features that the kernel of the node does not know',
    advice:
      'use a newer kernel, or make the file system with older features (another fsType, another version of the driver), or the image with fewer (imageFeatures: layering for RBD)',
  },
  {
    id: 'fileSystem',
    pattern: wrongFileSystemTexts,
    meaning:
      'the file system on the volume is not the expected one, is damaged, or the kernel of the node cannot read it',
    advice:
      'compare fsType with what is on the volume (blkid on the node), and look at the kernel log of the node; do not format it again',
  },
  {
    id: 'helper',
    pattern: mountHelperMissingTexts,
    meaning: 'the node lacks the mount helper for this file system',
    advice: 'install the client tools on the node (nfs-common or nfs-utils, cifs-utils)',
    isOfNode: true,
  },
  {
    id: 'program',
    pattern: programMissingTexts,
    meaning:
      'a program that is needed to format or mount the volume is missing in the image of the driver or on the node',
    advice:
      'use an fsType whose tools the image of the driver has (ext4), or an image or node with the tools (open-iscsi for iscsiadm, xfsprogs for mkfs.xfs)',
  },
  {
    id: 'kernelModule',
    pattern: kernelModuleMissingTexts,
    meaning: 'the kernel of the node lacks the module for this kind of storage',
    advice:
      'load the module on the node (modprobe nfs, cifs, ceph, rbd); where it is not there, install the package with the further modules of the kernel (linux-modules-extra, kernel-modules-extra)',
    isOfNode: true,
  },
  {
    id: 'fuse',
    pattern: fuseProcessGoneText,
    meaning: 'the FUSE process behind a mount on the node has died',
    advice: 'restart the node plugin on that node, then the pods that use the volume',
    isOfNode: true,
  },
  {
    id: 'staleHandle',
    pattern: staleHandleText,
    meaning: 'the server has dropped the directory that the node has mounted',
    advice: 'check the export on the server, and unmount what is left on the node by moving the pods away',
  },
  {
    id: 'inUse',
    pattern: heldByClientTexts,
    meaning: 'another client still holds the volume in the storage system',
    advice: 'find out who holds it (a node that was cut off, a mount outside of the cluster), and release it there',
  },
  {
    id: 'busy',
    pattern: busyOnNodeTexts,
    meaning: 'something on the node holds the device or the mount point (multipathd, a mount that was left over)',
    advice:
      'look on the node who holds the device (lsblk, multipath -ll, mount); keep multipathd off the devices of the driver',
  },
  {
    id: 'notStaged',
    pattern: notStagedTexts,
    meaning: 'the driver was asked to publish a volume that is not staged on the node any more',
    advice: 'delete the pod, so that the volume is staged again; restart the node plugin if that does not help',
  },
  {
    id: 'network',
    pattern: nodeNetworkTexts,
    meaning: 'the node cannot reach the storage over the network',
    advice: 'check the address in the volume, DNS, firewall and routes from that node to the storage',
  },
  {
    id: 'deviceMissing',
    pattern: deviceMissingTexts,
    meaning: 'the attached disk does not show up as a device on the node',
    advice:
      'look whether the disk is visible on the node (lsblk, /dev/disk/by-id); on vSphere the machine needs disk.EnableUUID = TRUE, set while it is off; elsewhere udev rules, or a node plugin that is too old for the machine type, hide it',
  },
  {
    id: 'denied',
    pattern: mountDeniedTexts,
    meaning: 'the storage refuses the mount: wrong or outdated credentials, or the node is not allowed to',
    advice:
      'check the secret that the volume names (was a key rotated?), the rights of that user, and the access list of the storage',
  },
  {
    id: 'readOnly',
    pattern: readOnlyTexts,
    meaning: 'the volume or the file system is read-only',
    advice: 'mount it read-only (readOnly: true), or find out why the storage made it so',
  },
  {
    id: 'full',
    pattern: nodeFullTexts,
    meaning: 'there is no space left on the node or on the volume',
    advice: 'free space there',
  },
  {
    id: 'device',
    pattern: diskErrorTexts,
    meaning: 'the disk answers with input/output errors',
    advice: 'look at the kernel log of the node and at the health of the disk in the storage system',
  },
  {
    id: 'notAttached',
    pattern: notAttachedTexts,
    meaning: 'the storage does not have the volume attached to the node, or not ready there',
    advice:
      'look at the state of the volume in the storage system: it may be on its way, damaged, or was taken off the node by someone else; delete the pod, so that it is attached again',
  },
  {
    id: 'gone',
    pattern: volumeGoneTexts,
    meaning: 'the storage does not know the volume, or the path, any more',
    advice: 'look for the volume in the storage system by its handle; it may have been deleted there',
  },
  {
    id: 'options',
    pattern: mountOptionTexts,
    meaning: 'the driver or the mount helper refuses an option or attribute of the volume',
    advice: 'check mountOptions and the attributes of the volume',
  },
  {
    id: 'mountFailed',
    pattern: mountFailedTexts,
    meaning: 'the mount command fails on the node',
    advice: 'look at the kernel log of the node (dmesg), which says more than mount',
  },
];

const mostWords = 160;

export function mountSenseOf(text: string): MountSense | undefined {
  return senses.find(({ pattern }) => pattern.test(text));
}

/** What the mount command printed, else the innermost words, cut around the telling part to a length that fits a summary. */
export function ownWords(text: string): string {
  const { output, words } = parseDriverError(text);
  const sense = senses.find(({ pattern }) => pattern.test(text));
  return cutWords(
    (output ?? words).trim().replace(/^["']|["']$/g, ''),
    mostWords,
    sense?.id === 'mountFailed' ? undefined : sense?.pattern,
  );
}
