import { objectRule } from '../lib/rule.ts';
import { explainDeleterDown } from './deleter-down.ts';

/** The same cause as in the provision stage, for a volume that should be deleted. */
export const deleterCrashloop = objectRule('PersistentVolume', {
  cause: 'provisioner-crashloop',
  stage: 'delete',
  severity: 'blocking',
  explain: (v) => explainDeleterDown(v, 'crashing'),
});
