import { nodeFullTexts } from '../senses/capacity.ts';
import {
  checkOfMountedText,
  fuseProcessGoneText,
  notEmptyTexts,
  readOnlyTexts,
  staleHandleText,
  wrongFileSystemTexts,
} from '../senses/file-system.ts';
import type { PatternedMountSense } from './sense.ts';

export const checkOfMounted: PatternedMountSense = {
  id: 'mounted',
  pattern: checkOfMountedText,
  meaning:
    'The check stopped because the device is mounted already. This is no sign of damage: do not repair it by hand.',
};

export const notEmpty: PatternedMountSense = {
  id: 'notEmpty',
  pattern: notEmptyTexts,
  meaning: 'The device holds something other than what the driver expects.',
};

export const wrongFileSystem: PatternedMountSense = {
  id: 'fileSystem',
  pattern: wrongFileSystemTexts,
  meaning: 'The kernel of the node cannot read the device as this type of file system.',
};

export const fuseProcessGone: PatternedMountSense = {
  id: 'fuse',
  pattern: fuseProcessGoneText,
  meaning: 'The FUSE process behind a mount on the node has ended.',
  isOfNode: true,
};

export const staleHandle: PatternedMountSense = {
  id: 'staleHandle',
  pattern: staleHandleText,
  meaning: 'The server no longer has the directory that the node has mounted.',
};

export const readOnly: PatternedMountSense = {
  id: 'readOnly',
  pattern: readOnlyTexts,
  meaning: 'The volume or its file system is read-only.',
};

export const full: PatternedMountSense = { id: 'full', pattern: nodeFullTexts, meaning: '' };

export const staleMount: PatternedMountSense = {
  id: 'staleMount',
  pattern: /failed to create (?:dir|target)\b[^]*: file exists/i,
  meaning: 'Something that the kubelet cannot read is left at this path, mostly a dead mount.',
};
