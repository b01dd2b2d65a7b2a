import { newestMatch } from '../../graph/events.ts';
import type { Fix } from '../../report/report.ts';
import { eventSaid, field, fix } from '../../facts/evidence.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import type { SnapshotCase, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { finalizers, finalizersEvidence, hasFinalizer, terminatingSnapshot } from './snapshot-deletion.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';
import { objectText, ruleForSnapshot } from './snapshot-rule.ts';
import { groupMemberText } from '../lib/driver-error/sentences/snapshots.ts';

/** The finalizer volumesnapshot-in-group-protection is removed only when the whole group is deleted. */
export const snapDeleteGroupMember = ruleForSnapshot({
  cause: 'snap-delete-group-member',
  stage: 'delete',
  severity: 'blocking',
  explain(s) {
    const snapshot = terminatingSnapshot(s);
    const group = snapshot && groupOf(snapshot);
    if (!snapshot || !group || !hasFinalizer(snapshot, finalizers.inGroup)) return undefined;
    const { namespace } = snapshot.metadata;
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
      summary: `${objectText(snapshot)} belongs to VolumeGroupSnapshot "${group}" and is deleted only with the whole group.`,
      evidence: evidenceOf(s, snapshot, group),
      fix: adviceFor(s, snapshot, group),
    };
  },
});

function groupOf({ metadata, status }: VolumeSnapshot): string | undefined {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'VolumeGroupSnapshot');
  return status?.volumeGroupSnapshotName || owner?.name;
}

function evidenceOf(s: SnapshotCase, snapshot: VolumeSnapshot, group: string): EvidenceList {
  const said = newestMatch(s.ask.eventsOf(snapshot).items, 'SnapshotDeletePending', groupMemberText);
  return [
    field(snapshot, 'status.volumeGroupSnapshotName', group),
    finalizersEvidence(snapshot),
    ...(said ? [eventSaid(snapshot, said.event)] : []),
  ];
}

function adviceFor(s: SnapshotCase, { metadata: { name, namespace } }: VolumeSnapshot, group: string): Fix[] {
  const object = {
    kind: 'VolumeGroupSnapshot' as const,
    metadata: { name: group, ...(namespace !== undefined && { namespace }) },
  };
  const members = s.ask
    .seen('VolumeSnapshot')
    .filter(({ metadata, status }) => metadata.namespace === namespace && status?.volumeGroupSnapshotName === group)
    .map(({ metadata }) => metadata.name)
    .filter((member) => member !== name);
  const others = members.length > 0 ? `, with ${nameAll(members)}` : ' with all its snapshots';
  return [
    fix(
      'Let it stay as it is if the group is still needed: it remains Terminating, and the group with its data ' +
        'is complete. A deletion cannot be taken back.',
    ),
    steps(
      `If no snapshot of the group is needed, delete the group${others}. The data goes, too.`,
      [saveCommand(object), kubectl('delete', object)],
      'data-loss',
    ),
  ];
}
