import type { Evidence } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { modifySince } from '../../journey/claim-growth.ts';

/** The change of attributes class that the claim asks for, and how far it got. */
interface Modification {
  /** The class that the claim names; empty if it names none any more. */
  readonly wanted: string;
  /** The class that the resizer is applying. */
  readonly target: string;
  readonly current: string;
  readonly state: string;
}

export function modificationOf({ claim }: PresentClaim): Modification {
  const { modifyVolumeStatus, currentVolumeAttributesClassName } = claim.status ?? {};
  const wanted = claim.spec?.volumeAttributesClassName ?? '';
  return {
    wanted,
    target: modifyVolumeStatus?.targetVolumeAttributesClassName ?? wanted,
    current: currentVolumeAttributesClassName ?? '',
    state: modifyVolumeStatus?.status ?? '',
  };
}

export function modifyEvidence(c: PresentClaim): [Evidence, ...Evidence[]] {
  const { modifyVolumeStatus } = c.claim.status ?? {};
  return [
    field(c.claim, 'spec.volumeAttributesClassName'),
    field(c.claim, 'status.currentVolumeAttributesClassName'),
    ...(modifyVolumeStatus ? [field(c.claim, 'status.modifyVolumeStatus')] : []),
  ];
}

/** How long the claim has asked for it; the age of the claim if that is not recorded. */
export function waitedSeconds(c: PresentClaim): number {
  const since = modifySince(c);
  return since === undefined ? c.ageSeconds : Math.max(0, (c.now - since) / 1000);
}
