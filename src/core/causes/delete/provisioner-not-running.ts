import { objectRule } from '../lib/rule.ts';
import { explainDeleterDown } from './deleter-down.ts';

/** The same cause as in the provision stage, for a volume that should be deleted. */
export const deleterNotRunning = objectRule('PersistentVolume', {
  cause: 'provisioner-not-running',
  stage: 'delete',
  severity: 'blocking',
  explain: (v) => explainDeleterDown(v, 'down'),
});
