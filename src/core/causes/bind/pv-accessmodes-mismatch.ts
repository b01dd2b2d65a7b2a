import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix } from '../../facts/evidence.ts';
import { missingModes } from '../../facts/volume/near-miss.ts';
import { closestVolumeRule, patchVolume, remakeClaim } from './closest-volume.ts';

/** persistentvolume/index.go: the volume's modes must hold all that the claim asks for; no mode implies another. */
export const pvAccessModesMismatch = closestVolumeRule('pv-accessmodes-mismatch', 'accessModes', {
  describe: describeModes,
  evidence: (c) => [field(c.claim, 'spec.accessModes')],
  advise: adviseModes,
});

function describeModes(c: PresentClaim, volume: Volume): string {
  const missing = missingModes(volume, c.claim);
  const offered = volume.spec?.accessModes ?? [];
  const once =
    missing.includes('ReadWriteOncePod') && offered.includes('ReadWriteOnce')
      ? ' (ReadWriteOnce does not stand for ReadWriteOncePod)'
      : '';
  return `does not offer ${missing.join(', ')}, only ${offered.join(', ') || 'no mode at all'}${once}`;
}

function adviseModes(c: PresentClaim, volume: Volume): Fix[] {
  const { name } = volume.metadata;
  const missing = missingModes(volume, c.claim);
  // ReadWriteOncePod allows no other mode next to it.
  const accessModes = missing.includes('ReadWriteOncePod')
    ? missing
    : [...(volume.spec?.accessModes ?? []), ...missing];
  return [
    remakeClaim(c, `delete the claim and make it again with a mode that the volume offers`),
    fix(
      `or, if the storage behind ${name} can do it, add the mode to the volume`,
      patchVolume(name, { spec: { accessModes } }),
    ),
  ];
}
