import { field, fix } from '../../facts/evidence.ts';
import { deleteClaimCommand } from '../claim/delete-claim.ts';
import { saidOnClaim } from '../claim/said-on-claim.ts';
import { claimRule } from '../lib/rule.ts';
import { failure, provisionerOf } from './provisioner.ts';

/** external-provisioner prepareProvision: a new volume cannot be chosen by labels, so even an empty selector is refused. */
export const provisionSelectorUnsupported = claimRule({
  cause: 'provision-selector-unsupported',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    if (c.claim.spec?.selector === undefined) return undefined;
    const said = failure(c, /selector is not supported/i);
    // Without the class, the annotation on the claim shows that a driver was asked after no existing volume was found.
    const isCsi = provisionerOf(c)?.isCsi === true;
    if (!isCsi && !said) return undefined;
    return {
      confidence: isCsi && c.storageClassObject !== undefined ? 'certain' : 'likely',
      summary: `the claim selects existing volumes by label, and none fits; class ${c.class.name} makes new volumes, and for a claim with a selector it makes none`,
      evidence: [field(c.claim, 'spec.selector'), ...saidOnClaim(c, said)],
      fix: [
        fix(
          'delete the claim and make it again without spec.selector: it cannot be changed',
          deleteClaimCommand(c),
          'disruptive',
        ),
        fix(
          `or, if an existing volume is meant, look for it and give it the labels that the claim selects`,
          'kubectl get pv --show-labels',
        ),
      ],
    };
  },
});
