import { podRule } from '../lib/rule.ts';
import { explainMissingKey, explainMissingSource } from './pod-sources.ts';

/** The config map that the pod mounts does not exist, or lacks a key that the volume names. */
export const mountConfigmapMissing = podRule({
  cause: 'mount-configmap-missing',
  stage: 'mount',
  severity: 'blocking',
  explain: (p) => explainMissingSource(p, 'ConfigMap') ?? explainMissingKey(p, 'ConfigMap'),
});
