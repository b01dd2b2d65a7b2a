import type { Evidence } from '../../report/report.ts';
import type { MountSense } from '../lib/driver-error/node-senses/sense.ts';
import { addressEvidence } from './disk-path.ts';
import type { FailedMount } from './failed-mount.ts';
import { copyEvidence, copyWords } from './file-system-fixes.ts';
import { identityWords } from './identity-fixes.ts';
import { holderEvidence, holderWords } from './mount-holder.ts';
import { sisterEvidence, sisterWords } from './sister-pods.ts';
import { unfitTypeWords } from './volume-form-fixes.ts';

/** What the objects around a failed mount add to the words of the driver. */
interface Surroundings {
  readonly words?: (m: FailedMount) => string;
  readonly evidence?: (m: FailedMount) => Evidence[];
}

const bySense: Partial<Record<MountSense['id'], Surroundings>> = {
  fileSystem: { words: copyWords, evidence: copyEvidence },
  action: { words: ({ text }) => identityWords(text) },
  busy: { words: holderWords, evidence: holderEvidence },
  podSpec: { words: sisterWords, evidence: sisterEvidence },
  formatFailed: { words: unfitTypeWords },
  deviceMissing: { evidence: addressEvidence },
};

/** Sentences that follow the quoted words, each with a space before it. */
export function surroundingWords(m: FailedMount, sense: MountSense | undefined): string {
  return (sense && bySense[sense.id]?.words?.(m)) ?? '';
}

export function surroundingEvidence(m: FailedMount, sense: MountSense | undefined): Evidence[] {
  return (sense && bySense[sense.id]?.evidence?.(m)) ?? [];
}
