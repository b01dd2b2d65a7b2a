import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { fix } from '../../facts/evidence.ts';
import { closestVolumeRule, ownerText } from './closest-volume.ts';

/** component-helpers IsVolumeBoundToClaim: a volume has one claim, whatever its access modes. */
export const pvClaimedByOther = closestVolumeRule('pv-claimed-by-other', 'claimed', {
  describe: (_c, volume) => `belongs to claim ${ownerText(volume)}`,
  advise: (c, volume) => [
    fix(
      'look which volumes there are, and make another one for the claim: one volume serves one claim only',
      'kubectl get pv',
    ),
    ...shareClaim(c, volume),
  ],
});

/** Pods of the same namespace can use the claim that has the volume. */
function shareClaim(c: PresentClaim, { spec }: Volume): Fix[] {
  if (spec?.claimRef?.namespace !== c.namespace) return [];
  return [fix(`or let the pods use claim ${spec.claimRef.name ?? ''} instead: several pods may share one claim`)];
}
