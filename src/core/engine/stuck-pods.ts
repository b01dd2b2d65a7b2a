import type { Pod } from '../kube/kinds.ts';
import { claimNamesOf } from '../graph/cluster-graph.ts';
import { conditionOf, hasMountedVolumes, isTerminated } from '../facts/pod/pod-state.ts';
import { isStorageReason } from '../facts/pod/scheduling-message.ts';
import { limitExceeded } from '../journey/pod-attach.ts';
import { containerTroubleOf } from '../journey/container-trouble.ts';

/** A pod with claims that has not started, or one that the scheduler refuses because of storage. */
export function waitsForVolumes(pod: Pod): boolean {
  if (!isStarting(pod)) return false;
  return claimNamesOf(pod).length > 0 || isStorageReason(scheduledMessage(pod) ?? '');
}

/** A pod whose volumes are mounted or refused, and that cannot start because of one of them all the same. */
export function lacksVolumeInUse(pod: Pod): boolean {
  const { phase, reason } = pod.status ?? {};
  if (pod.metadata.deletionTimestamp !== undefined || phase === 'Succeeded') return false;
  if (phase === 'Failed') return reason === limitExceeded;
  return hasMountedVolumes(pod) && containerTroubleOf(pod)?.volume !== undefined;
}

/**
 * A pod without claims that may wait for another kind of volume: a ConfigMap, Secret or projected source, a path of the node, an image,
 * storage named in the pod itself. Nearly every pod has a volume, so that only the diagnosis tells which of them are stuck.
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
