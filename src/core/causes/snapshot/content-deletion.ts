import type { SnapshotCase, SnapshotContent } from '../../facts/snapshot/snapshot-case.ts';

export const contentFinalizer = 'snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection';
/** After this time an untouched content that is being deleted is no longer only on its way. */
export const silenceSeconds = 120;

/** The content, if it is being deleted and still has the finalizer that the csi-snapshotter removes. */
export function terminatingContent({ content }: SnapshotCase): SnapshotContent | undefined {
  const isTerminating = content?.metadata.deletionTimestamp !== undefined;
  return isTerminating && content.metadata.finalizers?.includes(contentFinalizer) ? content : undefined;
}

/**
 * A pre-provisioned content that was never bound: the csi-snapshotter releases it without further conditions
 * (shouldDelete).
 */
export function wasNeverBound({ spec }: SnapshotContent): boolean {
  return spec?.source?.snapshotHandle !== undefined && !spec.volumeSnapshotRef?.uid;
}

export function finalizersText({ metadata }: SnapshotContent): string | undefined {
  return metadata.finalizers?.join(', ');
}
