import type { ClaimRule, Rule } from '../lib/rule.ts';
import { snapshotDeletionRules } from '../snapshot/deletion.ts';
import { deleterCrashloop, deleterLeaderStale, deleterNotRunning } from './deleter-down.ts';
import { namespaceTerminatingStorage } from './namespace-terminating-storage.ts';
import { pvDeleteStillAttached, pvTerminatingAttached } from './pv-attached.ts';
import { pvDeleteRpcFailed, pvDeleteSecretMissing } from './pv-delete-refused.ts';
import {
  pvDeleteInTreeFailed,
  pvFailedCsiNotRetried,
  pvFailedNoDeleter,
  pvFailedRecycle,
  pvRecycleInUse,
  pvUnknownReclaimPolicy,
} from './pv-failed.ts';
import { localStaticReleased, pvDeleteNodeGone, pvNodeDeploymentOrphan } from './pv-place-gone.ts';
import { pvReleasedDeletePending, pvReleasedRetain } from './pv-released.ts';
import {
  pvTerminatingBound,
  pvTerminatingForeignFinalizer,
  pvTerminatingInTreeFinalizer,
  pvTerminatingProtectionStuck,
  pvTerminatingProvisionerFinalizer,
} from './pv-terminating.ts';
import { pvcTerminatingForeignFinalizer, pvcTerminatingPopulator } from './pvc-terminating-finalizer.ts';
import {
  pvcTerminatingCompletedPod,
  pvcTerminatingInUse,
  pvcTerminatingProtectionStuck,
} from './pvc-terminating-pods.ts';
import { pvcTerminatingCloneSource, pvcTerminatingSnapshotSource } from './pvc-terminating-source.ts';

/** A claim: pods, then clones, snapshots, populators, and whoever else. */
const claimRules: readonly ClaimRule[] = [
  pvcTerminatingCompletedPod,
  pvcTerminatingInUse,
  pvcTerminatingProtectionStuck,
  pvcTerminatingCloneSource,
  pvcTerminatingSnapshotSource,
  pvcTerminatingPopulator,
  pvcTerminatingForeignFinalizer,
];

/** What cannot go on whatever is repaired elsewhere, or is not meant to. */
const settledRules: readonly Rule[] = [
  pvTerminatingBound,
  pvUnknownReclaimPolicy,
  pvFailedNoDeleter,
  pvFailedCsiNotRetried,
  pvFailedRecycle,
  pvRecycleInUse,
  pvReleasedRetain,
];

/** A volume that should be deleted: attachments, its place, the one who deletes, and what that one said. */
const deletingRules: readonly Rule[] = [
  pvTerminatingAttached,
  pvDeleteStillAttached,
  pvDeleteNodeGone,
  localStaticReleased,
  pvNodeDeploymentOrphan,
  deleterCrashloop,
  deleterNotRunning,
  deleterLeaderStale,
  pvDeleteSecretMissing,
  pvDeleteRpcFailed,
  pvTerminatingProvisionerFinalizer,
  pvTerminatingInTreeFinalizer,
  pvTerminatingForeignFinalizer,
  pvTerminatingProtectionStuck,
  pvReleasedDeletePending,
  pvDeleteInTreeFailed,
];

/** Something is deleted and goes: in the order of judgement. */
export const deleteStageRules: readonly Rule[] = [
  ...claimRules,
  ...settledRules,
  ...deletingRules,
  ...snapshotDeletionRules,
  namespaceTerminatingStorage(claimRules),
];
