import type { Volume } from '../../kube/kinds.ts';
import { field } from '../../facts/evidence.ts';
import { claimRule, objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { isStaticDelete } from './static-volume.ts';
import { retainFix } from './data-first.ts';

/** pv_controller findDeletablePlugin has no deleter for NFS. */
function explainPolicy(volume: Volume): Explanation | undefined {
  if (!volume.spec?.nfs || !isStaticDelete(volume)) return undefined;
  const { name } = volume.metadata;
  return {
    summary: `pv/${name} is an NFS volume with policy Delete, but no controller can delete it: it becomes Failed when its claim goes.`,
    evidence: [
      field(volume, 'spec.persistentVolumeReclaimPolicy'),
      field(volume, 'spec.nfs', `${volume.spec.nfs.server ?? ''}:${volume.spec.nfs.path ?? ''}`),
    ],
    fix: [retainFix(name, 'Set the policy to Retain, and delete the data by hand when it is no longer needed.')],
  };
}

/** In advance: while the volume is in use, or free. */
export const nfsDeletePolicy = objectRule('PersistentVolume', {
  cause: 'nfs-delete-policy',
  stage: 'bind',
  severity: 'warning',
  explain: (v) => explainPolicy(v.object),
});

/** At the last moment: the claim is being deleted, and the volume with it. */
export const nfsDeletePolicyWithClaim = claimRule({
  cause: 'nfs-delete-policy',
  stage: 'delete',
  severity: 'warning',
  explain: (c) => (c.volume?.state === 'found' ? explainPolicy(c.volume.object) : undefined),
});
