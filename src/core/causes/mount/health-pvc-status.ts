import { field } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
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
      summary:
        `The driver reports the volume of pvc/${c.name} in namespace ${c.namespace} as unhealthy: ` +
        `${describeConditions(conditions)}.`,
      evidence: [first ?? field(c.claim, 'status.healthStatus'), ...rest],
      fix: [steps(`Ask your storage team to check volume ${c.volumeName}.`, [])],
    };
  },
});
