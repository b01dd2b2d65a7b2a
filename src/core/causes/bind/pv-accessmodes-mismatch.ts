import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { missClause, missingModes } from '../../facts/volume/miss-text.ts';
import type { NearMiss } from '../../facts/volume/near-miss.ts';
import { createVolumeFix } from '../lib/create-volume.ts';
import { closestVolumeRule } from './closest-volume.ts';
import { addModesFix, canServe, fitClaim, modesOffered } from './make-fit.ts';

/** persistentvolume/index.go: the volume's modes must hold all that the claim asks for; no mode implies another. */
export const pvAccessModesMismatch = closestVolumeRule('pv-accessmodes-mismatch', 'accessModes', {
  describe: (c, { volume }) => `${missClause(volume, c.claim, 'accessModes')}${onceText(c, volume.spec?.accessModes)}`,
  wouldFit: (c, { volume, failed }) =>
    failed.length > 1 ? '' : `the claim asked for ${modesOffered(c, volume).join(', ')}`,
  evidence: (c) => [field(c.claim, 'spec.accessModes')],
  advise: adviseModes,
});

function onceText(c: PresentClaim, offered: readonly string[] = []): string {
  return c.claim.spec?.accessModes?.includes('ReadWriteOncePod') && offered.includes('ReadWriteOnce')
    ? ' (ReadWriteOnce does not include it)'
    : '';
}

/**
 * Where the storage can do it for certain, the volume is corrected in place; otherwise that would be a false promise.
 */
function adviseModes(c: PresentClaim, { volume, failed }: NearMiss): Fix[] {
  const create = createVolumeFix(
    c,
    `Create another volume for the claim, whose storage can do ${(c.claim.spec?.accessModes ?? []).join(', ')}.`,
    volume,
  );
  if (failed.length > 1) return [create, fitClaim(c, volume, failed)];
  const fit = fitClaim(c, volume, failed, ', if the application can work with that');
  const isProven = canServe(volume, missingModes(volume, c.claim));
  return isProven ? [addModesFix(c, volume), fit] : [fit, addModesFix(c, volume), create];
}
