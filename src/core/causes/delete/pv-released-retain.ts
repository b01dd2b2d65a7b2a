import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { Fix } from '../../report/report.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import { patchVolume } from '../bind/closest-volume.ts';
import { giveBack } from '../bind/volume-taken.ts';
import { hasLost, namesakeOf } from './released-volume.ts';
import { policyOf } from './volume-deletion.ts';
import type { VolumeSubject } from './volume-deletion.ts';

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
      summary: `pv/${v.name} was let go by pvc/${name ?? 'unknown'} and is kept as it is, since its policy is Retain: a person has to decide what becomes of the data${namesakeWords(v, namesake)}`,
      evidence: [
        field(v.object, 'status.phase'),
        field(v.object, 'spec.persistentVolumeReclaimPolicy', policyOf(v.object)),
        field(v.object, 'spec.claimRef.name', `${namespace ?? ''}/${name ?? ''}`),
        ...(namesake ? [field(namesake.claim, 'metadata.uid')] : []),
      ],
      fix: namesake && hasLost(namesake, v) ? giveBack(v.object, namesake.claim) : reuseFixes(v),
    };
  },
});

function namesakeWords(v: VolumeSubject, namesake: PresentClaim | undefined): string {
  if (!namesake) return '';
  return hasLost(namesake, v)
    ? `; a new pvc/${namesake.name} says that it was bound to it, and gets it back only when the claimRef has its uid`
    : `; a new pvc/${namesake.name} exists and does not get it by itself`;
}

function reuseFixes(v: VolumeSubject): Fix[] {
  return [
    fix(
      'to give it to a claim again, data and all: take the uid of the old claim out',
      patchVolume(v.name, { spec: { claimRef: { uid: null, resourceVersion: null } } }),
    ),
    fix(
      'to forget it here: delete the object; the data stays in the backend until it is removed there',
      `kubectl delete pv ${shellWord(v.name)}`,
      'disruptive',
    ),
  ];
}
