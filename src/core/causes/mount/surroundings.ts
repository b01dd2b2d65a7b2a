import { field } from '../../facts/evidence.ts';
import { describeReach } from '../../facts/volume/volume-reach.ts';
import type { Evidence } from '../../report/report.ts';
import type { MountSense } from '../lib/driver-error/node-senses/sense.ts';
import { addressEvidence } from './disk-path.ts';
import type { FailedMount } from './failed-mount.ts';
import { copyEvidence, copyWords, kernelDifference, kernelEvidence } from './file-system-fixes.ts';
import { identityEvidence, identityWords } from './identity-fixes.ts';
import { holderEvidence, holderWords } from './mount-holder.ts';
import { sisterEvidence, sisterWords } from './sister-pods.ts';
import { missingCommandWords, systemEvidence } from './program-fixes.ts';
import { namespaceWords } from './access-fixes.ts';
import { iamWords, serviceWords } from './server-fixes.ts';
import { modeEvidence, modeWords, unfitTypeEvidence, unfitTypeWords } from './volume-form-fixes.ts';

/** What the objects around a failed mount add to the words of the driver. */
interface Surroundings {
  readonly words?: (m: FailedMount) => string;
  readonly evidence?: (m: FailedMount) => Evidence[];
}

const bySense: Partial<Record<MountSense['id'], Surroundings>> = {
  fileSystem: { words: copyWords, evidence: copyEvidence },
  action: { words: ({ text }) => identityWords(text), evidence: identityEvidence },
  busy: { words: holderWords, evidence: holderEvidence },
  podSpec: { words: sisterWords, evidence: sisterEvidence },
  formatFailed: { words: unfitTypeWords, evidence: unfitTypeEvidence },
  commandMissing: { words: missingCommandWords, evidence: systemEvidence },
  deviceMissing: { evidence: addressEvidence },
  unknownFeatures: { words: kernelDifference, evidence: kernelEvidence },
  damaged: { evidence: reachEvidence },
  accessType: { words: modeWords, evidence: modeEvidence },
  policyDenied: { words: iamWords, evidence: optionEvidence },
  network: { words: serviceWords },
  apiMissing: { words: namespaceWords },
};

function reachEvidence({ use }: FailedMount): Evidence[] {
  const volume = use?.volumeObject;
  return volume?.spec?.nodeAffinity?.required
    ? [field(volume, 'spec.nodeAffinity.required', describeReach(volume))]
    : [];
}

function optionEvidence({ use }: FailedMount): Evidence[] {
  return use?.volumeObject ? [field(use.volumeObject, 'spec.mountOptions')] : [];
}

/** Sentences that follow the quoted words, each with a space before it. */
export function surroundingWords(m: FailedMount, sense: MountSense | undefined): string {
  return (sense && bySense[sense.id]?.words?.(m)) ?? '';
}

export function surroundingEvidence(m: FailedMount, sense: MountSense | undefined): Evidence[] {
  return (sense && bySense[sense.id]?.evidence?.(m)) ?? [];
}
