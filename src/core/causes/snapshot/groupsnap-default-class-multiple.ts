import { steps } from '../lib/steps.ts';
import { groupError, groupRetry, ruleForGroup } from './group-snapshot.ts';
import { objectText } from './snapshot-rule.ts';
import { groupDefaultsText } from '../lib/driver-error/sentences/snapshots.ts';

/** SetDefaultGroupSnapshotClass: `%d default snapshot classes were found`. */
export const groupsnapDefaultClassMultiple = ruleForGroup('groupsnap-default-class-multiple', (subject) => {
  const said = groupError(subject);
  const count = said && groupDefaultsText.exec(said.text)?.[1];
  if (!said || count === undefined) return undefined;
  return {
    confidence: 'likely',
    summary:
      `${objectText(subject.object)} names no class, and ${count} VolumeGroupSnapshotClasses of its driver are ` +
      'marked as the default.',
    evidence: [said.evidence],
    fix: [
      steps(
        `Leave one default class for the driver (PLACEHOLDER_CLASS is one of the others, from the list). ${groupRetry}`,
        [
          'kubectl get volumegroupsnapshotclass -o yaml | grep -E "^    name:|is-default-class|^  driver:"',
          'kubectl annotate volumegroupsnapshotclass PLACEHOLDER_CLASS groupsnapshot.storage.kubernetes.io/is-default-class-',
        ],
      ),
    ],
  };
});
