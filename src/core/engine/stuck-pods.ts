import type { Pod } from '../kube/kinds.ts';
import { claimNamesOf } from '../graph/cluster-graph.ts';
import { brokenContainerOf } from '../facts/driver/own-pod.ts';
import { storageEvictionOf } from '../facts/pod/eviction.ts';
import { containerOf } from '../facts/pod/named-mount.ts';
import { conditionOf, hasMountedVolumes, isTerminated } from '../facts/pod/pod-state.ts';
import { isStorageReason } from '../facts/pod/scheduling-message.ts';
import { limitExceeded } from '../journey/pod-attach.ts';
import { containerTroubleOf } from '../journey/container-trouble.ts';

/** A pod with claims that has not started, or one that the scheduler refuses because of storage. */
export function waitsForVolumes(pod: Pod): boolean {
  if (!isStarting(pod)) return false;
  return claimNamesOf(pod).length > 0 || isStorageReason(scheduledMessage(pod) ?? '');
}

/** A pod that one of its volumes keeps from running although they are mounted, or that was ended because of storage. */
export function lacksVolumeInUse(pod: Pod, now: number): boolean {
  const { phase, reason } = pod.status ?? {};
  if (isLeavingOrDone(pod)) return false;
  if (phase === 'Failed' && (reason === limitExceeded || (storageEvictionOf(pod) && !isReplaced(pod)))) return true;
  return hasMountedVolumes(pod) && containerTroubleOf(pod, now)?.volume !== undefined;
}

/** A driver that crashes waits for no volume, but volumes wait for it. */
export function isBrokenDriver(pod: Pod, now: number): boolean {
  return !isLeavingOrDone(pod) && hasMountedVolumes(pod) && brokenContainerOf(pod, now) !== undefined;
}

/**
 * A container that fails and mounts an image volume: only the runtime of its node shows whether the volume is the
 * reason.
 */
export function mayLackImageVolume(pod: Pod, now: number): boolean {
  const images = new Set((pod.spec?.volumes ?? []).flatMap(({ name, image }) => (image ? [name] : [])));
  if (images.size === 0 || isLeavingOrDone(pod) || !hasMountedVolumes(pod)) return false;
  const trouble = containerTroubleOf(pod, now);
  if (!trouble || trouble.volume !== undefined) return false;
  return (containerOf(pod, trouble.container)?.volumeMounts ?? []).some(({ name }) => images.has(name));
}

/** Its controller has created another pod: what is left of an eviction is history, and is judged only by name. */
function isReplaced({ metadata }: Pod): boolean {
  return metadata.ownerReferences?.some(({ controller }) => controller === true) === true;
}

function isLeavingOrDone({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined || status?.phase === 'Succeeded';
}

/**
 * A pod without claims that may wait for another kind of volume: a ConfigMap, Secret or projected source, a path of the
 * node, an image, storage named in the pod's own spec. Nearly every pod has a volume, so only the diagnosis shows which
 * of them are stuck.
 */
export function mayLackVolumes(pod: Pod): boolean {
  if (!isStarting(pod)) return false;
  if (pod.spec?.nodeName) return (pod.spec.volumes ?? []).length > 0;
  // A scheduler that has given its reason has named no storage; one that is silent may not run at all.
  return scheduledMessage(pod) === undefined;
}

function isStarting(pod: Pod): boolean {
  return !isTerminated(pod) && pod.metadata.deletionTimestamp === undefined && !hasMountedVolumes(pod);
}

function scheduledMessage(pod: Pod): string | undefined {
  return conditionOf(pod.status?.conditions, 'PodScheduled')?.message;
}
