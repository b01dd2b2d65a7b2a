import type { Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { fix } from '../../facts/evidence.ts';
import { absentClaimRule } from '../lib/rule.ts';
import { confidenceOf, refusalEvidence, refusalOf, serverWords } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { absenceOf, remakeOwner, unmadeEphemeralClaimOf } from './unmade-claim.ts';
import type { UnmadeClaim } from './unmade-claim.ts';

const longestName = 253;

/** The ephemeral volume controller tried and was refused, for a reason that has no cause of its own. */
export const ephemeralPvcCreateFailed = absentClaimRule({
  cause: 'ephemeral-pvc-create-failed',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    const unmade = unmadeEphemeralClaimOf(c);
    if (!unmade) return undefined;
    const refusal = refusalOf(c, unmade);
    const isOther = refusal?.kind === 'other' || refusal?.kind === 'terminating';
    if (!hasTooLongName(c) && !isOther) return undefined;
    return {
      confidence: confidenceOf(hasTooLongName(c), refusal),
      summary: `pvc/${c.name} for the ephemeral volume of ${unmade.label} could not be made: ${whyText(c, refusal)}`,
      evidence: [absenceOf(c), ...refusalEvidence(refusal)],
      fix: [advise(c, unmade, refusal)],
    };
  },
});

function hasTooLongName(c: ClaimCase): boolean {
  return c.name.length > longestName;
}

function whyText(c: ClaimCase, refusal: Refusal | undefined): string {
  return hasTooLongName(c)
    ? `its name would be longer than ${longestName} characters`
    : serverWords(refusal?.text ?? '').trim();
}

function advise(c: ClaimCase, unmade: UnmadeClaim, refusal: Refusal | undefined): Fix {
  if (hasTooLongName(c)) return remakeOwner(unmade, 'use a shorter name for the pod or the volume');
  if (/cannot create resource/.test(whyText(c, refusal)))
    return fix(
      'give the ephemeral volume controller of kube-controller-manager the right to create claims: the default roles have it',
    );
  return remakeOwner(unmade, 'correct what the server complains about');
}
