import { podRule } from '../lib/rule.ts';
import { explainFullVolume } from './full-volume.ts';

/**
 * There is space, but no inode for another file: write(2) and open(2) report "no space left on device" all the same.
 */
export const volumeInodesFull = podRule({
  cause: 'volume-inodes-full',
  stage: 'mount',
  severity: 'warning',
  explain: (p) => explainFullVolume(p, 'inodes'),
});
