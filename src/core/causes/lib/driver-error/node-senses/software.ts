import {
  checkerTooOldText,
  kernelModuleMissingTexts,
  mountHelperMissingTexts,
  nfsVersionText,
  nodeServiceTexts,
  notMountedTexts,
  programMissingTexts,
  smbVersionText,
  unknownFeatureTexts,
  unknownTypeText,
} from '../senses/file-system.ts';
import type { PatternedMountSense } from './sense.ts';

export const notMounted: PatternedMountSense = {
  id: 'notMounted',
  pattern: notMountedTexts,
  meaning: 'The node itself has to mount this before the driver can use it.',
};

export const smbVersion: PatternedMountSense = {
  id: 'smbVersion',
  pattern: smbVersionText,
  meaning: 'The server does not support what the mount asks for, mostly the version of SMB.',
};

export const nodeService: PatternedMountSense = {
  id: 'nodeService',
  pattern: nodeServiceTexts,
  meaning: 'A service that this kind of mount needs is not running on the node.',
  isOfNode: true,
};

export const nfsVersion: PatternedMountSense = {
  id: 'nfsVersion',
  pattern: nfsVersionText,
  meaning: 'The node and the server have no version of NFS in common, or the NFS service of the server is not running.',
};

export const checkerTooOld: PatternedMountSense = {
  id: 'checkerTooOld',
  pattern: checkerTooOldText,
  meaning: 'The e2fsck of the driver is older than the file system, so nothing was checked. This is no sign of damage.',
};

export const unknownFeatures: PatternedMountSense = {
  id: 'unknownFeatures',
  pattern: unknownFeatureTexts,
  meaning: 'The kernel of the node does not know these features; this is not a sign of damage.',
};

export const mountHelperMissing: PatternedMountSense = {
  id: 'helper',
  pattern: mountHelperMissingTexts,
  meaning: 'The node lacks the client for this network file system.',
  isOfNode: true,
};

export const unknownType: PatternedMountSense = {
  id: 'unknownType',
  pattern: unknownTypeText,
  meaning: 'The kernel of the node does not know this type of file system.',
  isOfNode: true,
};

export const programMissing: PatternedMountSense = {
  id: 'program',
  pattern: programMissingTexts,
  meaning: "A program is missing in the driver's image.",
};

export const kernelModuleMissing: PatternedMountSense = {
  id: 'kernelModule',
  pattern: kernelModuleMissingTexts,
  meaning: 'The kernel of the node lacks the module for this kind of storage.',
  isOfNode: true,
};
