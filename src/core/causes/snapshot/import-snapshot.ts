import type { Fix } from '../../report/report.ts';
import type { SnapshotCase, SnapshotContent, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { adoptCommands, importCommand, importedName, retainContent } from '../lib/snapshot-content.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';
import { objectText } from './snapshot-rule.ts';

const handlePlaceholder = 'PLACEHOLDER_HANDLE';

/**
 * The handle that was imported is wrong. It is immutable, so a second content gets the right one, and a new snapshot
 * names that.
 */
export function importOther(s: SnapshotCase): Fix[] {
  const { snapshot, content } = s;
  const driver = content?.spec?.driver;
  if (!snapshot || !content || driver === undefined || !s.isPreProvisioned) return [];
  return [
    steps(
      `If another snapshot is meant, import that one (${handlePlaceholder}, as the storage names it): ` +
        'a handle cannot be changed, so both objects are recreated. ' +
        'The policy is set to Retain first, so nothing is removed from the storage.',
      [retainContent(content), ...importCommands(snapshot, driver)],
      'disruptive',
    ),
  ];
}

/** The snapshot is recreated as one that names an imported content, which is created first. */
export function importCommands(snapshot: VolumeSnapshot, driver: string): string[] {
  const { name, namespace = '' } = snapshot.metadata;
  const own = importedName(namespace, name);
  return [
    importCommand(own, { driver, handle: handlePlaceholder, namespace, snapshot: name }),
    ...recreateCommands(snapshot, {
      spec: { source: { persistentVolumeClaimName: null, volumeSnapshotContentName: own } },
    }),
  ];
}

/** The content belongs to another snapshot: the same data gets a second content, and this snapshot names it. */
export function importSecond(snapshot: VolumeSnapshot, content: SnapshotContent): Fix {
  const { name, namespace = '' } = snapshot.metadata;
  const adopt = adoptCommands(content, namespace, name);
  const text =
    `Recreate ${objectText(snapshot)} from a content of its own with the same handle: ` +
    'it was never bound, so nothing is lost. It then becomes ready within 5 minutes.';
  if (adopt.length === 0)
    return steps(
      `${text} ${handlePlaceholder} is the id of the snapshot on the storage.`,
      importCommands(snapshot, content.spec?.driver ?? 'PLACEHOLDER_DRIVER'),
    );
  const shared =
    content.spec?.deletionPolicy === 'Delete'
      ? ' Both contents stand for the same data, and the policy of the other one is Delete: deleting its snapshot removes the data of both.'
      : '';
  return steps(`${text}${shared}`, [saveCommand(snapshot), kubectl('delete', snapshot), ...adopt]);
}
