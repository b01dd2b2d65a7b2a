import type { Fix, Risk } from '../../report/report.ts';
import { beingCreatedAnnotation } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import { keeperNote } from '../lib/managed-by.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { handleOf } from '../lib/snapshot-content.ts';
import { holdsSource } from './leaving-source.ts';
import { kubectl, patchCommand, saveCommand, steps } from '../lib/steps.ts';

/** Whether the driver has never been called for the snapshot, so that there is nothing on the storage to lose. */
function isUntaken(s: SnapshotCase): boolean {
  const { content, snapshot } = s;
  if (content)
    return handleOf(content) === undefined && content.metadata.annotations?.[beingCreatedAnnotation] === undefined;
  return s.contentLookup?.state === 'missing' || !snapshot?.status?.boundVolumeSnapshotContentName;
}

/**
 * What deleting the snapshot puts at risk: a restore point, or a source claim whose deletion waits for the snapshot.
 */
export function riskOfDeletion(s: SnapshotCase): Risk {
  return isUntaken(s) && !holdsSource(s) ? 'safe' : 'data-loss';
}

/**
 * The source of a snapshot cannot be changed. `how` completes "Recreate the snapshot …", `change` is a JSON merge
 * patch.
 */
export function recreateSnapshot(
  s: SnapshotCase,
  snapshot: VolumeSnapshot,
  how: string,
  change: object,
  then: string,
): Fix {
  const nothing = isUntaken(s) ? ': its source cannot be changed, and nothing was taken yet, so nothing is lost' : '';
  return steps(
    `Recreate the snapshot ${how}${nothing}. ${then}${keeperNote(snapshot)}`,
    recreateCommands(snapshot, change),
    riskOfDeletion(s),
  );
}

/** The class can be changed until the content is created: afterwards the content keeps the first one. */
export function setClassCommand(snapshot: VolumeSnapshot, className: string): string {
  return patchCommand(snapshot, { spec: { volumeSnapshotClassName: className } });
}

/** Saves and deletes a request that cannot be met. */
export function dropRequest(s: SnapshotCase, snapshot: VolumeSnapshot, text: string): Fix {
  return steps(text, [saveCommand(snapshot), kubectl('delete', snapshot)], riskOfDeletion(s));
}
