import { ageText, parseTime } from '../../kube/time.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { claimRule } from '../lib/rule.ts';

/**
 * Not a fault and never a cause: a remark on a claim that is bound (pvc_protection_controller updateUnusedCondition).
 * Only warnings are looked for on stages that have passed; what it says is for information.
 */
export const pvcUnused = claimRule({
  cause: 'pvc-unused',
  stage: 'bind',
  severity: 'warning',
  explain(c) {
    const condition = conditionOf(c.claim.status?.conditions, 'Unused');
    // As information it would make an open stage a wait: there it stays silent.
    if (condition?.status !== 'True' || !c.isBound || c.volume?.state === 'missing' || c.consumers.items.length > 0)
      return undefined;
    const since = parseTime(condition.lastTransitionTime);
    return {
      severity: 'info',
      summary: `no pod has used pvc/${c.name}${since === undefined ? '' : ` for ${ageText(since, c.now)}`}`,
      evidence: [
        field(c.claim, 'status.conditions[Unused]', condition.reason ?? condition.status, condition.lastTransitionTime),
      ],
      fix: [
        fix(
          'nothing has to be done; see what it was for before it is cleaned up',
          `kubectl ${inNamespace(c.namespace)}describe pvc ${shellWord(c.name)}`,
        ),
        fix(
          'data-loss: deleting the claim deletes the data where the reclaim policy is Delete',
          `kubectl ${inNamespace(c.namespace)}delete pvc ${shellWord(c.name)}`,
          'data-loss',
        ),
      ],
    };
  },
});
