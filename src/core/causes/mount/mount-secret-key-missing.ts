import { podRule } from '../lib/rule.ts';
import { explainMissingKey } from './pod-sources.ts';

/** The secret exists, but lacks a key that the volume names. */
export const mountSecretKeyMissing = podRule({
  cause: 'mount-secret-key-missing',
  stage: 'mount',
  severity: 'blocking',
  explain: (p) => explainMissingKey(p, 'Secret'),
});
