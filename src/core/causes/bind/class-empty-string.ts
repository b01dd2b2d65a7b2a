import type { Volume } from '../../kube/kinds.ts';
import type { Confidence, Evidence, Fix } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { betaClassAnnotation, resolveClass } from '../../facts/class/storage-class.ts';
import { field, note } from '../../facts/evidence.ts';
import { matchVolume } from '../../facts/volume/volume-match.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { isVolumeStarting } from '../claim/volume-start.ts';
import { createVolumeFix } from '../lib/create-volume.ts';
import { provisionChange, recreateClaim, selectorText } from '../lib/remake-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { classText, otherClasses } from '../provision/other-class.ts';
import { ownerText } from './closest-volume.ts';
import { noClassText } from '../lib/driver-error/sentences/volume-controller.ts';

const graceSeconds = 30;
const mostShown = 5;

/** An empty class name means: no provisioning, only volumes without a class, and no default is ever filled in. */
export const classEmptyString = claimRule({
  cause: 'class-empty-string',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    if (!hasEmptyClass(c) || c.isBound || c.isLost || c.volumeName !== '') return undefined;
    const said = newestMatch(c.events.items, 'FailedBinding', noClassText);
    const volumes = c.ask.volumesFor('', 'whether a volume without a class fits the claim');
    // Only a volume that is about to become Available is worth the wait.
    if (!said && isVolumeStarting(c.ask) && c.ageSeconds < graceSeconds) return undefined;
    const classless = volumes.items.filter((volume) => resolveClass(volume).name === '');
    // Why such a volume is not taken is another cause.
    if (classless.some((volume) => couldServe(c, volume))) return undefined;
    // A volume of any class that names this claim is a wrong reservation and not a matter of class.
    if (volumes.items.some(({ spec }) => spec?.claimRef?.name === c.name && spec.claimRef.namespace === c.namespace))
      return undefined;
    return {
      confidence: confidenceOf(volumes.complete, said),
      summary:
        `${claimText(c)} has storageClassName "", so nothing is provisioned for it, and no PersistentVolume ` +
        `without a class is free.${takenText(classless.length)}`,
      evidence: [classField(c), ...classless.slice(0, mostShown).map(takenEvidence), ...saidOnClaim(c, said)],
      fix: advise(c),
    };
  },
});

function hasEmptyClass(c: PresentClaim): boolean {
  return c.class.name === '' && c.class.source !== 'none';
}

/** The volume is free, or nothing but its owner keeps it from the claim. */
function couldServe(c: PresentClaim, volume: Volume): boolean {
  const { failed } = matchVolume(volume, c.claim, { by: 'search' });
  return !failed.includes('claimed') || failed.length === 1;
}

function confidenceOf(areVolumesComplete: boolean, said: EventMatch | undefined): Confidence {
  if (areVolumesComplete) return 'certain';
  return said ? 'likely' : 'possible';
}

function takenText(count: number): string {
  if (count === 0) return '';
  return count === 1 ? ' The only one belongs to another claim.' : ` All ${count} belong to other claims.`;
}

function classField(c: PresentClaim): Evidence {
  const isAnnotated = c.class.source === 'annotation';
  return field(c.claim, isAnnotated ? `metadata.annotations[${betaClassAnnotation}]` : 'spec.storageClassName', '');
}

function takenEvidence(volume: Volume): Evidence {
  return note(volume, `has no class and belongs to ${ownerText(volume)}`);
}

/** Only its author knows which of the two was intended; a class whose volumes are bound is known to work. */
function advise(c: PresentClaim): Fix[] {
  const create = createVolumeFix(
    c,
    `Create a PersistentVolume without a class of at least ${c.request ?? 'the size asked for'}, if the ` +
      'claim is meant for storage that exists already.',
  );
  const [other] = otherClasses(c);
  if (!other) return [create];
  const recreate = recreateClaim(
    c,
    `with ${classText(other)}${selectorText(c)}, to have a volume provisioned`,
    provisionChange(c, other.name),
    'Its new volume is empty.',
  );
  return other.bound > 0 ? [recreate, create] : [create, recreate];
}
