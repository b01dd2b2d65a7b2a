import type { Volume } from '../../kube/kinds.ts';
import { provisionedByAnnotation } from '../../facts/claim/claim-case.ts';
import { field, note } from '../../facts/evidence.ts';
import { claimRule, objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { isStaticDelete } from './static-volume.ts';
import { retainFix } from './data-first.ts';

/** provisioner library isProvisionerForVolume (since 9.0.3) goes by the driver's name, whoever created the volume. */
function explainPolicy(volume: Volume): Explanation | undefined {
  const driver = volume.spec?.csi?.driver;
  if (!driver || !isStaticDelete(volume)) return undefined;
  const { name } = volume.metadata;
  return {
    summary: `pv/${name} was created by hand with policy Delete: ${driver} deletes the volume and its data in the backend when its claim goes.`,
    evidence: [
      field(volume, 'spec.persistentVolumeReclaimPolicy'),
      note(volume, `has no annotation ${provisionedByAnnotation}`),
    ],
    fix: [retainFix(name, 'Set the policy to Retain before the claim is deleted, if the data must outlive it.')],
  };
}

/** In advance: while the volume is in use, or free. */
export const pvStaticallyCsiDelete = objectRule('PersistentVolume', {
  cause: 'pv-statically-csi-delete',
  stage: 'bind',
  severity: 'warning',
  explain: (v) => explainPolicy(v.object),
});

/** At the last moment: the claim is being deleted, and the volume with it. */
export const pvStaticallyCsiDeleteWithClaim = claimRule({
  cause: 'pv-statically-csi-delete',
  stage: 'delete',
  severity: 'warning',
  explain: (c) => (c.volume?.state === 'found' ? explainPolicy(c.volume.object) : undefined),
});
