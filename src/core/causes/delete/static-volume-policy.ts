import type { Volume } from '../../kube/kinds.ts';
import { provisionedByAnnotation } from '../../facts/claim/claim-case.ts';
import { field, fix, note } from '../../facts/evidence.ts';
import { claimRule, objectRule } from '../lib/rule.ts';
import type { Explanation, Rule } from '../lib/rule.ts';
import { patchVolume } from '../bind/closest-volume.ts';
import { policyOf } from './volume-deletion.ts';

/** Made by hand, and still with the policy of volumes that a driver makes. */
function isStaticDelete(volume: Volume): boolean {
  return (
    policyOf(volume) === 'Delete' &&
    volume.metadata.annotations?.[provisionedByAnnotation] === undefined &&
    volume.metadata.annotations?.['pv.kubernetes.io/migrated-to'] === undefined
  );
}

const retain = (volume: Volume, text: string): Explanation['fix'] => [
  fix(text, patchVolume(volume.metadata.name, { spec: { persistentVolumeReclaimPolicy: 'Retain' } })),
];

/** lib isProvisionerForVolume (since 9.0.3) goes by the driver's name, whoever made the volume. */
function explainCsi(volume: Volume): Explanation | undefined {
  const driver = volume.spec?.csi?.driver;
  if (!driver || !isStaticDelete(volume)) return undefined;
  return {
    summary: `pv/${volume.metadata.name} was made by hand and has policy Delete: when its claim goes, ${driver} deletes the volume and its data in the backend`,
    evidence: [
      field(volume, 'spec.persistentVolumeReclaimPolicy'),
      note(volume, `has no annotation ${provisionedByAnnotation}`),
    ],
    fix: retain(volume, 'if the data is to outlive the claim: set Retain before the claim is deleted'),
  };
}

/** pv_controller findDeletablePlugin has no deleter for NFS. */
function explainNfs(volume: Volume): Explanation | undefined {
  if (!volume.spec?.nfs || !isStaticDelete(volume)) return undefined;
  return {
    summary: `pv/${volume.metadata.name} is an NFS volume with policy Delete, which nobody can delete: when its claim goes it becomes Failed`,
    evidence: [
      field(volume, 'spec.persistentVolumeReclaimPolicy'),
      field(volume, 'spec.nfs', `${volume.spec.nfs.server ?? ''}:${volume.spec.nfs.path ?? ''}`),
    ],
    fix: retain(volume, 'set Retain, and clean up by hand'),
  };
}

/** Before: as long as the volume is in use, or free. */
export const pvStaticallyCsiDelete = objectRule('PersistentVolume', {
  cause: 'pv-statically-csi-delete',
  stage: 'bind',
  severity: 'warning',
  explain: (v) => explainCsi(v.object),
});
export const nfsDeletePolicy = objectRule('PersistentVolume', {
  cause: 'nfs-delete-policy',
  stage: 'bind',
  severity: 'warning',
  explain: (v) => explainNfs(v.object),
});

/** At the last moment: the claim is on its way out, and takes the volume along. */
export const pvStaticallyCsiDeleteWithClaim = claimRule({
  cause: 'pv-statically-csi-delete',
  stage: 'delete',
  severity: 'warning',
  explain: (c) => (c.volume?.state === 'found' ? explainCsi(c.volume.object) : undefined),
});
export const nfsDeletePolicyWithClaim = claimRule({
  cause: 'nfs-delete-policy',
  stage: 'delete',
  severity: 'warning',
  explain: (c) => (c.volume?.state === 'found' ? explainNfs(c.volume.object) : undefined),
});

/** Warnings: they come before the rules of the deletion, of which a proven one ends the search. */
export const staticVolumePolicyRules: readonly Rule[] = [
  pvStaticallyCsiDelete,
  nfsDeletePolicy,
  pvStaticallyCsiDeleteWithClaim,
  nfsDeletePolicyWithClaim,
];
