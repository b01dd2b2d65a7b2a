import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { adverseConditions, conditionEvidence, describeConditions } from './health-conditions.ts';

/** Written by the health monitor that runs next to the driver's controller, never by nodes (KEP-1432). */
export const healthPvcStatus = claimRule({
  cause: 'health-pvc-status',
  stage: 'bind',
  severity: 'warning',
  explain(c) {
    const conditions = adverseConditions(c.claim.status?.healthStatus);
    if (conditions.length === 0) return undefined;
    const [first, ...rest] = conditionEvidence(c.claim, 'status.healthStatus', conditions);
    return {
      summary: `the driver reports the volume of pvc/${c.name} as sick: ${describeConditions(conditions)}`,
      evidence: [first ?? field(c.claim, 'status.healthStatus'), ...rest],
      fix: [
        fix(
          `look after volume ${c.volumeName} in the storage backend`,
          `kubectl ${inNamespace(c.namespace)}get pvc ${shellWord(c.name)} -o jsonpath='{.status.healthStatus}'`,
        ),
      ],
    };
  },
});
