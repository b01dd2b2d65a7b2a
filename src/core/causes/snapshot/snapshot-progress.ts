import { findLease } from '../../facts/driver/driver-lease.ts';
import { knownLogs, logsFix } from '../../facts/driver/drivers.ts';
import type { Fix } from '../../report/report.ts';
import { beingCreatedAnnotation } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import { driverWordsOf } from './driver-words.ts';
import { isOpenCode } from '../lib/driver-error/grpc-codes.ts';
import { snapshotterOf } from './sidecar-trouble.ts';

/** createSnapshotWrapper sets the annotation before the call, and removes it when the outcome of the call is known. */
export function isInFlight({ content }: SnapshotCase): boolean {
  const isMarked = content?.metadata.annotations?.[beingCreatedAnnotation] !== undefined;
  if (!isMarked || content.status?.snapshotHandle !== undefined) return false;
  const message = content.status?.error?.message;
  if (message === undefined) return true;
  const { code } = driverWordsOf(message);
  // Waiting does not bring back what is used up.
  return isOpenCode(code) && code !== 'ResourceExhausted';
}

/**
 * Without the right to read leases it is not known whether waiting helps. Dumps without leases are common, and do not
 * count.
 */
export function isSidecarHidden(s: SnapshotCase): boolean {
  if (!s.driver) return false;
  const lease = findLease(s.ask, s.driver, 'snapshotter');
  if (lease.state !== 'unknown') return false;
  const { state } = s.ask.graph.coverage.of('Lease', { fieldSelector: `metadata.name=${lease.name}` });
  return state === 'denied' || state === 'failed';
}

export function driverLogFixes(s: SnapshotCase): Fix[] {
  const { driver } = s;
  return driver ? knownLogs(snapshotterOf(s, driver), 'driver') : [];
}

/** The only step where the driver has given no reason. */
export function orDriverLog(s: SnapshotCase, fixes: readonly Fix[]): readonly Fix[] {
  return fixes.length > 0 || !s.driver ? fixes : [logsFix(snapshotterOf(s, s.driver), 'driver')];
}
