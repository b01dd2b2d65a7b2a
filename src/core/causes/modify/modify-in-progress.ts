import type { Evidence } from '../../report/report.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { claimRule } from '../lib/rule.ts';
import { volumeOf } from '../expand/expansion.ts';
import { modificationOf, modifyEvidence } from './modification.ts';

/** external-resizer markControllerModifyVolumeStatus: in progress, or about to be tried (again). */
export const modifyInProgress = claimRule({
  cause: 'modify-in-progress',
  stage: 'modify',
  severity: 'info',
  explain(c) {
    const { wanted, target, state } = modificationOf(c);
    if (state === '' && conditionOf(c.claim.status?.conditions, 'ModifyingVolume')?.status !== 'True') return undefined;
    return {
      summary:
        state === 'InProgress'
          ? `${volumeOf(c)?.spec?.csi?.driver ?? 'the driver'} is changing the volume to attributes class ${target}`
          : `the change to attributes class ${wanted || target} is about to be tried`,
      evidence: [...modifyEvidence(c), ...conditionEvidence(c)],
      fix: [
        fix(
          'wait, and watch it',
          `kubectl ${inNamespace(c.namespace)}get pvc ${shellWord(c.name)} -o jsonpath='{.status.modifyVolumeStatus}'`,
        ),
      ],
    };
  },
});

function conditionEvidence({ claim }: PresentClaim): Evidence[] {
  const condition = conditionOf(claim.status?.conditions, 'ModifyingVolume');
  if (!condition) return [];
  const { message, status, lastTransitionTime } = condition;
  return [field(claim, 'status.conditions[ModifyingVolume]', message ?? status, lastTransitionTime)];
}
