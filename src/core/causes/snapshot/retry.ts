import type { Fix } from '../../report/report.ts';
import type { SnapshotCase, SnapshotContent, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import { kubectl, steps } from '../lib/steps.ts';

/** What follows a repair in a fix. Retries are at most 5 minutes apart (--retry-interval-max). */
export const takenSoon = 'The snapshot is then taken within 5 minutes, with the data of that moment.';
export const takenAtOnce = 'The snapshot is then taken at once, with the data of that moment.';

/**
 * When the next attempt comes after an error. The time of the error does not show it: it is that of its first report.
 */
export function retryText(s: SnapshotCase): string {
  const who = s.error?.object.kind === 'VolumeSnapshotContent' ? 'The csi-snapshotter' : 'The snapshot controller';
  return `${who} retries within 5 minutes.`;
}

/** A changed object is queued without back-off (enqueueSnapshotWork, enqueueContentWork). */
export function retryNow(object: VolumeSnapshot | SnapshotContent): Fix {
  return steps('Wait for the next retry, or change an annotation: the object is then retried at once.', [
    kubectl('annotate', object, 'retry=now --overwrite'),
  ]);
}
