import { podRule } from '../lib/rule.ts';
import { explainMissingSource } from './pod-sources.ts';

/** A secret that the pod mounts as a volume, as opposed to one that a CSI driver needs for mounting. */
export const mountSecretVolumeMissing = podRule({
  cause: 'mount-secret-volume-missing',
  stage: 'mount',
  severity: 'blocking',
  explain: (p) => explainMissingSource(p, 'Secret'),
});
