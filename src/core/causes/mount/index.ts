import type { PodCase } from '../../facts/pod/pod-case.ts';
import { hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import type { PodRule, Rule } from '../lib/rule.ts';
import { containerCreateVolumeSlow } from './container-create-volume-slow.ts';
import { terminatingOnLostNode } from './detach-node-not-ready.ts';
import { brokenPluginPod } from './driver-daemonset-pod-unhealthy.ts';
import { crashingProvisionerPod } from './provisioner-crashloop.ts';
import { stoppedProvisionerPod } from './provisioner-not-running.ts';
import { brokenAttacherPod } from './attach-attacher-not-running.ts';
import { brokenResizerPod } from './resize-no-resizer.ts';
import { brokenSnapshotterPod } from './snap-sidecar-down.ts';
import { flexvolumeDriverMissing } from './flexvolume-driver-missing.ts';
import { gitrepoDisabled } from './gitrepo-disabled.ts';
import { hostpathTypeCheck } from './hostpath-type-check.ts';
import { intreeRemovedVolume } from './intree-removed-volume.ts';
import { localPathMissing } from './local-path-missing.ts';
import { mountBlockMap } from './mount-block-map.ts';
import { mountConfigmapMissing } from './mount-configmap-missing.ts';
import { mountDriverNotRegistered } from './mount-driver-not-registered.ts';
import { mountFsMismatch } from './mount-fs-mismatch.ts';
import { mountFsckFailed } from './mount-fsck-failed.ts';
import { mountFsgroupFailed } from './mount-fsgroup-failed.ts';
import { mountFsgroupSkipped } from './mount-fsgroup-skipped.ts';
import { mountFsgroupSlow } from './mount-fsgroup-slow.ts';
import { mountInTreeFailed } from './mount-in-tree-failed.ts';
import { mountInlineUnsupported } from './mount-inline-unsupported.ts';
import { mountNodeAffinity } from './mount-node-affinity.ts';
import { deleteNotStorage, mountNotStorage } from './mount-not-storage.ts';
import { mountOptionsUnsupported } from './mount-options-unsupported.ts';
import { mountPluginNotMatched } from './mount-plugin-not-matched.ts';
import { mountProjectedFailed } from './mount-projected-failed.ts';
import { mountPublishRpc } from './mount-publish-rpc.ts';
import { mountPvClaimrefMismatch } from './mount-pv-claimref-mismatch.ts';
import { mountPvcDeleting } from './mount-pvc-deleting.ts';
import { mountPvcNotBound } from './mount-pvc-not-bound.ts';
import { mountRpcPending } from './mount-rpc-pending.ts';
import { mountRpcTimeout } from './mount-rpc-timeout.ts';
import { mountRwopInUse } from './mount-rwop-in-use.ts';
import { mountSecretKeyMissing } from './mount-secret-key-missing.ts';
import { mountSecretMissing } from './mount-secret-missing.ts';
import { mountSecretVolumeMissing } from './mount-secret-volume-missing.ts';
import { mountSelinuxConflict } from './mount-selinux-conflict.ts';
import { mountSelinuxMultiple } from './mount-selinux-multiple.ts';
import { mountStageRpc } from './mount-stage-rpc.ts';
import { mountSubpath } from './mount-subpath.ts';
import { mountTokenInSecrets } from './mount-token-in-secrets.ts';
import { mountTokenRequest } from './mount-token-request.ts';
import { mountVaForbidden } from './mount-va-forbidden.ts';
import { mountAttachedSince, mountVaNotReady } from './mount-va-not-ready.ts';
import { mountVolumemodeUsage } from './mount-volumemode-usage.ts';
import { nfsMountFailed } from './nfs-mount-failed.ts';
import { podTerminatingUnmountStuck } from './pod-terminating-unmount-stuck.ts';
import { podWaitsBucketaccessSecret } from './pod-waits-bucketaccess-secret.ts';
import { emptydirLimitEvicted } from './emptydir-limit-evicted.ts';
import { ephemeralStorageEvicted } from './ephemeral-storage-evicted.ts';
import { imageVolumePull } from './image-volume-pull.ts';
import { imageVolumeRuntime } from './image-volume-runtime.ts';
import { mountIdmapUnsupported } from './mount-idmap-unsupported.ts';
import { mountRecursiveReadonly } from './mount-recursive-readonly.ts';
import { selinuxUpgradeConflict } from './selinux-upgrade-conflict.ts';
import { volumeFull } from './volume-full.ts';
import { volumeInodesFull } from './volume-inodes-full.ts';
import { volumeRemountedReadonly } from './volume-remounted-readonly.ts';
import { volumeMountDead } from './volume-mount-dead.ts';
import { pvAffinityChanged } from './pv-affinity-changed.ts';
import { registrationRules } from './registration-order.ts';

/**
 * After the volumes are mounted, what the kubelet reported before is over, and a secret may have been deleted since.
 */
function whileUnmounted(rule: Rule): Rule {
  if (rule.on !== 'pod') return rule;
  return { ...rule, explain: (p: PodCase) => (hasMountedVolumes(p.pod) ? undefined : rule.explain(p)) };
}

/** One failure, one finding: a general rule is silent where a more specific one explains the same. */
function unless(specific: readonly Rule[], rule: PodRule): PodRule {
  const isExplained = (p: PodCase): boolean =>
    specific.some((other) => other.on === 'pod' && other.stage === rule.stage && other.explain(p) !== undefined);
  return { ...rule, explain: (p) => (isExplained(p) ? undefined : rule.explain(p)) };
}

/** Volumes that the kubelet mounts without a CSI driver: those that no version can mount any more come first. */
const localRules: readonly Rule[] = [
  intreeRemovedVolume,
  gitrepoDisabled,
  hostpathTypeCheck,
  localPathMissing,
  nfsMountFailed,
  flexvolumeDriverMissing,
];

/** The kubelet and the driver on the node mount the volume into the pod. In the order of judgement. */
export const mountStageRules: readonly Rule[] = [
  ...registrationRules,
  // Once the volumes are mounted, it is mostly the container that fails.
  mountSubpath,
  containerCreateVolumeSlow,
  imageVolumePull,
  mountRecursiveReadonly,
  mountIdmapUnsupported,
  imageVolumeRuntime,
  volumeInodesFull,
  volumeFull,
  volumeRemountedReadonly,
  volumeMountDead,
  emptydirLimitEvicted,
  ephemeralStorageEvicted,
  brokenPluginPod,
  crashingProvisionerPod,
  stoppedProvisionerPod,
  brokenAttacherPod,
  brokenResizerPod,
  brokenSnapshotterPod,
  mountNotStorage,
  mountFsgroupSkipped,
  pvAffinityChanged,
  selinuxUpgradeConflict,
  ...[
    // What the kubelet checks before it calls the driver.
    mountPvcDeleting,
    mountPvcNotBound,
    mountPvClaimrefMismatch,
    mountVolumemodeUsage,
    mountOptionsUnsupported,
    mountSelinuxMultiple,
    mountSelinuxConflict,
    podWaitsBucketaccessSecret,
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
    // What only the kubelet's events show.
    mountSecretKeyMissing,
    mountProjectedFailed,
    mountTokenRequest,
    mountTokenInSecrets,
    mountPluginNotMatched,
    mountFsMismatch,
    mountFsckFailed,
    mountFsgroupFailed,
    unless([mountFsMismatch, ...localRules], mountStageRpc),
    unless([mountFsMismatch, mountTokenInSecrets, ...localRules], mountPublishRpc),
    unless([mountFsMismatch, ...localRules], mountBlockMap),
    unless(localRules, mountInTreeFailed),
    mountRpcTimeout,
    mountRpcPending,
    mountFsgroupSlow,
    // Nothing is wrong now: an error from before the volume was attached.
    mountAttachedSince,
  ].map(whileUnmounted),
  // The deletion of a pod does not finish.
  terminatingOnLostNode,
  podTerminatingUnmountStuck,
  deleteNotStorage,
];
