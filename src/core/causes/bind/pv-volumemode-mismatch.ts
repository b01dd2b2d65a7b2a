import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix } from '../../facts/evidence.ts';
import { volumeModeOf } from '../../facts/volume/volume-match.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { closestVolumeRule, remakeClaim } from './closest-volume.ts';
import { claimRefField, isProvisionedInWrongMode, reservedMatch } from './reserved-volume.ts';

const cause = 'pv-volumemode-mismatch';

/** component-helpers CheckVolumeModeMismatches: not set counts as Filesystem. */
export const pvVolumeModeMismatch = closestVolumeRule(cause, 'volumeMode', {
  describe: (c, volume) => `is ${volumeModeOf(volume)}, and the claim asks for ${volumeModeOf(c.claim)}`,
  evidence: (c) => [field(c.claim, 'spec.volumeMode')],
  advise: (c, volume) => [
    remakeInModeOf(c, volume),
    fix(
      `or look which volumes there are, and make one with volumeMode ${volumeModeOf(c.claim)}: the mode of an existing one cannot be changed`,
      'kubectl get pv',
    ),
  ],
});

/** A provisioner that does not know volumeMode creates a file system for a claim that wants a block device. */
export const madeVolumeModeMismatch = claimRule({
  cause,
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    const match = reservedMatch(c);
    return match && isProvisionedInWrongMode(match) ? explainProvisioned(c, match.volume) : undefined;
  },
});

function explainProvisioned(c: PresentClaim, volume: Volume): Explanation {
  const said = newestMatch(c.events.items, 'VolumeMismatch', /incompatible volumeMode/);
  return {
    summary: `volume ${volume.metadata.name} was made for pvc/${c.name}, but is ${volumeModeOf(volume)}, and the claim asks for ${volumeModeOf(c.claim)}`,
    evidence: [
      field(c.claim, 'spec.volumeMode'),
      field(volume, 'spec.volumeMode'),
      claimRefField(volume),
      ...saidOnClaim(c, said),
    ],
    fix: [remakeInModeOf(c, volume), useOtherClass(c, volume)],
  };
}

function remakeInModeOf(c: PresentClaim, volume: Volume): Fix {
  return remakeClaim(c, `delete the claim and make it again with volumeMode ${volumeModeOf(volume)}`);
}

function useOtherClass(c: PresentClaim, volume: Volume): Fix {
  const provisioner = volume.metadata.annotations?.['pv.kubernetes.io/provisioned-by'] ?? 'this one';
  return fix(
    `or look for a class whose driver can make ${volumeModeOf(c.claim)} volumes: ${provisioner} made the wrong kind`,
    'kubectl get storageclass',
  );
}
