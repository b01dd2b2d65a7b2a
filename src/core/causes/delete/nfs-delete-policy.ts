import type { Volume } from '../../kube/kinds.ts';
import { field } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';
import { isStaticDelete, policyRules } from './static-volume.ts';
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

export const nfsDeletePolicy = policyRules({ cause: 'nfs-delete-policy', explain: explainPolicy });
