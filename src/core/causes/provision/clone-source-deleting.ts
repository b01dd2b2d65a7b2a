import { field } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { cloneFailureOf, cloneRefusal } from './clone-source.ts';
import { explainTold, sourceEvidence } from './data-source.ts';
import { remakeClaim } from './remake-claim.ts';

/** external-provisioner getPVCSource refuses a source with a deletionTimestamp. */
export const cloneSourceDeleting = claimRule({
  cause: 'clone-source-deleting',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = cloneFailureOf(c);
    if (failure?.check !== 'deleting') return undefined;
    const { source } = failure;
    const summary = `pvc/${source.name}, which is to be cloned, is being deleted`;
    const fix = [remakeClaim(c, 'from a claim that stays')];
    if (failure.by === 'provisioner') return explainTold(c, failure, { summary, fix });
    return {
      summary,
      evidence: [
        sourceEvidence(c, source),
        field(failure.original.claim, 'metadata.deletionTimestamp'),
        ...cloneRefusal(c, 'deleting'),
      ],
      fix,
    };
  },
});
