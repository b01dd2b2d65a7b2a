import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import type { ClaimRule } from '../lib/rule.ts';
import { cloneClassNil } from './clone-class-nil.ts';
import { cloneSizeTooSmall } from './clone-size-too-small.ts';
import { cloneSourceDeleting } from './clone-source-deleting.ts';
import { cloneSourceInvalid } from './clone-source-invalid.ts';
import { cloneSourceMissing } from './clone-source-missing.ts';
import { cloneSourceNotBound } from './clone-source-not-bound.ts';
import { cloneVolumemodeMismatch } from './clone-volumemode-mismatch.ts';
import { datasourceApigroupWrong } from './datasource-apigroup-wrong.ts';
import { datasourceCrossnsDisabled } from './datasource-crossns-disabled.ts';
import { datasourceCrossnsNoGrant } from './datasource-crossns-no-grant.ts';
import { datasourcePopulatorMissing } from './datasource-populator-missing.ts';
import { datasourcePopulatorUnregistered } from './datasource-populator-unregistered.ts';
import { populatorFailed } from './populator-failed.ts';
import { populatorRunning } from './populator-running.ts';
import { populatorSourceMissing } from './populator-source-missing.ts';
import { restoreContentInvalid } from './restore-content-invalid.ts';
import { restoreDriverMismatch } from './restore-driver-mismatch.ts';
import { restoreSizeTooSmall } from './restore-size-too-small.ts';
import { restoreSnapshotDeleting } from './restore-snapshot-deleting.ts';
import { restoreSnapshotMissing } from './restore-snapshot-missing.ts';
import { restoreSnapshotNotReady } from './restore-snapshot-not-ready.ts';
import { restoreSnapshotUnbound } from './restore-snapshot-unbound.ts';
import { restoreVolumemodeDenied } from './restore-volumemode-denied.ts';

const referenceRules: readonly ClaimRule[] = [
  datasourceCrossnsDisabled,
  datasourceCrossnsNoGrant,
  datasourceApigroupWrong,
];

const restoreRules: readonly ClaimRule[] = [
  restoreSnapshotMissing,
  restoreSnapshotDeleting,
  restoreSnapshotUnbound,
  restoreContentInvalid,
  restoreDriverMismatch,
  restoreSnapshotNotReady,
  restoreSizeTooSmall,
  restoreVolumemodeDenied,
];

const cloneRules: readonly ClaimRule[] = [
  cloneSourceMissing,
  cloneSourceNotBound,
  cloneSourceDeleting,
  cloneClassNil,
  cloneSizeTooSmall,
  cloneSourceInvalid,
  cloneVolumemodeMismatch,
];

const populatorRules: readonly ClaimRule[] = [
  populatorSourceMissing,
  populatorFailed,
  populatorRunning,
  // Advice, so it comes before the proof that no populator works on the claim, which ends the search.
  datasourcePopulatorUnregistered,
  datasourcePopulatorMissing,
];

/** The snapshot, claim or populator that the volume is to be created from. */
export const dataSourceRules: readonly ClaimRule[] = [
  ...referenceRules,
  ...restoreRules,
  ...cloneRules,
  ...populatorRules,
];

/** The source is on its way, so a silent provisioner is not to blame. */
export function waitsForSource(c: PresentClaim): boolean {
  return dataSourceRules.some((rule) => rule.explain(c)?.severity === 'info');
}
