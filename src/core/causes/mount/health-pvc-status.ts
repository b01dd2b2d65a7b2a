import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { conditionEvidence, conditionsIn, meaningOf } from './health-conditions.ts';

/** The health monitor beside the driver's controller writes it; nodes never do. */
export const healthPvcStatus = claimRule({
  cause: 'health-pvc-status',
  stage: 'bind',
  severity: 'warning',
  explain(c) {
    const conditions = conditionsIn(c.claim.status?.healthStatus);
    if (conditions.length === 0) return undefined;
    const [evidence, ...more] = conditionEvidence(c.claim, 'status.healthStatus', conditions);
    return {
      summary: `the driver reports the volume of pvc/${c.name} as sick: ${meaningOf(conditions)}`,
      evidence: [evidence ?? field(c.claim, 'status.healthStatus'), ...more],
      fix: [
        fix(
          `look after volume ${c.volumeName} in the storage backend`,
          `kubectl ${inNamespace(c.namespace)}get pvc ${shellWord(c.name)} -o jsonpath='{.status.healthStatus}'`,
        ),
      ],
    };
  },
});
