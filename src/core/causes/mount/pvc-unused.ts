import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import type { Claim, Condition } from '../../kube/kinds.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { Fix } from '../../report/report.ts';
import { claimRule } from '../lib/rule.ts';
import { kubectl, patchCommand, saveCommand, steps } from '../lib/steps.ts';

/**
 * A remark about a bound claim, never a fault (pvc_protection_controller updateUnusedCondition). The rule is a warning
 * because only warnings are looked for on stages that have passed; its findings are informational.
 */
export const pvcUnused = claimRule({
  cause: 'pvc-unused',
  stage: 'bind',
  severity: 'warning',
  explain(c) {
    const condition = findUnusedCondition(c);
    if (!condition) return undefined;
    const since = parseTime(condition.lastTransitionTime);
    return {
      severity: 'info',
      summary: `No pod has used pvc/${c.name} in namespace ${c.namespace}${since === undefined ? '' : ` for ${ageText(since, c.now)}`}.`,
      evidence: [
        field(c.claim, 'status.conditions[Unused]', condition.reason ?? condition.status, condition.lastTransitionTime),
      ],
      fix: adviceFor(c),
    };
  },
});

/** Not for an open stage, which an informational finding would turn into an expected wait. */
function findUnusedCondition(c: PresentClaim): Condition | undefined {
  const condition = conditionOf(c.claim.status?.conditions, 'Unused');
  if (condition?.status !== 'True' || !c.isBound || c.volume?.state === 'missing') return undefined;
  return c.consumers.items.length > 0 ? undefined : condition;
}

function adviceFor({ claim }: PresentClaim): Fix[] {
  return [removeUnusedFix(claim)];
}

/** Nothing is lost: the volume is set to Retain first, and the claim is saved. */
export function removeUnusedFix(claim: Claim): Fix {
  const volume = {
    kind: 'PersistentVolume',
    metadata: { name: claim.spec?.volumeName ?? 'PLACEHOLDER_VOLUME' },
  } as const;
  return steps(
    'Nothing has to be done. To remove it and keep its data: set the volume to Retain, save the claim, and delete it.',
    [
      patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
      saveCommand(claim),
      kubectl('delete', claim),
    ],
    'disruptive',
  );
}
