import type { Evidence } from '../../report/report.ts';
import { field, inNamespace, shellWord } from '../../facts/evidence.ts';
import { conditionOf } from '../../facts/pod/pod-state.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { claimRule } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
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
          ? `${volumeOf(c)?.spec?.csi?.driver ?? 'The driver'} is changing the volume of pvc/${c.name} to ` +
            `VolumeAttributesClass "${target}". This is expected; the volume stays in use.`
          : `The resizer has seen the request of pvc/${c.name} for VolumeAttributesClass "${wanted || target}" and ` +
            'has not called the driver yet. This is expected.',
      evidence: [...modifyEvidence(c), ...conditionEvidence(c)],
      fix: [
        steps('Wait, and watch the status: it is empty when the change is done.', [
          `kubectl ${inNamespace(c.namespace)}get pvc ${shellWord(c.name)} -o jsonpath='{.status.modifyVolumeStatus}'`,
        ]),
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
