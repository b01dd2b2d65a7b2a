import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import { claimRule } from '../lib/rule.ts';
import { volumeOf } from '../expand/expansion.ts';
import { modificationOf, modifyEvidence } from './modification.ts';

/** external-resizer markControllerModifyVolumeStatus: under way, or about to be tried (again). */
export const modifyInProgress = claimRule({
  cause: 'modify-in-progress',
  stage: 'modify',
  severity: 'info',
  explain(c) {
    const { wanted, target, state } = modificationOf(c);
    const condition = conditionOf(c.claim.status?.conditions, 'ModifyingVolume');
    if (state === '' && condition?.status !== 'True') return undefined;
    return {
      summary:
        state === 'InProgress'
          ? `${volumeOf(c)?.spec?.csi?.driver ?? 'the driver'} is changing the volume to attributes class ${target}`
          : `the change to attributes class ${wanted || target} is about to be tried`,
      evidence: [
        ...modifyEvidence(c),
        ...(condition
          ? [
              field(
                c.claim,
                'status.conditions[ModifyingVolume]',
                condition.message ?? condition.status,
                condition.lastTransitionTime,
              ),
            ]
          : []),
      ],
      fix: [
        fix(
          'wait, and watch it',
          `kubectl ${inNamespace(c.namespace)}get pvc ${shellWord(c.name)} -o jsonpath='{.status.modifyVolumeStatus}'`,
        ),
      ],
    };
  },
});
