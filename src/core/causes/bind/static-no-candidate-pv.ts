import { newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, note } from '../../facts/evidence.ts';
import { nearMissesOf } from '../../facts/volume/near-miss.ts';
import type { NearMisses } from '../../facts/volume/near-miss.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { createVolumeFix } from '../lib/create-volume.ts';
import {
  driverOfClassEvidence,
  driverOfClassName,
  driverOfClassText,
  giveProvisioner,
} from '../lib/driver-of-class-name.ts';
import { provisionChange, recreateClaim, selectorText } from '../lib/remake-claim.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { classText, otherClasses } from '../provision/other-class.ts';
import { confidenceOf, isSearching } from './closest-volume.ts';
import { nothingProvisionsText } from '../lib/driver-error/sentences/volume-controller.ts';

const graceSeconds = 30;

/** Nothing provisions for this class, and no volume of it exists to bind to. */
export const staticNoCandidatePv = claimRule({
  cause: 'static-no-candidate-pv',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    // class-empty-string explains an empty class name that was written down.
    if (!isSearching(c) || (c.class.name === '' && c.class.source !== 'none')) return undefined;
    const near = nearMissesOf(c);
    if (near.misses.length > 0 || near.fitting.length > 0) return undefined;
    const said = newestMatch(c.events.items, ['ProvisioningFailed', 'FailedBinding'], nothingProvisionsText);
    // Where volumes cannot be read, one that is being bound right now looks the same as none.
    if (!near.complete && !said && c.ageSeconds < graceSeconds) return undefined;
    return {
      confidence: near.complete ? confidenceOf(c, near) : 'possible',
      about: c.class.name,
      summary: summaryOf(c, near),
      evidence: evidenceOf(c, near, said),
      fix: advise(c),
    };
  },
});

function wantedVolume({ name }: PresentClaim['class']): string {
  return name ? `PersistentVolume of class "${name}"` : 'PersistentVolume without a class';
}

function summaryOf(c: PresentClaim, { complete }: NearMisses): string {
  const wanted = wantedVolume(c.class);
  if (!complete)
    return `${claimText(c)} can only bind an existing ${wanted}, and has bound none. The volumes could not be read.`;
  const why = c.class.name ? `StorageClass "${c.class.name}" provisions nothing` : 'The claim has no class';
  const driver = driverOfClassName(c);
  return `${why}, so ${claimText(c)} can only bind an existing volume, and there is no ${wanted}.${driver === undefined ? '' : driverOfClassText(driver)}`;
}

function evidenceOf(c: PresentClaim, { complete }: NearMisses, said: EventMatch | undefined): Explanation['evidence'] {
  const storageClass = c.storageClassObject;
  const driver = driverOfClassName(c);
  return [
    field(c.claim, 'spec.storageClassName'),
    ...(storageClass ? [field(storageClass, 'provisioner')] : []),
    ...(driver === undefined ? [] : driverOfClassEvidence(c, driver)),
    ...(storageClass && complete ? [note(storageClass, 'no volume has this class')] : []),
    ...saidOnClaim(c, said),
  ];
}

function advise(c: PresentClaim): Fix[] {
  const driver = driverOfClassName(c);
  if (driver !== undefined) return [giveProvisioner(c, driver)];
  const [other] = otherClasses(c);
  return [
    createVolumeFix(c, `Create a ${wantedVolume(c.class)} of at least ${c.request ?? 'the size asked for'}.`),
    ...(other
      ? [
          recreateClaim(
            c,
            `with ${classText(other)}${selectorText(c)}, to have a volume provisioned`,
            provisionChange(c, other.name),
            'Its new volume is empty.',
          ),
        ]
      : []),
  ];
}
