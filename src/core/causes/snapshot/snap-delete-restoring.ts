import { newestMatch } from '../../graph/events.ts';
import type { Claim } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { Explanation } from '../lib/rule.ts';
import {
  finalizers,
  finalizersEvidence,
  hasFinalizer,
  restoringClaims,
  terminatingSnapshot,
} from './snapshot-deletion.ts';
import { ruleForSnapshot } from './snapshot-rule.ts';

/** Within this time a restore is only on its way. */
const restoreSeconds = 120;

/** checkandRemoveSnapshotFinalizersAndCheckandDeleteContent keeps a snapshot while a claim is being restored from it. */
export const snapDeleteRestoring = ruleForSnapshot({
  cause: 'snap-delete-restoring',
  stage: 'delete',
  severity: 'blocking',
  explain(s) {
    const snapshot = terminatingSnapshot(s);
    if (!snapshot || !hasFinalizer(snapshot, finalizers.asSource, finalizers.restoreBegun)) return undefined;
    const { items, complete } = restoringClaims(s, snapshot);
    const said = controllerSaid(s, snapshot);
    const [first, ...rest] = items;
    if (first) return explainClaims(s, snapshot, [first, ...rest], said);
    return complete ? undefined : explainUnread(snapshot, said);
  },
});

function controllerSaid(s: SnapshotCase, snapshot: VolumeSnapshot): Evidence[] {
  const said = newestMatch(s.ask.eventsOf(snapshot).items, 'SnapshotDeletePending', /being used to restore a PVC/);
  return said ? [eventSaid(snapshot, said.event)] : [];
}

function explainClaims(
  s: SnapshotCase,
  snapshot: VolumeSnapshot,
  claims: readonly [Claim, ...Claim[]],
  said: readonly Evidence[],
): Explanation {
  const isYoung = claims.every(({ metadata }) => s.secondsSince(metadata.creationTimestamp) < restoreSeconds);
  const names = claims.map(({ metadata }) => metadata.name);
  return {
    severity: isYoung ? 'info' : 'blocking',
    summary: `volumesnapshot/${snapshot.metadata.name} is being deleted, and ${names.length === 1 ? `claim ${names[0] ?? ''} is` : `claims ${names.join(', ')} are`} still to be restored from it`,
    evidence: [
      finalizersEvidence(snapshot),
      ...claims.slice(0, 5).map((claim) => field(claim, 'status.phase')),
      ...said,
    ],
    fix: isYoung ? [waitForClaim(claims[0])] : repairOrGiveUp(claims),
  };
}

function waitForClaim({ metadata: { name, namespace } }: Claim): Fix {
  return fix('wait until the claim is bound', `kubectl ${inNamespace(namespace)}get pvc ${shellWord(name)}`);
}

function repairOrGiveUp(claims: readonly [Claim, ...Claim[]]): Fix[] {
  const { name, namespace } = claims[0].metadata;
  const names = claims.map(({ metadata }) => shellWord(metadata.name)).join(' ');
  return [
    fix(
      'see why the restore does not end, and mend that',
      `kubectl csi why pvc/${shellWord(name)} ${inNamespace(namespace)}`.trim(),
    ),
    fix('or give the restore up', `kubectl ${inNamespace(namespace)}delete pvc ${names}`, 'disruptive'),
  ];
}

/** The claims could not be read, and the controller reports that one is being restored. */
function explainUnread({ metadata }: VolumeSnapshot, [said]: readonly Evidence[]): Explanation | undefined {
  if (!said) return undefined;
  return {
    confidence: 'likely',
    summary: `volumesnapshot/${metadata.name} is deleted when the claim that is being restored from it is done`,
    evidence: [said],
    fix: [
      fix('find the claim that is Pending and names the snapshot', `kubectl ${inNamespace(metadata.namespace)}get pvc`),
    ],
  };
}
