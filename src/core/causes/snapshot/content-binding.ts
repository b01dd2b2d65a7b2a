import type { VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';

/**
 * Whether the snapshot is bound to the content, asks for it, or would get it by its uid
 * (GetDynamicSnapshotContentNameForSnapshot).
 */
export function asksForContent({ spec, status, metadata }: VolumeSnapshot, contentName: string): boolean {
  return (
    spec?.source?.volumeSnapshotContentName === contentName ||
    status?.boundVolumeSnapshotContentName === contentName ||
    `snapcontent-${metadata.uid ?? ''}` === contentName
  );
}
