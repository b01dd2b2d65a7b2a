import { field } from '../../facts/evidence.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { lookUpContent, ruleForGroup } from './group-snapshot.ts';
import { objectText } from './snapshot-rule.ts';

/** A content belongs to one group, by name and uid (groupsnapshot_controller_helper.go syncUnreadyGroupSnapshot). */
export const groupsnapContentMisbound = ruleForGroup('groupsnap-content-misbound', (subject) => {
  const { object: group } = subject;
  const content = lookUpContent(subject);
  if (content?.state !== 'found' || group.status?.readyToUse === true) return undefined;
  const reference = content.object.spec?.volumeGroupSnapshotRef;
  const { name, namespace, uid } = group.metadata;
  const isSame =
    reference?.name === name && reference.namespace === namespace && (!reference.uid || reference.uid === uid);
  if (isSame || reference === undefined) return undefined;
  const isEarlier = reference.name === name && reference.namespace === namespace;
  return {
    summary:
      `${content.object.metadata.name} belongs to ` +
      `${isEarlier ? 'an earlier group of the same name' : `group ${reference.namespace ?? ''}/${reference.name ?? ''}`}, ` +
      `not to ${objectText(group)}, which names it.`,
    evidence: [field(content.object, 'spec.volumeGroupSnapshotRef'), field(group, 'metadata.uid')],
    fix: [
      isEarlier
        ? steps('Bind the content to this group: remove the uid of the earlier one. The snapshots are kept.', [
            patchCommand(content.object, { spec: { volumeGroupSnapshotRef: { uid: null } } }),
          ])
        : steps(
            'Name a content that is made for this group: its spec.volumeGroupSnapshotRef has the name and namespace ' +
              'of the group. A group cannot be changed, so recreate it.',
            [],
          ),
    ],
  };
});
