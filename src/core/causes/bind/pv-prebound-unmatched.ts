import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { VolumeMatch } from '../../facts/volume/volume-match.ts';
import { claimRule } from '../lib/rule.ts';
import { remakeClaim } from './closest-volume.ts';
import { failedChecksEvidence, failedChecksText } from './failed-checks.ts';
import {
  claimRefField,
  isOnlyUnsized,
  isProvisionedInWrongMode,
  isProvisionedWithoutAttributes,
  reservedMatch,
} from './reserved-volume.ts';

/** A reserved volume must still fit in size, access modes and volumeMode; class, selector and phase do not count (FindMatchingVolume). */
export const pvPreboundUnmatched = claimRule({
  cause: 'pv-prebound-unmatched',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    const match = reservedMatch(c);
    if (!match || !isUnfit(match)) return undefined;
    const { volume, failed } = match;
    return {
      summary: `volume ${volume.metadata.name} is reserved for pvc/${c.name}, but does not fit it: ${failedChecksText(c, volume, failed)}`,
      evidence: [claimRefField(volume), ...failedChecksEvidence(c, volume, failed)],
      fix: advise(c, match),
    };
  },
});

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
  const remake = remakeClaim(c, 'delete the claim and make it again as the volume is');
  if (failed[0] === 'terminating') return [remake];
  const patch = JSON.stringify({ spec: { volumeName: volume.metadata.name } });
  return [
    remake,
    fix(
      `or, if the volume can serve the claim as it is, name it in the claim as well: when both sides name each other nothing is compared`,
      `kubectl ${inNamespace(c.namespace)}patch pvc ${shellWord(c.name)} --type merge -p ${shellWord(patch)}`,
    ),
  ];
}
