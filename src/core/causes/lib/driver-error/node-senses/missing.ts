import { noTargetTexts } from '../senses/exit-codes.ts';
import { emptySourceText, exportMissingText, localVolumeTexts, noSessionTexts } from '../senses/file-system.ts';
import { notStagedTexts, pathMissingText, unknownClusterText, volumeGoneTexts } from '../senses/missing.ts';
import type { PatternedMountSense } from './sense.ts';

export const emptySource: PatternedMountSense = {
  id: 'emptySource',
  pattern: emptySourceText,
  meaning: 'The mount command got no source: the volume does not name what is to be mounted.',
};

export const targetUnknown: PatternedMountSense = {
  id: 'noTarget',
  pattern: noTargetTexts,
  meaning: 'iscsiadm found no record, target, session or portal of that name (its code 21).',
};

export const noSession: PatternedMountSense = {
  id: 'noTarget',
  pattern: noSessionTexts,
  meaning: 'The node has no session with the target of the volume.',
};

export const localVolume: PatternedMountSense = {
  id: 'localVolume',
  pattern: localVolumeTexts,
  meaning: 'The volume is on disks of the node itself, and the node does not find it there.',
};

export const unknownCluster: PatternedMountSense = {
  id: 'cluster',
  pattern: unknownClusterText,
  meaning: 'The configuration of the driver has no Ceph cluster with that id.',
};

export const exportMissing: PatternedMountSense = {
  id: 'exportMissing',
  pattern: exportMissingText,
  meaning: 'The server answered: it does not have this directory, or does not export it.',
};

export const notStaged: PatternedMountSense = {
  id: 'notStaged',
  pattern: notStagedTexts,
  meaning: 'The volume is no longer staged on the node.',
};

export const volumeGone: PatternedMountSense = {
  id: 'gone',
  pattern: volumeGoneTexts,
  meaning: 'The driver does not find the volume or its path; that does not prove that it was deleted.',
};

export const pathMissing: PatternedMountSense = { id: 'path', pattern: pathMissingText, meaning: '' };
