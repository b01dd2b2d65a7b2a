import type { SnapshotRow } from '../../report/rows.ts';
import { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import type { VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import { rowBase } from './row-base.ts';
import type { RowDesk } from './row-base.ts';

/** For a snapshot that is ready, the content adds only what the wide table shows. */
export function snapshotRow({ ask, isWide }: RowDesk, snapshot: VolumeSnapshot): SnapshotRow {
  const { spec, status } = snapshot;
  const s = new SnapshotCase(ask, snapshot);
  const unknown: string[] = [];
  const looksFurther = isWide || status?.readyToUse !== true;
  if (looksFurther && s.contentLookup?.state === 'unknown')
    unknown.push(
      'content',
      ...(isWide ? ['deletionPolicy', 'snapshotHandle'] : []),
      ...(status?.error ? [] : ['error']),
    );
  const content = looksFurther ? s.content : undefined;
  const driver = isWide ? s.driver : undefined;
  if (isWide && driver === undefined && (s.contentLookup?.state === 'unknown' || s.classLookup?.state === 'unknown'))
    unknown.push('driver');
  const error = status?.readyToUse === true ? undefined : s.error;
  const contentName = status?.boundVolumeSnapshotContentName ?? content?.metadata.name;
  const snapshotClass = spec?.volumeSnapshotClassName;
  const source = spec?.source;
  const handle = content?.status?.snapshotHandle ?? content?.spec?.source?.snapshotHandle;
  return {
    ...rowBase(snapshot, contentName === undefined ? unknown : unknown.filter((field) => field !== 'content')),
    ...(status?.readyToUse !== undefined && { isReady: status.readyToUse }),
    ...(source?.persistentVolumeClaimName !== undefined && { sourceClaim: source.persistentVolumeClaimName }),
    ...(source?.volumeSnapshotContentName !== undefined && { sourceContent: source.volumeSnapshotContentName }),
    ...(contentName !== undefined && { content: contentName }),
    ...(snapshotClass !== undefined && { snapshotClass }),
    ...(status?.restoreSize !== undefined && { restoreSize: status.restoreSize }),
    ...(driver !== undefined && { driver }),
    ...(content?.spec?.deletionPolicy !== undefined && { deletionPolicy: content.spec.deletionPolicy }),
    ...(handle !== undefined && { snapshotHandle: handle }),
    ...(status?.creationTime !== undefined && { takenAt: status.creationTime }),
    ...(error && { error: error.message, ...(error.time !== undefined && { errorAt: error.time }) }),
  };
}
