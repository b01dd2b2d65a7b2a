import { podRule } from '../lib/rule.ts';
import { explainFullVolume } from './full-volume.ts';

/**
 * Nothing more can be written to a volume: a container has ended over it, or it was measured. A warning where the
 * container runs again.
 */
export const volumeFull = podRule({
  cause: 'volume-full',
  stage: 'mount',
  severity: 'warning',
  explain: (p) => explainFullVolume(p, 'bytes'),
});
