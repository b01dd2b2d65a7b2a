import type { Volume } from '../../kube/kinds.ts';
import { provisionedByAnnotation } from '../../facts/claim/claim-annotations.ts';
import { field, note } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';
import { isStaticDelete, policyRules } from './static-volume.ts';
import { retainFix } from './data-first.ts';

/**
 * provisioner library isProvisionerForVolume (since 9.0.3) checks only the driver's name, not who created the volume.
 */
function explainPolicy(volume: Volume): Explanation | undefined {
  const driver = volume.spec?.csi?.driver;
  if (!driver || !isStaticDelete(volume)) return undefined;
  const { name } = volume.metadata;
  return {
    summary:
      `pv/${name} was created by hand with policy Delete: ${driver} deletes the volume and its data in the ` +
      'backend when its claim goes.',
    evidence: [
      field(volume, 'spec.persistentVolumeReclaimPolicy'),
      note(volume, `has no annotation ${provisionedByAnnotation}`),
    ],
    fix: [retainFix(name, 'Set the policy to Retain before the claim is deleted, if the data must outlive it.')],
  };
}

export const pvStaticallyCsiDelete = policyRules({ cause: 'pv-statically-csi-delete', explain: explainPolicy });
