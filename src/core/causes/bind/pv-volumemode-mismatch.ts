import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { missClause } from '../../facts/volume/miss-text.ts';
import { volumeModeOf } from '../../facts/volume/volume-match.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { createVolumeFix } from '../lib/create-volume.ts';
import { classChange, recreateClaim } from '../lib/remake-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { classText, otherClasses } from '../provision/other-class.ts';
import { closestVolumeRule } from './closest-volume.ts';
import { fitClaim } from './make-fit.ts';
import { claimRefField, isProvisionedInWrongMode, provisionedAnew, reservedMatch } from './reserved-volume.ts';
import { volumeModeText } from '../lib/driver-error/sentences/volume-controller.ts';

const cause = 'pv-volumemode-mismatch';

/** component-helpers CheckVolumeModeMismatches: not set counts as Filesystem. */
export const pvVolumeModeMismatch = closestVolumeRule(cause, 'volumeMode', {
  describe: (c, { volume }) => missClause(volume, c.claim, 'volumeMode'),
  evidence: (c) => [field(c.claim, 'spec.volumeMode', volumeModeOf(c.claim))],
  advise: (c, { volume, failed }) => [
    fitClaim(c, volume, failed, useText(volume)),
    createVolumeFix(
      c,
      `Create a volume with volumeMode ${volumeModeOf(c.claim)}: that of an existing one cannot be changed.`,
      volume,
    ),
  ],
});

/** A container uses the two modes through different fields. */
function useText(volume: Volume): string {
  return volumeModeOf(volume) === 'Block'
    ? ', if the pod can use a raw device (volumeDevices)'
    : ', if the pod can use a file system (volumeMounts)';
}

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
  const said = newestMatch(c.events.items, 'VolumeMismatch', volumeModeText);
  return {
    summary:
      `The provisioner created pv/${volume.metadata.name} for ${claimText(c)} with volumeMode ` +
      `${volumeModeOf(volume)}, but the claim asks for ${volumeModeOf(c.claim)}. They can never bind.`,
    evidence: [
      field(c.claim, 'spec.volumeMode', volumeModeOf(c.claim)),
      field(volume, 'spec.volumeMode', volumeModeOf(volume)),
      claimRefField(volume),
      ...saidOnClaim(c, said),
    ],
    fix: [fitClaim(c, volume, ['volumeMode'], useText(volume), provisionedAnew), ...useOtherClass(c, volume)],
  };
}

/** A driver that creates the wrong kind once does so always. */
function useOtherClass(c: PresentClaim, volume: Volume): Fix[] {
  const driver = volume.metadata.annotations?.['pv.kubernetes.io/provisioned-by'] ?? c.provisioner;
  const [other] = otherClasses(c, ({ provisioner }) => provisioner !== driver);
  if (!other)
    return [
      recreateClaim(
        c,
        `with a StorageClass whose driver supports volumeMode ${volumeModeOf(c.claim)} (PLACEHOLDER_CLASS), if the pod needs that`,
        classChange(c, 'PLACEHOLDER_CLASS'),
      ),
    ];
  return [
    recreateClaim(
      c,
      `with ${classText(other)}, if its driver ${other.provisioner} supports ${volumeModeOf(c.claim)}`,
      classChange(c, other.name),
    ),
  ];
}
