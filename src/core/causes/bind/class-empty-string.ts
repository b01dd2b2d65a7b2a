import type { Volume } from '../../kube/kinds.ts';
import type { Confidence, Evidence, Fix } from '../../report/report.ts';
import { newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { betaClassAnnotation, resolveClass } from '../../facts/class/storage-class.ts';
import { field, fix, note } from '../../facts/evidence.ts';
import { matchVolume } from '../../facts/volume/volume-match.ts';
import { noClassText } from '../claim/class-nil-no-default.ts';
import { deleteClaimCommand } from '../claim/delete-claim.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { ownerText } from './closest-volume.ts';

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
    if (!said && c.ageSeconds < graceSeconds) return undefined;
    const volumes = c.ask.volumesFor('', 'whether a volume without a class fits the claim');
    const classless = volumes.items.filter((volume) => resolveClass(volume).name === '');
    // Why such a volume is not taken is another cause.
    if (classless.some((volume) => couldServe(c, volume))) return undefined;
    // A volume that names this claim, of whatever class, is a wrong reservation and not a matter of class.
    if (volumes.items.some(({ spec }) => spec?.claimRef?.name === c.name && spec.claimRef.namespace === c.namespace))
      return undefined;
    return {
      confidence: confidenceOf(volumes.complete, said),
      summary: `the claim asks for class "" and so for no provisioning, and there is no volume without a class for it${takenText(classless.length)}`,
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
  return count === 1
    ? '; the one there is belongs to another claim'
    : `; the ${count} there are belong to other claims`;
}

function classField(c: PresentClaim): Evidence {
  const isAnnotated = c.class.source === 'annotation';
  return field(c.claim, isAnnotated ? `metadata.annotations[${betaClassAnnotation}]` : 'spec.storageClassName', '');
}

function takenEvidence(volume: Volume): Evidence {
  return note(volume, `has no class, but belongs to ${ownerText(volume)}`);
}

function advise(c: PresentClaim): Fix[] {
  return [
    fix('look which volumes there are, and create one without storageClassName that fits the claim', 'kubectl get pv'),
    fix(
      'or, to have one provisioned, delete the claim and make it again with a class, or without the field for the default one',
      deleteClaimCommand(c),
      'disruptive',
    ),
  ];
}
