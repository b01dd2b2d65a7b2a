import type { Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { claimRule } from '../lib/rule.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { patchCommand, saveCommand, steps } from '../lib/steps.ts';
import { growthEvidence, volumeOf } from './expansion.ts';

/** external-resizer pvCanBeExpanded: a volume whose claimRef is not this very claim is skipped silently. */
export const resizeBindingBroken = claimRule({
  cause: 'resize-binding-broken',
  stage: 'expand',
  severity: 'blocking',
  explain(c) {
    const volume = volumeOf(c);
    const { uid } = c.claim.metadata;
    if (!volume || uid === undefined) return undefined;
    const reference = volume.spec?.claimRef;
    if (reference?.uid === uid && reference.namespace === c.namespace) return undefined;
    return {
      summary:
        `pv/${volume.metadata.name} is reserved for ${holderText(c, volume)}, not for this pvc/${c.name}, so the ` +
        `resizer ignores the request for ${c.request ?? 'more'}.`,
      evidence: [field(volume, 'spec.claimRef'), field(c.claim, 'metadata.uid'), ...growthEvidence(c)],
      fix: adviceFor(c, volume, uid),
    };
  },
});

function holderText(c: PresentClaim, volume: Volume): string {
  const { name, namespace, uid } = volume.spec?.claimRef ?? {};
  if (!name) return 'no claim';
  if (name === c.name && namespace === c.namespace)
    return `an earlier claim of the same name (uid ${uid ?? 'not set'})`;
  return `pvc/${name} in namespace ${namespace ?? ''}`;
}

/** A volume that another claim uses is not taken from it. */
function adviceFor(c: PresentClaim, volume: Volume, uid: string): Fix[] {
  const { name, namespace } = volume.spec?.claimRef ?? {};
  const isNamesake = name === undefined || (name === c.name && namespace === c.namespace);
  const claimRef = { kind: 'PersistentVolumeClaim', namespace: c.namespace, name: c.name, uid };
  if (isNamesake)
    return [
      steps(
        'If the data on the volume belongs to this claim, write its uid into the volume. ' +
          'The claim that had the volume before is gone. The resizer then grows it within 10 minutes (its resync).',
        [saveCommand(volume), patchCommand(volume, { spec: { claimRef } })],
      ),
    ];
  return [
    steps(
      `Give pvc/${c.name} a volume of its own: the data on pv/${volume.metadata.name} belongs to pvc/${name} ` +
        `in namespace ${namespace ?? ''}. Stop the pods of the claim first, then recreate it without ` +
        'spec.volumeName. Its new volume is empty; Retain keeps the old one, whatever is deleted.',
      [
        patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
        ...recreateCommands(c.claim, { spec: { volumeName: null } }),
      ],
      'disruptive',
    ),
  ];
}
