import { newestMatch } from '../../graph/events.ts';
import type { Fix } from '../../report/report.ts';
import { eventSaid, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { finalizers, finalizersEvidence, hasFinalizer, terminatingSnapshot } from './snapshot-deletion.ts';
import { ruleForSnapshot } from './snapshot-rule.ts';

/** The finalizer volumesnapshot-in-group-protection is removed only when the whole group is deleted. */
export const snapDeleteGroupMember = ruleForSnapshot({
  cause: 'snap-delete-group-member',
  stage: 'delete',
  severity: 'blocking',
  explain(s) {
    const snapshot = terminatingSnapshot(s);
    const group = snapshot && groupOf(snapshot);
    if (!snapshot || !group || !hasFinalizer(snapshot, finalizers.inGroup)) return undefined;
    const { name, namespace } = snapshot.metadata;
    const lookup = s.ask.get(
      'VolumeGroupSnapshot',
      namespace,
      group,
      `whether volumegroupsnapshot/${group}, to which the snapshot belongs, exists`,
    );
    if (lookup.state === 'missing') return undefined;
    return {
      confidence: lookup.state === 'found' ? 'certain' : 'likely',
      about: `volumegroupsnapshot/${namespace ?? ''}/${group}`,
      summary: `volumesnapshot/${name} belongs to volumegroupsnapshot/${group} and goes only with the whole group`,
      evidence: evidenceOf(s, snapshot, group),
      fix: adviceFor(namespace, group),
    };
  },
});

function groupOf({ metadata, status }: VolumeSnapshot): string | undefined {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'VolumeGroupSnapshot');
  return status?.volumeGroupSnapshotName || owner?.name;
}

function evidenceOf(s: SnapshotCase, snapshot: VolumeSnapshot, group: string): EvidenceList {
  const said = newestMatch(s.ask.eventsOf(snapshot).items, 'SnapshotDeletePending', /belongs to group snapshot/);
  return [
    field(snapshot, 'status.volumeGroupSnapshotName', group),
    finalizersEvidence(snapshot),
    ...(said ? [eventSaid(snapshot, said.event)] : []),
  ];
}

function adviceFor(namespace: string | undefined, group: string): Fix[] {
  const target = `volumegroupsnapshot ${shellWord(group)}`;
  return [
    fix('leave it: the group stays whole', `kubectl ${inNamespace(namespace)}get ${target}`),
    fix(
      'data-loss: if no snapshot of the group is needed, delete the group',
      `kubectl ${inNamespace(namespace)}delete ${target}`,
      'data-loss',
    ),
  ];
}
