import { objectRule } from '../lib/rule.ts';
import { explainDeleterDown } from './deleter-down.ts';

/** The same cause as in the provision stage, for a volume that should be deleted. */
export const deleterLeaderStale = objectRule('PersistentVolume', {
  cause: 'provisioner-leader-stale',
  stage: 'delete',
  severity: 'blocking',
  explain: (v) => explainDeleterDown(v, 'idle'),
});
