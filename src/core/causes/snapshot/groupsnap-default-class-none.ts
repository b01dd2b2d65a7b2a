import { applyCommand, steps } from '../lib/steps.ts';
import { groupError, groupRetry, membersOf, ruleForGroup } from './group-snapshot.ts';
import type { GroupCase } from './group-snapshot.ts';
import { objectText } from './snapshot-rule.ts';
import { noGroupDefaultText } from '../lib/driver-error/sentences/snapshots.ts';

/** SetDefaultGroupSnapshotClass: the group names no class, and none is marked as the default for its driver. */
export const groupsnapDefaultClassNone = ruleForGroup('groupsnap-default-class-none', (subject) => {
  const said = groupError(subject);
  if (!said || !noGroupDefaultText.test(said.text)) return undefined;
  const driver = driverOf(subject);
  return {
    confidence: 'likely',
    summary:
      `${objectText(subject.object)} names no class, and the snapshot controller found no default ` +
      `VolumeGroupSnapshotClass for its driver${driver === undefined ? '' : ` ${driver}`}.`,
    evidence: [said.evidence],
    fix: [
      steps(`Mark a class of the driver as the default (PLACEHOLDER_CLASS, from the list). ${groupRetry}`, [
        'kubectl get volumegroupsnapshotclass',
        'kubectl annotate volumegroupsnapshotclass PLACEHOLDER_CLASS groupsnapshot.storage.kubernetes.io/is-default-class=true --overwrite',
      ]),
      steps('If the list has none for the driver, create one, with the parameters that the driver needs.', [
        applyCommand({
          apiVersion: 'groupsnapshot.storage.k8s.io/v1beta1',
          kind: 'VolumeGroupSnapshotClass',
          metadata: {
            name: 'PLACEHOLDER_CLASS',
            annotations: { 'groupsnapshot.storage.kubernetes.io/is-default-class': 'true' },
          },
          driver: driver ?? 'PLACEHOLDER_DRIVER',
          deletionPolicy: 'Delete',
        }),
      ]),
    ],
  };
});

function driverOf(subject: GroupCase): string | undefined {
  const [member] = membersOf(subject).items;
  return member?.volume?.state === 'found' ? member.volume.object.spec?.csi?.driver : undefined;
}
