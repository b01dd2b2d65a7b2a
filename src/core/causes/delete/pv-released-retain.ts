import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import { giveBack } from '../bind/volume-taken.ts';
import { hasLost, namesakeOf } from './released-volume.ts';
import { policyOf } from './reclaim-policy.ts';
import type { VolumeSubject } from './volume-deletion.ts';
import { forgetFix, releasedWords, reuseFix } from './volume-words.ts';

/** pv_controller reclaimVolume does nothing for Retain: the data is kept until a person decides. */
export const pvReleasedRetain = objectRule('PersistentVolume', {
  cause: 'pv-released-retain',
  stage: 'delete',
  severity: 'info',
  explain(v) {
    const { spec, status } = v.object;
    if (status?.phase !== 'Released' || v.isTerminating || policyOf(v.object) !== 'Retain') return undefined;
    const { namespace, name } = spec?.claimRef ?? {};
    const namesake = namesakeOf(v);
    return {
      summary:
        `${releasedWords(v)} and is kept, because its policy is Retain. ` +
        `It does not bind again automatically.${namesakeWords(v, namesake)}`,
      evidence: [
        field(v.object, 'status.phase'),
        field(v.object, 'spec.persistentVolumeReclaimPolicy', policyOf(v.object)),
        field(v.object, 'spec.claimRef.name', `${namespace ?? ''}/${name ?? ''}`),
        ...(namesake ? [field(namesake.claim, 'metadata.uid')] : []),
      ],
      fix: namesake && hasLost(namesake, v) ? giveBack(v.object, namesake.claim) : reuseFixes(v, namesake),
    };
  },
});

function namesakeWords(v: VolumeSubject, namesake: PresentClaim | undefined): string {
  if (!namesake) return '';
  return hasLost(namesake, v)
    ? ` A new pvc/${namesake.name} was bound to it, and gets it back only when the claimRef has its uid.`
    : ` A new pvc/${namesake.name} exists and has another uid.`;
}

function reuseFixes(v: VolumeSubject, namesake: PresentClaim | undefined): Fix[] {
  const reuse = reuseFix(v, namesake);
  return [
    ...(reuse ? [reuse] : []),
    forgetFix(
      v,
      'Remove only the object, if the data is not needed here. It stays in the backend until it is deleted there.',
    ),
  ];
}
