import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { missingModes } from '../../facts/volume/miss-text.ts';
import type { VolumeMatch } from '../../facts/volume/volume-match.ts';
import { createVolumeFix } from '../lib/create-volume.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { failedChecksEvidence, failedChecksText } from './failed-checks.ts';
import { addModesFix, canServe, fitClaimKeepingVolume, trueSizeFix } from './make-fit.ts';
import {
  claimRefField,
  isOnlyUnsized,
  isProvisionedInWrongMode,
  isProvisionedWithoutAttributes,
  reservedMatch,
} from './reserved-volume.ts';

/**
 * A reserved volume must still fit in size, access modes and volumeMode; class, selector and phase do not count
 * (FindMatchingVolume).
 */
export const pvPreboundUnmatched = claimRule({
  cause: 'pv-prebound-unmatched',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    const match = reservedMatch(c);
    if (!match || !isUnfit(match)) return undefined;
    const { volume, failed } = match;
    return {
      summary:
        `pv/${volume.metadata.name} is reserved for ${claimText(c)}, but it ` +
        `${failedChecksText(c, volume, failed)}.${populatorText(c, match)}`,
      evidence: [claimRefField(volume), ...failedChecksEvidence(c, volume, failed)],
      fix: advise(c, match),
    };
  },
});

/** lib-volume-populator makes the volume through a helper claim, and old builds do not copy its access modes. */
function populatorText(c: PresentClaim, { failed }: VolumeMatch): string {
  return c.claim.spec?.dataSourceRef && failed.includes('accessModes')
    ? ' A volume populator has filled the volume: its helper claim may have had other access modes.'
    : '';
}

/** What a provisioner did wrong, and a missing size, are causes of their own. */
function isUnfit(match: VolumeMatch): boolean {
  return (
    match.failed.length > 0 &&
    !isProvisionedInWrongMode(match) &&
    !isProvisionedWithoutAttributes(match) &&
    !isOnlyUnsized(match)
  );
}

function advise(c: PresentClaim, { volume, failed }: VolumeMatch): Fix[] {
  if (failed.includes('terminating'))
    return [createVolumeFix(c, 'Create another volume for the claim: this one is being deleted.', volume)];
  const fit = fitClaimKeepingVolume(c, volume, failed);
  const [only, ...others] = failed;
  if (others.length > 0) return [fit, ...nameVolume(c, volume.metadata.name, failed)];
  if (only === 'accessModes' && canServe(volume, missingModes(volume, c.claim))) return [addModesFix(c, volume), fit];
  if (only === 'accessModes') return [fit, addModesFix(c, volume)];
  return [
    fit,
    ...(only === 'capacity' ? [trueSizeFix(c, volume)] : []),
    ...nameVolume(c, volume.metadata.name, failed),
  ];
}

/**
 * When both sides name each other, the controller compares nothing but the volumeMode (syncUnboundClaim, syncVolume).
 */
function nameVolume(c: PresentClaim, volumeName: string, failed: readonly string[]): Fix[] {
  if (failed.includes('volumeMode')) return [];
  return [
    steps(
      `If the volume can serve the claim as it is, name pv/${volumeName} in the claim, too. ` +
        'When both sides name each other, nothing else is compared, and they are bound within 15 seconds.',
      [patchCommand(c.claim, { spec: { volumeName } })],
    ),
  ];
}
