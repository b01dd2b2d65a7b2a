import type { Rule } from '../lib/rule.ts';
import { mountNodeAffinityAtAttach } from '../mount/mount-node-affinity.ts';
import { registrationRulesAtAttach } from '../mount/registration-order.ts';
import { deadController, silentController } from './attach-ad-controller-down.ts';
import { attachAttacherNotRunning } from './attach-attacher-not-running.ts';
import { attachAttachRequiredWrong } from './attach-attachrequired-wrong.ts';
import { attachCsiNodeMissing } from './attach-csinode-missing.ts';
import { attachCsiNodeMissingDriver } from './attach-csinode-missing-driver.ts';
import { attachInFlightStuck } from './attach-in-flight-stuck.ts';
import { attachLimitPodRejected } from './attach-limit-pod-rejected.ts';
import { attachByKubelet, attachNodeUnmanaged } from './attach-node-unmanaged.ts';
import { attachNotCsiPv } from './attach-not-csi-pv.ts';
import { attachNotInNodeStatus } from './attach-not-in-node-status.ts';
import { attachNotRequiredButNeeded } from './attach-not-required-but-needed.ts';
import { attachPvFinalizerDenied } from './attach-pv-finalizer-denied.ts';
import { attachPvTerminating } from './attach-pv-terminating.ts';
import { attachRpcAttachedElsewhere } from './attach-rpc-attached-elsewhere.ts';
import { attachRpcCredentials } from './attach-rpc-credentials.ts';
import { attachRpcError } from './attach-rpc-error.ts';
import { attachRpcLimit } from './attach-rpc-limit.ts';
import { attachRpcNotFound } from './attach-rpc-not-found.ts';
import { attachRpcTimeout } from './attach-rpc-timeout.ts';
import { attachRwoHeldByRunningPod } from './attach-rwo-held-by-running-pod.ts';
import { attachRwoWaitingDetach } from './attach-rwo-waiting-detach.ts';
import { attachSecretMissing } from './attach-secret-missing.ts';
import { detachAttacherNotRunning } from './detach-attacher-not-running.ts';
import { detachNodeNotReady } from './detach-node-not-ready.ts';
import { detachOutOfServiceLeft } from './detach-out-of-service-left.ts';
import { detachRpcError } from './detach-rpc-error.ts';
import { detachVolumeInUse } from './detach-volume-in-use.ts';
import { vaNodeGoneNoNodeId } from './va-node-gone-no-nodeid.ts';
import { vaOrphanAttachRequiredFalse } from './va-orphan-attachrequired-false.ts';
import { vaOrphanDriverGone } from './va-orphan-driver-gone.ts';
import { vaOrphanNodeDeleted } from './va-orphan-node-deleted.ts';
import { vaPvMissing } from './va-pv-missing.ts';
import { vaTerminatingBlocksAttach } from './va-terminating-blocks-attach.ts';

/** Attachments that are left over: their volume, their node or their driver is gone. */
const orphanRules: readonly Rule[] = [
  ...vaPvMissing,
  ...vaNodeGoneNoNodeId,
  ...vaOrphanDriverGone,
  ...vaOrphanNodeDeleted,
  vaOrphanAttachRequiredFalse,
];

/** What still holds the volume elsewhere: pods, the node, the kubelet, the detach itself. */
const heldRules: readonly Rule[] = [
  attachRwoHeldByRunningPod,
  deadController,
  ...detachNodeNotReady,
  ...detachVolumeInUse,
  ...detachRpcError,
  ...detachAttacherNotRunning,
  vaTerminatingBlocksAttach,
  attachRwoWaitingDetach,
];

/** What the attacher and the driver answered: specific causes before general ones. */
const refusedRules: readonly Rule[] = [
  ...attachPvTerminating,
  ...attachSecretMissing,
  ...attachCsiNodeMissing,
  ...attachCsiNodeMissingDriver,
  ...attachNotCsiPv,
  ...attachPvFinalizerDenied,
  ...attachRpcLimit,
  ...attachRpcCredentials,
  ...attachRpcAttachedElsewhere,
  ...attachRpcNotFound,
];

/** No answer, or none that says more than that it failed or takes long. */
const silentRules: readonly Rule[] = [
  ...attachAttacherNotRunning,
  ...attachAttachRequiredWrong,
  ...attachRpcTimeout,
  ...attachRpcError,
  ...attachInFlightStuck,
];

/** The attach-detach controller: it created no attachment, or did not write it to the status of the node. */
const unmadeRules: readonly Rule[] = [attachNotInNodeStatus, attachNodeUnmanaged, silentController];

/** Volumes are attached to and detached from nodes: in the order of judgement. */
export const attachStageRules: readonly Rule[] = [
  ...registrationRulesAtAttach,
  attachLimitPodRejected,
  mountNodeAffinityAtAttach,
  ...orphanRules,
  attachByKubelet,
  ...heldRules,
  ...refusedRules,
  ...silentRules,
  ...unmadeRules,
  detachOutOfServiceLeft,
  attachNotRequiredButNeeded,
];
