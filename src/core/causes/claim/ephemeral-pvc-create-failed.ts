import { commandsOf } from '../../report/fix-commands.ts';
import type { Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { accountForbiddenText } from '../lib/driver-error/senses/kubernetes.ts';
import { grantFix } from '../lib/grant.ts';
import { absentClaimRule } from '../lib/rule.ts';
import { claimText, sentence } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import { confidenceOf, refusalEvidence, refusalOf, serverWords } from './refusal.ts';
import type { Refusal } from './refusal.ts';
import { absenceOf, remakeOwner, retryCommands, retryText, unmadeEphemeralClaimOf } from './unmade-claim.ts';
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
      summary: sentence(
        `${claimText(c)} for ephemeral volume "${unmade.template}" of ${unmade.label} was not created: ${whyText(c, refusal)}`,
      ),
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
    : `${
        finalizersText.test(refusal?.text ?? '')
          ? 'the ephemeral volume controller may not update pods/finalizers, which the API server demands of who ' +
            'creates an owned object: '
          : 'the API server reports '
      }"${serverWords(refusal?.text ?? '')
        .replace(/:? ?, <nil>$/, '')
        .trim()}"`;
}

/**
 * Admission plugin OwnerReferencesPermissionEnforcement: a claim that blocks the deletion of its pod needs a right on
 * the pod.
 */
const finalizersText =
  /cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on/;

function advise(c: ClaimCase, unmade: UnmadeClaim, refusal: Refusal | undefined): Fix {
  if (hasTooLongName(c))
    return steps(
      `Give ${unmade.label} or its volume "${unmade.template}" a shorter name where the pod is defined: ` +
        "the claim's name is the two joined by a dash. Then recreate the pod.",
      [],
    );
  const text = refusal?.text ?? '';
  if (accountForbiddenText.test(text)) return restoreRight(c, unmade, text);
  if (finalizersText.test(text)) return allowFinalizers(c, unmade);
  if (refusal?.kind === 'terminating')
    return steps(
      `Create the pod in another namespace: namespace ${c.namespace} is being deleted and accepts no new claims.`,
      [],
    );
  return remakeOwner(
    unmade,
    'in a form that the API server accepts (PLACEHOLDER_FIELD is, for example, spec/accessModes, PLACEHOLDER_VALUE its new content)',
    {
      PLACEHOLDER_FIELD: 'PLACEHOLDER_VALUE',
    },
  );
}

/** A default right of the kube-controller-manager: its role or binding was changed. */
function restoreRight(c: ClaimCase, unmade: UnmadeClaim, text: string): Fix {
  const grant = grantFix(text, undefined, '');
  return steps(
    'Give the ephemeral volume controller of the kube-controller-manager its right to create claims back. ' +
      'Its default role is system:controller:ephemeral-volume-controller, which a restart of the API server ' +
      `restores for the whole cluster; these lines do so for namespace ${c.namespace}.${retryText(unmade)}`,
    [...commandsOf(grant), ...retryCommands(unmade, c.now)],
  );
}

/**
 * Part of the default role in later releases; a controller-manager without --use-service-account-credentials acts as a
 * user.
 */
function allowFinalizers(c: ClaimCase, unmade: UnmadeClaim): Fix {
  const name = 'ephemeral-volume-finalizers';
  return steps(
    'Allow the ephemeral volume controller to update pods/finalizers; later releases of Kubernetes allow ' +
      `it by default.${retryText(unmade)}`,
    [
      `kubectl create clusterrole ${name} --verb=update --resource=pods/finalizers`,
      `kubectl create clusterrolebinding ${name} --clusterrole=${name} ` +
        '--serviceaccount=kube-system:ephemeral-volume-controller --user=system:kube-controller-manager',
      ...retryCommands(unmade, c.now),
    ],
  );
}
