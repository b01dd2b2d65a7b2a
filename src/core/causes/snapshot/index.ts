import type { Rule } from '../lib/rule.ts';
import { groupsnapContentMisbound } from './groupsnap-content-misbound.ts';
import { groupsnapContentMissing } from './groupsnap-content-missing.ts';
import { groupsnapCrdsMissing } from './groupsnap-crds-missing.ts';
import { groupsnapDefaultClassMultiple } from './groupsnap-default-class-multiple.ts';
import { groupsnapDefaultClassNone } from './groupsnap-default-class-none.ts';
import { groupsnapDriversMixed } from './groupsnap-drivers-mixed.ts';
import { groupsnapFailed } from './groupsnap-failed.ts';
import { groupsnapMemberNotCsi } from './groupsnap-member-not-csi.ts';
import { groupsnapMemberUnbound } from './groupsnap-member-unbound.ts';
import { groupsnapSelectorUnmatched } from './groupsnap-selector-unmatched.ts';
import { groupsnapSwitchedOff } from './groupsnap-switched-off.ts';
import { groupsnapUnsupported } from './groupsnap-unsupported.ts';
import { snapClassDriverMismatch } from './snap-class-driver-mismatch.ts';
import { snapClassMissing } from './snap-class-missing.ts';
import { snapContentMisbound } from './snap-content-misbound.ts';
import { snapContentMismatch } from './snap-content-mismatch.ts';
import { snapContentMissing } from './snap-content-missing.ts';
import { snapContentRetained } from './snap-content-retained.ts';
import { snapAbandoned, snapControllerDownOnDelete, snapUntouched } from './snap-controller-down.ts';
import { snapCrdsMissing } from './snap-crds-missing.ts';
import { snapCreateFailed } from './snap-create-failed.ts';
import { snapCreateInFlight } from './snap-create-in-flight.ts';
import { snapDefaultClassMultiple } from './snap-default-class-multiple.ts';
import { snapDefaultClassNone } from './snap-default-class-none.ts';
import { snapDeleteFailed } from './snap-delete-failed.ts';
import { snapDeleteFinalizerLeft } from './snap-delete-finalizer-left.ts';
import { snapDeleteGroupMember } from './snap-delete-group-member.ts';
import { snapDeleteNoAnnotation } from './snap-delete-no-annotation.ts';
import { snapDeleteRestoring } from './snap-delete-restoring.ts';
import { snapDeleteSidecarDown } from './snap-delete-sidecar-down.ts';
import { snapDeleteWaitsCreate } from './snap-delete-waits-create.ts';
import { snapErrorStale } from './snap-error-stale.ts';
import { snapManagedByNodeGone, snapManagedByNodeGoneOnDelete } from './snap-managed-by-node-gone.ts';
import { snapNotReady } from './snap-not-ready.ts';
import { snapSecretMissing, snapSecretMissingOnDelete } from './snap-secret-missing.ts';
import { snapSidecarDown } from './snap-sidecar-down.ts';
import { snapSourceFinalizerOrphan } from './snap-source-finalizer-orphan.ts';
import { snapSourceNotBound } from './snap-source-not-bound.ts';
import { snapSourceNotCsi } from './snap-source-not-csi.ts';
import { snapSourcePvcDeleting } from './snap-source-pvc-deleting.ts';
import { snapSourcePvcMissing } from './snap-source-pvc-missing.ts';
import { snapStatusCheckFailed } from './snap-status-check-failed.ts';
import { snapValidation } from './snap-validation.ts';

/**
 * A snapshot is taken and becomes ready: in the order of judgement, which is the order in which the controller and then
 * the sidecar act.
 */
export const snapshotStageRules: readonly Rule[] = [
  ...snapCrdsMissing,
  ...snapValidation,
  snapUntouched,
  ...snapClassMissing,
  snapSourcePvcMissing,
  snapSourcePvcDeleting,
  snapSourceNotBound,
  snapSourceNotCsi,
  snapDefaultClassNone,
  snapDefaultClassMultiple,
  snapContentMissing,
  ...snapContentMismatch,
  ...snapContentMisbound,
  snapContentRetained,
  ...snapClassDriverMismatch,
  snapAbandoned,
  ...snapManagedByNodeGone,
  ...snapSidecarDown,
  ...snapSecretMissing,
  ...snapStatusCheckFailed,
  ...snapCreateFailed,
  ...snapCreateInFlight,
  ...snapNotReady,
  ...snapErrorStale,
  groupsnapContentMissing,
  groupsnapContentMisbound,
  groupsnapCrdsMissing,
  groupsnapSwitchedOff,
  groupsnapDefaultClassNone,
  groupsnapDefaultClassMultiple,
  groupsnapSelectorUnmatched,
  groupsnapMemberUnbound,
  groupsnapMemberNotCsi,
  groupsnapDriversMixed,
  ...groupsnapUnsupported,
  ...groupsnapFailed,
];

/**
 * A snapshot or its content is being deleted and remains: first what holds the snapshot, then what holds the content.
 */
export const snapshotDeletionRules: readonly Rule[] = [
  snapDeleteRestoring,
  snapDeleteGroupMember,
  snapControllerDownOnDelete,
  snapDeleteNoAnnotation,
  ...snapManagedByNodeGoneOnDelete,
  ...snapDeleteSidecarDown,
  ...snapDeleteWaitsCreate,
  ...snapSecretMissingOnDelete,
  ...snapDeleteFailed,
  snapDeleteFinalizerLeft,
  snapSourceFinalizerOrphan,
];
