import type { Fix } from '../../report/report.ts';
import { fix, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import type { VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';
import {
  finalizers,
  finalizersEvidence,
  finalizersOf,
  hasFinalizer,
  restoringClaims,
  settleSeconds,
  terminatingSnapshot,
} from './snapshot-deletion.ts';
import { ruleForSnapshot } from './snapshot-rule.ts';

/** external-provisioner sets the finalizer when a restore begins; a failed or abandoned restore leaves it (snapshot_finalizer_controller removes it since 6.2). */
export const snapSourceFinalizerOrphan = ruleForSnapshot({
  cause: 'snap-source-finalizer-orphan',
  stage: 'delete',
  severity: 'blocking',
  explain(s) {
    const snapshot = terminatingSnapshot(s);
    if (!snapshot || !hasFinalizer(snapshot, finalizers.restoreBegun) || s.leavingSeconds < settleSeconds)
      return undefined;
    const claims = restoringClaims(s, snapshot);
    if (claims.items.length > 0) return undefined;
    return {
      confidence: claims.complete ? 'certain' : 'likely',
      summary: `volumesnapshot/${snapshot.metadata.name} is held by the finalizer of a restore (${finalizers.restoreBegun}), and no claim is being restored from it any more`,
      evidence: evidenceOf(snapshot, claims.complete),
      fix: adviceFor(snapshot),
    };
  },
});

function evidenceOf(snapshot: VolumeSnapshot, areClaimsKnown: boolean): EvidenceList {
  const { namespace } = snapshot.metadata;
  return [
    finalizersEvidence(snapshot),
    note(
      snapshot,
      areClaimsKnown
        ? `no Pending claim in ${namespace ?? ''} names it as its source`
        : 'no Pending claim that names it as its source was seen',
    ),
  ];
}

function adviceFor(snapshot: VolumeSnapshot): Fix[] {
  const { name, namespace } = snapshot.metadata;
  const others = finalizersOf(snapshot).filter((finalizer) => finalizer !== finalizers.restoreBegun);
  const patch = JSON.stringify({ metadata: { finalizers: others } });
  return [
    fix(
      'external-provisioner 6.2 and later takes it away every five minutes, if it may: look for errors about volumesnapshots in its log, and give it the right to update them',
      `kubectl auth can-i update volumesnapshots.snapshot.storage.k8s.io --as=system:serviceaccount:NAMESPACE:SERVICEACCOUNT ${inNamespace(namespace)}`.trim(),
    ),
    fix(
      'or take that one finalizer away by hand, after making sure that no restore runs',
      `kubectl ${inNamespace(namespace)}patch volumesnapshot ${shellWord(name)} --type=merge -p ${shellWord(patch)}`,
      'disruptive',
    ),
  ];
}
