import type { PodCase } from '../../facts/pod/pod-case.ts';
import { hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import type { PodRule, Rule } from '../lib/rule.ts';
import { mountVaForbidden, mountVaNotReady } from './attachment-gone.ts';
import { mountPvcDeleting, mountPvcNotBound, mountPvClaimrefMismatch } from './claim-not-usable.ts';
import { containerCreateVolumeSlow } from './container-create-volume-slow.ts';
import { mountBlockMap, mountPublishRpc, mountRpcPending, mountRpcTimeout, mountStageRpc } from './driver-answer.ts';
import { mountFsckFailed, mountFsMismatch } from './file-system.ts';
import { mountFsgroupFailed, mountFsgroupSkipped, mountFsgroupSlow } from './fs-group.ts';
import { localRules } from './local-rules.ts';
import { mountDriverNotRegistered } from './mount-driver-not-registered.ts';
import { mountInlineUnsupported } from './mount-inline-unsupported.ts';
import { mountNodeAffinity } from './mount-node-affinity.ts';
import { deleteNotStorage, mountNotStorage } from './mount-not-storage.ts';
import { mountRwopInUse } from './mount-rwop-in-use.ts';
import { mountSecretMissing } from './mount-secret-missing.ts';
import { mountSubpath } from './mount-subpath.ts';
import { mountVolumemodeUsage } from './mount-volumemode-usage.ts';
import { mountInTreeFailed, mountOptionsUnsupported, mountPluginNotMatched } from './not-a-csi-volume.ts';
import {
  mountConfigmapMissing,
  mountProjectedFailed,
  mountSecretKeyMissing,
  mountSecretVolumeMissing,
  mountTokenRequest,
} from './pod-sources.ts';
import { podTerminatingUnmountStuck } from './pod-terminating-unmount-stuck.ts';
import { registrationRules } from './registration-order.ts';
import { mountSelinuxConflict, mountSelinuxMultiple } from './selinux.ts';
import { terminatingOnLostNode } from './detach-node-not-ready.ts';

/** What the kubelet said before the volumes were mounted is over, and a secret may be deleted after that. */
function whileUnmounted(rule: Rule): Rule {
  return rule.on === 'pod'
    ? { ...rule, explain: (p: PodCase) => (hasMountedVolumes(p.pod) ? undefined : rule.explain(p)) }
    : rule;
}

/** One failure, one finding: what a closer rule has explained is not told again in general words. */
function unless(closer: readonly Rule[], rule: PodRule): PodRule {
  return {
    ...rule,
    explain: (p) =>
      closer.some((other) => other.on === 'pod' && other.stage === rule.stage && other.explain(p) !== undefined)
        ? undefined
        : rule.explain(p),
  };
}

/** The kubelet and the driver on the node bring the volume into the pod: in the order of judgement. */
export const mountStageRules: readonly Rule[] = [
  ...registrationRules,
  // Mounted: what comes after is the container's trouble, and seldom the volume's.
  mountSubpath,
  containerCreateVolumeSlow,
  mountNotStorage,
  mountFsgroupSkipped,
  ...[
    // What the kubelet checks before it calls anyone.
    mountPvcDeleting,
    mountPvcNotBound,
    mountPvClaimrefMismatch,
    mountVolumemodeUsage,
    mountOptionsUnsupported,
    mountSelinuxMultiple,
    mountSelinuxConflict,
    mountSecretVolumeMissing,
    mountConfigmapMissing,
    mountSecretMissing,
    mountNodeAffinity,
    mountRwopInUse,
    mountDriverNotRegistered,
    mountInlineUnsupported,
    mountVaNotReady,
    mountVaForbidden,
    ...localRules,
    // What only the kubelet's words tell.
    mountSecretKeyMissing,
    mountProjectedFailed,
    mountTokenRequest,
    mountPluginNotMatched,
    mountFsMismatch,
    mountFsckFailed,
    mountFsgroupFailed,
    unless([mountFsMismatch, ...localRules], mountStageRpc),
    unless([mountFsMismatch, ...localRules], mountPublishRpc),
    unless([mountFsMismatch, ...localRules], mountBlockMap),
    unless(localRules, mountInTreeFailed),
    mountRpcTimeout,
    mountRpcPending,
    mountFsgroupSlow,
  ].map(whileUnmounted),
  // A pod that does not go away.
  terminatingOnLostNode,
  podTerminatingUnmountStuck,
  deleteNotStorage,
];
