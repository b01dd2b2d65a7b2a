import type { Fix } from '../../report/report.ts';
import type { SnapshotContent } from '../../facts/snapshot/snapshot-case.ts';
import { handleOf, retainContent } from '../lib/snapshot-content.ts';
import { steps } from '../lib/steps.ts';

/** Whether the snapshot on the storage goes when the deletion finishes; what could not be read is taken to go. */
export function losesData(content: SnapshotContent | undefined): boolean {
  return content?.spec?.deletionPolicy !== 'Retain' && (content === undefined || handleOf(content) !== undefined);
}

/** `snapshot "snap-1"`, as the storage knows it. */
export function storedText(content: SnapshotContent | undefined): string {
  const handle = content && handleOf(content);
  return handle === undefined ? 'the snapshot' : `snapshot "${handle}"`;
}

/** A deletion cannot be taken back, but until it finishes the data on the storage can be kept. */
export function keepData(content: SnapshotContent | undefined): Fix[] {
  if (!content || !losesData(content)) return [];
  return [
    steps(
      'If the data is still needed, do this first: set the policy to Retain. ' +
        `The objects then go, and ${storedText(content)} stays on the storage, from where it ` +
        'can be imported again.',
      [retainContent(content)],
    ),
  ];
}

const onlyLooks = /^kubectl (?:-n \S+ )?(?:logs|describe|get) [^|;&]*$/;

/** These fixes let a deletion finish that was asked for: what it destroys is their risk. */
export function finishDeletion(fixes: readonly Fix[], content: SnapshotContent | undefined): Fix[] {
  if (!losesData(content)) return [...fixes];
  return fixes.map((fix) => {
    const commands = fix.commands ?? (fix.command === undefined ? [] : [fix.command]);
    if (commands.length > 0 && commands.every((command) => onlyLooks.test(command))) return fix;
    return {
      ...fix,
      text: `${fix.text} The deletion then finishes, and ${storedText(content)} is removed from the storage.`,
      risk: 'data-loss',
    };
  });
}
