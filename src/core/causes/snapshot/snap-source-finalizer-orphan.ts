import type { Fix } from '../../report/report.ts';
import { findController } from '../../facts/driver/drivers.ts';
import { inNamespace, note, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';
import {
  finalizers,
  finalizersEvidence,
  hasFinalizer,
  restoringClaims,
  settleSeconds,
  terminatingSnapshot,
} from './snapshot-deletion.ts';
import { saveCommand, steps } from '../lib/steps.ts';
import { finishDeletion, keepData, losesData } from './deletion-fixes.ts';
import { releaseCommand } from '../lib/release-finalizers.ts';
import { objectText, ruleForSnapshot } from './snapshot-rule.ts';

/**
 * external-provisioner sets the finalizer when a restore begins; a failed or abandoned restore leaves it
 * (snapshot_finalizer_controller removes it since 6.2).
 */
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
      summary:
        `${objectText(snapshot)} is held by the finalizer of a restore (${finalizers.restoreBegun})` +
        (claims.complete
          ? ', but no claim is being restored from it any more.'
          : '. Whether a claim is still being restored from it could not be read.'),
      evidence: evidenceOf(snapshot, claims.complete),
      fix: adviceFor(s, snapshot, claims.complete),
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

function adviceFor(s: SnapshotCase, snapshot: VolumeSnapshot, areClaimsKnown: boolean): Fix[] {
  const commands = [saveCommand(snapshot), releaseCommand(snapshot, [finalizers.restoreBegun])];
  const release = areClaimsKnown
    ? steps(
        'Remove exactly that finalizer: no restore needs it any more. The object then goes.',
        commands,
        'disruptive',
      )
    : steps(
        'If the first line lists no Pending claim, remove exactly that finalizer: no restore needs it any more. ' +
          'The object then goes. A Pending claim is still being restored: repair that one instead.',
        [listRestoresCommand(snapshot), ...commands],
        'disruptive',
      );
  // The controller removes its own finalizer last, when the content is gone: then nothing on the storage is left to
  // lose.
  return hasFinalizer(snapshot, finalizers.bound)
    ? [...finishDeletion([release], s.content), ...keepData(s.content), letProvisionerSweep(s, losesData(s.content))]
    : [release, letProvisionerSweep(s, false)];
}

/** The claims that name the snapshot as their source. */
function listRestoresCommand({ metadata: { namespace, name } }: VolumeSnapshot): string {
  return (
    `kubectl ${inNamespace(namespace)}get pvc -o ` +
    `custom-columns='CLAIM:.metadata.name,PHASE:.status.phase,KIND:.spec.dataSource.kind,SOURCE:.spec.dataSource.name' ` +
    `| grep -w -F -e ${shellWord(name)}`
  );
}

/** snapshot_finalizer_controller of external-provisioner 6.2 and later, if it may update snapshots. */
function letProvisionerSweep(s: SnapshotCase, isLossy: boolean): Fix {
  const pod = s.driver === undefined ? undefined : findController(s.ask, s.driver, 'provisioner').pods.items[0];
  const namespace = pod?.metadata.namespace ?? 'PLACEHOLDER_NAMESPACE';
  const account = pod?.spec?.serviceAccountName ?? (pod ? 'default' : 'PLACEHOLDER_ACCOUNT');
  const role = shellWord(`${account}-snapshot-finalizers`);
  return steps(
    'For the next time, let the ' +
      `provisioner${pod ? '' : ' (its PLACEHOLDER_NAMESPACE and PLACEHOLDER_ACCOUNT)'} remove what its failed ` +
      'restores leave: external-provisioner 6.2 and later does so every 5 minutes, if it may update snapshots.',
    [
      `kubectl create clusterrole ${role} --verb=get,list,watch,update,patch --resource=volumesnapshots.snapshot.storage.k8s.io`,
      `kubectl create clusterrolebinding ${role} --clusterrole=${role} --serviceaccount=${shellWord(`${namespace}:${account}`)}`,
    ],
    isLossy ? 'data-loss' : 'safe',
  );
}
