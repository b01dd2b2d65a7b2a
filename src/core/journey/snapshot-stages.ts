import { open, passed } from './assessment.ts';
import type { Assessment } from './assessment.ts';
import type { ObjectCase } from '../facts/object-case.ts';
import { isRetained, snapshotCaseOf } from '../facts/snapshot/snapshot-case.ts';

/** Controller and sidecar take turns on a snapshot: only after two minutes is silence more than slowness. */
const graceSeconds = 120;

/** A snapshot is ready to use, or being deleted. */
export function assessSnapshot(subject: ObjectCase<'VolumeSnapshot'>): Assessment {
  const { metadata, status } = subject.object;
  if (subject.isTerminating) return open(heldBy(subject.finalizers), metadata.deletionTimestamp, graceSeconds);
  if (status?.readyToUse !== true) return open('not ready to use', metadata.creationTimestamp, graceSeconds);
  // readyToUse is what the controller last wrote: without the content there is nothing to restore from.
  const isGone = status.boundVolumeSnapshotContentName && snapshotCaseOf(subject).contentLookup?.state === 'missing';
  return isGone
    ? open('reported ready, but its content does not exist', metadata.creationTimestamp, 0)
    : passed('ready to use');
}

export function assessContent(subject: ObjectCase<'VolumeSnapshotContent'>): Assessment {
  const { metadata, status } = subject.object;
  if (subject.isTerminating) return open(heldBy(subject.finalizers), metadata.deletionTimestamp, graceSeconds);
  if (isRetained(snapshotCaseOf(subject))) return open('kept after its snapshot', metadata.creationTimestamp, 0);
  return status?.readyToUse === true
    ? passed('ready to use')
    : open('not ready to use', metadata.creationTimestamp, graceSeconds);
}

/** A group of snapshots, or its content. */
export function assessGroup(
  subject: ObjectCase<'VolumeGroupSnapshot'> | ObjectCase<'VolumeGroupSnapshotContent'>,
): Assessment {
  const { metadata, status } = subject.object;
  if (subject.isTerminating) return open(heldBy(subject.finalizers), metadata.deletionTimestamp, graceSeconds);
  return status?.readyToUse === true
    ? passed('ready to use')
    : open('not ready to use', metadata.creationTimestamp, graceSeconds);
}

function heldBy(finalizers: readonly string[]): string {
  return `held by ${finalizers.join(', ') || 'no finalizer'}`;
}
