import { helperPodText, noProviderText, podSpecTexts } from '../senses/file-system.ts';
import { apiForbiddenTexts, apiObjectMissingText } from '../senses/kubernetes.ts';
import type { PatternedMountSense } from './sense.ts';

export const apiForbidden: PatternedMountSense = {
  id: 'apiForbidden',
  pattern: apiForbiddenTexts,
  meaning: 'The Kubernetes API refused this; the storage has not been asked.',
};

export const apiObjectMissing: PatternedMountSense = {
  id: 'apiMissing',
  pattern: apiObjectMissingText,
  meaning: 'A Kubernetes object is missing, not a disk.',
};

export const podSpec: PatternedMountSense = {
  id: 'podSpec',
  pattern: podSpecTexts,
  meaning: 'The driver misses something in the pod itself; the storage has not been asked.',
};

export const secretsProviderSilent: PatternedMountSense = {
  id: 'noProvider',
  pattern: noProviderText,
  meaning: 'The provider of the secrets store does not answer on this node.',
};

export const secretsStore: PatternedMountSense = {
  id: 'secretsStore',
  pattern: /failed to mount secrets store objects/,
  meaning: 'The provider could not fetch what the SecretProviderClass names.',
};

export const helperPod: PatternedMountSense = { id: 'helperPod', pattern: helperPodText, meaning: '' };
