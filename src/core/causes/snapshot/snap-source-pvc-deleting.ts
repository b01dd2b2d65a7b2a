import type { Claim } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import { matchError, ruleForSnapshot } from './snapshot-rule.ts';
import { explainUnreadClaim, sourceOf } from './snapshot-source.ts';

const sourceFinalizer = 'snapshot.storage.kubernetes.io/pvc-as-source-protection';

/** ensurePVCFinalizer: a claim that is being deleted takes no new finalizer. */
export const snapSourcePvcDeleting = ruleForSnapshot({
  cause: 'snap-source-pvc-deleting',
  severity: 'blocking',
  explain(s) {
    const source = sourceOf(s);
    const said = matchError(s, /cannot add finalizer on claim because it is being deleted/)?.evidence;
    if (source && said && source.claim.lookup.state === 'unknown')
      return explainUnreadClaim(source, 'is being deleted', said);
    const claim = source?.claim.claim;
    if (!source || !claim?.metadata.deletionTimestamp || claim.metadata.finalizers?.includes(sourceFinalizer))
      return undefined;
    return {
      summary: `claim ${claim.metadata.name}, of which volumesnapshot/${source.snapshot.metadata.name} is to be taken, is being deleted, and of such a claim no snapshot is taken any more`,
      evidence: [field(claim, 'metadata.deletionTimestamp'), ...(said ? [said] : [])],
      fix: adviceFor(claim, source.snapshot),
    };
  },
});

function adviceFor({ spec }: Claim, { metadata }: VolumeSnapshot): Fix[] {
  return [
    fix(
      'to save the data, keep the volume: set its policy to Retain before the claim is gone',
      spec?.volumeName
        ? `kubectl patch pv ${shellWord(spec.volumeName)} --type=merge -p '{"spec":{"persistentVolumeReclaimPolicy":"Retain"}}'`
        : undefined,
    ),
    fix(
      'if the data is not needed, delete the snapshot: it holds nothing',
      `kubectl ${inNamespace(metadata.namespace)}delete volumesnapshot ${shellWord(metadata.name)}`,
      'disruptive',
    ),
  ];
}
