import type { Rule } from '../lib/rule.ts';
import { mountNodeAffinityAtAttach } from '../mount/mount-node-affinity.ts';
import { registrationRulesAtAttach } from '../mount/registration/index.ts';
import { attachAttacherNotRunning, attachAttachRequiredWrong } from './attach-attacher-not-running.ts';
import { attachCsiNodeMissing, attachCsiNodeMissingDriver } from './attach-csinode.ts';
import { attachInFlightStuck } from './attach-in-flight-stuck.ts';
import { attachLimitPodRejected } from './attach-limit-pod-rejected.ts';
import { attachNotRequiredButNeeded } from './attach-not-required-but-needed.ts';
import { attachNotCsiPv, attachPvFinalizerDenied, attachPvTerminating, attachSecretMissing } from './attach-refused.ts';
import {
  attachRpcAttachedElsewhere,
  attachRpcCredentials,
  attachRpcError,
  attachRpcLimit,
  attachRpcNotFound,
  attachRpcTimeout,
} from './attach-rpc.ts';
import { attachAdControllerDown, attachNodeUnmanaged, attachNotInNodeStatus } from './attach-unmade.ts';
import {
  vaNodeGoneNoNodeId,
  vaOrphanAttachRequiredFalse,
  vaOrphanDriverGone,
  vaPvMissing,
} from './attachment-orphan.ts';
import { detachNodeNotReady, detachOutOfServiceLeft, vaOrphanNodeDeleted } from './detach-node.ts';
import {
  detachAttacherNotRunning,
  detachRpcError,
  detachVolumeInUse,
  vaTerminatingBlocksAttach,
} from './detach-stuck.ts';
import { attachRwoHeldByRunningPod, attachRwoWaitingDetach } from './rwo-holder.ts';

/** What was attached and is of no use any more: its volume, its node or its driver is gone. */
const orphanRules: readonly Rule[] = [
  ...vaPvMissing,
  ...vaNodeGoneNoNodeId,
  ...vaOrphanDriverGone,
  ...vaOrphanNodeDeleted,
  vaOrphanAttachRequiredFalse,
];

/** Who still has the volume, and why it does not come off: pods, the node, the kubelet, the detach itself. */
const heldRules: readonly Rule[] = [
  attachRwoHeldByRunningPod,
  ...detachNodeNotReady,
  ...detachVolumeInUse,
  ...detachRpcError,
  ...detachAttacherNotRunning,
  vaTerminatingBlocksAttach,
  attachRwoWaitingDetach,
];

/** What the attacher and the driver answered; the particular before the general. */
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

/** Nobody answered, or only that it takes long. */
const silentRules: readonly Rule[] = [
  ...attachAttacherNotRunning,
  ...attachAttachRequiredWrong,
  ...attachRpcTimeout,
  ...attachRpcError,
  ...attachInFlightStuck,
];

/** Nobody asked: no attachment was made, or the node was not told of it. */
const unmadeRules: readonly Rule[] = [attachNotInNodeStatus, attachNodeUnmanaged, attachAdControllerDown];

/** Volumes come to and leave their nodes: in the order of judgement. */
export const attachStageRules: readonly Rule[] = [
  ...registrationRulesAtAttach,
  attachLimitPodRejected,
  mountNodeAffinityAtAttach,
  ...orphanRules,
  ...heldRules,
  ...refusedRules,
  ...silentRules,
  ...unmadeRules,
  detachOutOfServiceLeft,
  attachNotRequiredButNeeded,
];
