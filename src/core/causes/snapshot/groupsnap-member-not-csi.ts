import { field, inNamespace, shellWord } from '../../facts/evidence.ts';
import { steps } from '../lib/steps.ts';
import { groupError, groupRetry, isDynamic, membersOf, ruleForGroup, selectingLabel } from './group-snapshot.ts';
import { objectText } from './snapshot-rule.ts';

/** groupsnapshot_controller_helper.go: `snapshotting non-CSI volumes is not supported, group snapshot:…`. */
export const groupsnapMemberNotCsi = ruleForGroup('groupsnap-member-not-csi', (subject) => {
  const { object: group } = subject;
  if (!isDynamic(group)) return undefined;
  for (const { name, namespace, isBound, volume } of membersOf(subject).items) {
    if (!isBound || volume?.state !== 'found' || volume.object.spec?.csi) continue;
    const said = groupError(subject);
    return {
      summary:
        `${objectText(group)} cannot be taken: pv/${volume.object.metadata.name} of its member pvc/${name} is ` +
        'not a CSI volume, and only those have snapshots.',
      evidence: [field(volume.object, 'spec.csi'), ...(said ? [said.evidence] : [])],
      fix: [
        steps(
          `Take pvc/${name} out of the group: remove the label that the selector matches, and back it up in another way. ${groupRetry}`,
          [`kubectl ${inNamespace(namespace)}label pvc ${shellWord(name)} ${shellWord(selectingLabel(group))}-`],
        ),
      ],
    };
  }
  return undefined;
});
