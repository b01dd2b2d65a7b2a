import { absent, field } from '../../facts/evidence.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { steps } from '../lib/steps.ts';
import { contentNameOf, lookUpContent, ruleForGroup } from './group-snapshot.ts';
import { objectText } from './snapshot-rule.ts';

/** The group names a content that does not exist: what was taken cannot be reached through it any more. */
export const groupsnapContentMissing = ruleForGroup('groupsnap-content-missing', (subject) => {
  const { object: group } = subject;
  if (lookUpContent(subject)?.state !== 'missing') return undefined;
  const contentName = contentNameOf(group) ?? '';
  const path = group.status?.boundVolumeGroupSnapshotContentName
    ? 'status.boundVolumeGroupSnapshotContentName'
    : 'spec.source.volumeGroupSnapshotContentName';
  return {
    summary: `VolumeGroupSnapshotContent "${contentName}", which ${objectText(group)} names, does not exist.`,
    evidence: [field(group, path), absent('VolumeGroupSnapshotContent', contentName)],
    fix: [
      steps(
        'If the snapshots of the group are not needed, or were never taken, recreate the group: ' +
          'save it, delete it and create it again. New snapshots are then taken at once. ' +
          'Otherwise restore the content from your backup of the objects first.',
        recreateCommands(group, {}),
        'data-loss',
      ),
    ],
  };
});
