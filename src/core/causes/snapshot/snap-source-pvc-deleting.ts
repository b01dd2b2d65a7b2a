import type { Claim, Volume } from '../../kube/kinds.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import { isTerminated } from '../../facts/pod/pod-state.ts';
import { claimNamesOf } from '../../graph/cluster-graph.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { sourceFinalizer } from './leaving-source.ts';
import { dropRequest } from './snapshot-request.ts';
import { matchError, ruleForSnapshot } from './snapshot-rule.ts';
import { explainUnreadClaim, sourceOf, sourceText } from './snapshot-source.ts';
import type { SnapshotSource } from './snapshot-source.ts';
import { sourceDeletingText } from '../lib/driver-error/sentences/snapshots.ts';

/** ensurePVCFinalizer: a claim that is being deleted takes no new finalizer. */
export const snapSourcePvcDeleting = ruleForSnapshot({
  cause: 'snap-source-pvc-deleting',
  severity: 'blocking',
  explain(s) {
    const source = sourceOf(s);
    const said = matchError(s, sourceDeletingText)?.evidence;
    if (source && said && source.claim.lookup.state === 'unknown')
      return explainUnreadClaim(source, 'is being deleted', said);
    const claim = source?.claim.claim;
    if (!source || !claim?.metadata.deletionTimestamp || claim.metadata.finalizers?.includes(sourceFinalizer))
      return undefined;
    const volume = source.claim.volume?.state === 'found' ? source.claim.volume.object : undefined;
    return {
      summary: `${sourceText(source)} is being deleted, so no snapshot can be taken of it any more.${policyText(volume)}`,
      evidence: [field(claim, 'metadata.deletionTimestamp'), ...policyEvidence(volume), ...(said ? [said] : [])],
      fix: adviceFor(s, source, claim, volume),
    };
  },
});

function policyText(volume: Volume | undefined): string {
  return volume?.spec?.persistentVolumeReclaimPolicy === 'Delete'
    ? ` Its volume, pv/${volume.metadata.name}, has policy Delete: the data goes with the claim.`
    : '';
}

function policyEvidence(volume: Volume | undefined): Evidence[] {
  return volume ? [field(volume, 'spec.persistentVolumeReclaimPolicy')] : [];
}

function adviceFor(s: SnapshotCase, source: SnapshotSource, claim: Claim, volume: Volume | undefined): Fix[] {
  return [
    ...rescue(claim, volume, usersOf(s, claim)),
    dropRequest(
      s,
      source.snapshot,
      'If the data is not needed, delete the snapshot: nothing was taken. It would be retried for ever.',
    ),
  ];
}

/** The pods that hold the claim back, as far as they were read. */
function usersOf({ ask }: SnapshotCase, { metadata }: Claim): string[] {
  return ask
    .seen('Pod')
    .filter((pod) => pod.metadata.namespace === metadata.namespace && !isTerminated(pod))
    .filter((pod) => claimNamesOf(pod).includes(metadata.name))
    .map((pod) => `pod/${pod.metadata.name}`);
}

/**
 * A deletion cannot be taken back: the claim is recreated for its volume when it is gone, and the snapshot finds it by
 * its name.
 */
function rescue(claim: Claim, known: Volume | undefined, users: readonly string[]): Fix[] {
  const name = claim.spec?.volumeName;
  if (!name) return [];
  const volume = known ?? { kind: 'PersistentVolume' as const, metadata: { name } };
  const [saveClaim, , createClaim] = recreateCommands(claim, {});
  const { namespace = '' } = claim.metadata;
  return [
    steps(
      'Keep the volume and recreate the claim for it: set the policy to Retain now; ' +
        `once ${users.length > 0 ? nameAll(users) : 'the last pod that uses the claim'} ` +
        `${users.length > 1 ? 'have' : 'has'} stopped, the claim goes, and the last two lines bring it back with ` +
        'its data. The snapshot is then taken within 5 minutes.',
      [
        patchCommand(volume, { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
        saveClaim,
        `kubectl -n ${shellWord(namespace)} wait --for=delete pvc/${shellWord(claim.metadata.name)} --timeout=1h`,
        patchCommand(volume, { spec: { claimRef: { uid: null, resourceVersion: null } } }),
        createClaim,
      ],
    ),
  ];
}
