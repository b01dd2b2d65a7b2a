import { brokenStateTexts, busyTexts } from '../senses/time.ts';
import { busyOnNodeTexts, heldByClientTexts } from '../senses/use.ts';
import type { PatternedMountSense } from './sense.ts';

export const heldByClient: PatternedMountSense = {
  id: 'inUse',
  pattern: heldByClientTexts,
  meaning: 'Another client still holds the volume in the storage system.',
};

export const busyOnNode: PatternedMountSense = {
  id: 'busy',
  pattern: busyOnNodeTexts,
  meaning: 'A process or a mount on the node holds the device or the mount point.',
};

export const brokenState: PatternedMountSense = {
  id: 'state',
  pattern: brokenStateTexts,
  meaning: 'The storage itself does not consider the volume usable.',
};

export const storageBusy: PatternedMountSense = {
  id: 'storageBusy',
  pattern: busyTexts,
  meaning: 'The storage refuses it until what the error names is finished or released.',
};
