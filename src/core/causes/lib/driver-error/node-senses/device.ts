import { diskErrorTexts, multipathTexts } from '../senses/file-system.ts';
import { deviceMissingTexts, notAttachedTexts } from '../senses/missing.ts';
import type { PatternedMountSense } from './sense.ts';

export const multipath: PatternedMountSense = {
  id: 'multipath',
  pattern: multipathTexts,
  meaning: 'dm-multipath on the node did not build the device of the volume.',
};

export const deviceMissing: PatternedMountSense = {
  id: 'deviceMissing',
  pattern: deviceMissingTexts,
  meaning: 'The node does not see the disk; that does not prove that it is deleted or detached.',
};

export const diskError: PatternedMountSense = {
  id: 'device',
  pattern: diskErrorTexts,
  meaning: 'The disk returns input/output errors.',
};

export const notAttached: PatternedMountSense = {
  id: 'notAttached',
  pattern: notAttachedTexts,
  meaning: 'The storage does not have the volume attached to the node, or it is not ready there.',
};
