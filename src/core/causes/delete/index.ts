import type { ClaimRule, Rule } from '../lib/rule.ts';
import { snapshotDeletionRules } from '../snapshot/index.ts';
import { localStaticReleased } from './local-static-released.ts';
import { namespaceTerminatingStorage } from './namespace-terminating-storage.ts';
import { deleterCrashloop } from './provisioner-crashloop.ts';
import { deleterLeaderStale } from './provisioner-leader-stale.ts';
import { deleterNotRunning } from './provisioner-not-running.ts';
import { pvDeleteInTreeFailed } from './pv-delete-in-tree-failed.ts';
import { pvDeleteNodeGone } from './pv-delete-node-gone.ts';
import { pvDeleteRpcFailed } from './pv-delete-rpc-failed.ts';
import { pvDeleteSecretMissing } from './pv-delete-secret-missing.ts';
import { pvDeleteStillAttached } from './pv-delete-still-attached.ts';
import { pvFailedCsiNotRetried } from './pv-failed-csi-not-retried.ts';
import { pvFailedNoDeleter } from './pv-failed-no-deleter.ts';
import { pvFailedRecycle } from './pv-failed-recycle.ts';
import { pvNodeDeploymentOrphan } from './pv-node-deployment-orphan.ts';
import { pvRecycleInUse } from './pv-recycle-in-use.ts';
import { pvReleasedDeletePending } from './pv-released-delete-pending.ts';
import { pvReleasedRetain } from './pv-released-retain.ts';
import { pvTerminatingAttached } from './pv-terminating-attached.ts';
import { pvTerminatingBound } from './pv-terminating-bound.ts';
import { pvTerminatingForeignFinalizer } from './pv-terminating-foreign-finalizer.ts';
import { pvTerminatingInTreeFinalizer } from './pv-terminating-intree-finalizer.ts';
import { pvTerminatingProtectionStuck } from './pv-terminating-protection-stuck.ts';
import { pvTerminatingProvisionerFinalizer } from './pv-terminating-provisioner-finalizer.ts';
import { pvUnknownReclaimPolicy } from './pv-unknown-reclaim-policy.ts';
import { pvcTerminatingCloneSource } from './pvc-terminating-clone-source.ts';
import { pvcTerminatingCompletedPod } from './pvc-terminating-completed-pod.ts';
import { pvcTerminatingForeignFinalizer } from './pvc-terminating-foreign-finalizer.ts';
import { pvcTerminatingInUse } from './pvc-terminating-in-use.ts';
import { pvcTerminatingPopulator } from './pvc-terminating-populator.ts';
import { pvcTerminatingProtectionStuck } from './pvc-terminating-protection-stuck.ts';
import { pvcTerminatingSnapshotSource } from './pvc-terminating-snapshot-source.ts';

/** What keeps a claim: pods, clones, snapshots, populators, then any other finalizer. */
const claimRules: readonly ClaimRule[] = [
  pvcTerminatingCompletedPod,
  pvcTerminatingInUse,
  pvcTerminatingProtectionStuck,
  pvcTerminatingCloneSource,
  pvcTerminatingSnapshotSource,
  pvcTerminatingPopulator,
  pvcTerminatingForeignFinalizer,
];

/** Volumes that no repair elsewhere gets deleted, or that are kept on purpose. */
const settledRules: readonly Rule[] = [
  pvTerminatingBound,
  pvUnknownReclaimPolicy,
  pvFailedNoDeleter,
  pvFailedCsiNotRetried,
  pvFailedRecycle,
  pvRecycleInUse,
  pvReleasedRetain,
];

/** A volume that should be deleted: its attachments, its node, its provisioner, and what the provisioner reported. */
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

/** Claims, volumes, snapshots and namespaces that are being deleted: in the order of judgement. */
export const deleteStageRules: readonly Rule[] = [
  ...claimRules,
  ...settledRules,
  ...deletingRules,
  ...snapshotDeletionRules,
  namespaceTerminatingStorage(claimRules, snapshotDeletionRules),
];
