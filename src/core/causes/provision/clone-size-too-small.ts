import { field } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { cloneFailureOf, cloneRefusal } from './clone-source.ts';
import { explainTold } from './data-source.ts';
import { remakeClaim } from './remake-claim.ts';

/** external-provisioner getPVCSource: the clone must ask for at least what the source asks for. */
export const cloneSizeTooSmall = claimRule({
  cause: 'clone-size-too-small',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = cloneFailureOf(c);
    if (failure?.check !== 'size') return undefined;
    const name = `pvc/${failure.source.name}`;
    if (failure.by === 'provisioner')
      return explainTold(c, failure, {
        summary: `the claim asks for less than ${name}, which is to be cloned, has`,
        fix: [remakeClaim(c, 'with at least the size of the source')],
      });
    return {
      summary: `the claim asks for ${c.request ?? ''}, and ${name}, which is to be cloned, has ${failure.size}`,
      evidence: [
        field(c.claim, 'spec.resources.requests.storage'),
        field(failure.original.claim, 'spec.resources.requests.storage'),
        ...cloneRefusal(c, 'size'),
      ],
      fix: [remakeClaim(c, `with a request of ${failure.size} or more`)],
    };
  },
});
