import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { missClause } from '../../facts/volume/miss-text.ts';
import { isSmallGap } from '../../facts/volume/near-miss.ts';
import type { NearMiss } from '../../facts/volume/near-miss.ts';
import { createVolumeFix } from '../lib/create-volume.ts';
import { closestVolumeRule, requestField } from './closest-volume.ts';
import { fitClaim, trueSizeFix } from './make-fit.ts';
import { misplacedClaim, swapFix, swapText } from './misplaced-claim.ts';

/** component-helpers FindMatchingVolume compares exact quantities: 10G is less than 10Gi. */
export const pvCapacityTooSmall = closestVolumeRule('pv-capacity-too-small', 'capacity', {
  summarise(c, { volume }) {
    const holder = misplacedClaim(c, volume);
    return holder && swapText(c, volume, holder);
  },
  describe: (c, { volume }) => missClause(volume, c.claim, 'capacity'),
  wouldFit: (_c, { volume, failed }) =>
    failed.length > 1 ? '' : `the claim asked for ${volume.spec?.capacity?.['storage'] ?? '0'}`,
  evidence: (c, volume) => {
    const holder = misplacedClaim(c, volume);
    return [requestField(c), ...(holder ? [holder.evidence] : [])];
  },
  advise: adviseSize,
});

function adviseSize(c: PresentClaim, { volume, failed }: NearMiss): Fix[] {
  const create = createVolumeFix(c, `Create a volume of at least ${c.request ?? 'the size asked for'}.`, volume);
  const holder = misplacedClaim(c, volume);
  if (holder) return [swapFix(c, volume, holder), create];
  if (failed.length > 1) return [create, fitClaim(c, volume, failed)];
  const isEnough = isSmallGap(volume, c.claim) ? '' : `, if ${volume.spec?.capacity?.['storage'] ?? '0'} is enough`;
  return [fitClaim(c, volume, failed, isEnough), create, trueSizeFix(c, volume)];
}
