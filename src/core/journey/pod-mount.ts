import type { Pod } from '../kube/kinds.ts';
import { notApplicable, open, passed, unreached } from './assessment.ts';
import type { Assessment } from './assessment.ts';
import type { PodCase } from '../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../facts/volume/volume-use.ts';
import { parseTime } from '../kube/time.ts';
import { containerStatusesOf, hasMountedVolumes, reasonsBeforeStart } from '../facts/pod/pod-state.ts';

/** A container that does not start although every volume is mounted. */
export interface ContainerTrouble {
  readonly container: string;
  /** The field with the status, for evidence. */
  readonly path: string;
  readonly reason: string;
  readonly message: string;
  /** Set where a volume is at fault all the same. */
  readonly volume: 'subPath' | 'slow' | undefined;
}

/** kubelet_pods.go makeMounts, and the runtime's errors for a subPath that is a file instead of a directory, or the reverse. */
const subPathTexts =
  /failed to (?:prepare|create) subPath|volume-subpaths?\/|failed to (?:create|clean) subpath|subpath\S* .{0,80}(?:not a directory|no such file|read-only file system)/i;
/** The runtime is still working on the first attempt, which has reserved the container's name. */
const slowTexts = /context deadline exceeded|DeadlineExceeded|is reserved for "|container name .{0,300}reserved/i;

export function containerTroubleOf(pod: Pod): ContainerTrouble | undefined {
  const troubles = containerStatusesOf(pod).flatMap((status): ContainerTrouble[] => {
    const { waiting } = status.state ?? {};
    const reason = waiting?.reason ?? '';
    if (status.state?.running || reasonsBeforeStart.includes(reason)) return [];
    const message = waiting?.message ?? status.lastState?.terminated?.message ?? '';
    const list = (pod.status?.initContainerStatuses ?? []).includes(status)
      ? 'initContainerStatuses'
      : 'containerStatuses';
    const name = status.name ?? '';
    const path = `status.${list}[${name}].state.waiting`;
    return [{ container: name, path, reason, message, volume: volumeFaultOf(reason, message) }];
  });
  return troubles.find(({ volume }) => volume !== undefined) ?? troubles[0];
}

function volumeFaultOf(reason: string, message: string): ContainerTrouble['volume'] {
  if (subPathTexts.test(message)) return 'subPath';
  return reason === 'CreateContainerError' && slowTexts.test(message) ? 'slow' : undefined;
}

/** The kubelet has mounted the volumes. For a pod as the target, its containers must have started too. */
export function assessPodMount(p: PodCase, target: 'claim' | 'pod' | 'object'): Assessment {
  const { pod } = p;
  const label = `pod/${pod.metadata.name}`;
  if (!p.isScheduled) return unreached('not scheduled');
  const since = mountableSince(p);
  if (hasMountedVolumes(pod)) {
    const trouble = containerTroubleOf(pod);
    if (trouble && (target === 'pod' || trouble.volume !== undefined))
      return open(
        `mounted for ${label}, whose container ${trouble.container} does not start: ${trouble.reason}`,
        since,
        0,
      );
    const isStarting = pod.status?.phase === 'Pending' && !containerStatusesOf(pod).some(({ state }) => state?.running);
    if (target === 'pod' && isStarting)
      return open(`mounted for ${label}, whose containers have not started yet`, since, 123);
    return passed(`mounted for ${label}`);
  }
  if (pod.status?.phase === 'Failed') return notApplicable('the pod has ended');
  return open(`${label} waits for its volumes`, since, 123);
}

/** The kubelet can mount since the pod is scheduled and its last volume attached: a repair restarts the clock. */
function mountableSince(p: PodCase): string | undefined {
  const scheduled = p.scheduledCondition?.lastTransitionTime ?? p.pod.metadata.creationTimestamp;
  if (hasMountedVolumes(p.pod)) return scheduled;
  const attached = volumeUsesOf(p).flatMap(({ attachment }) =>
    attachment?.state === 'found' && attachment.object.status?.attached === true
      ? (attachment.object.metadata.managedFields ?? []).flatMap(({ time }) => time ?? [])
      : [],
  );
  return [scheduled, ...attached].reduce((latest, time) =>
    (parseTime(time) ?? 0) > (parseTime(latest) ?? 0) ? time : latest,
  );
}

/** A pod's deletionTimestamp is the end of its grace period: until then its containers may still run. */
export function assessPodDelete({ pod }: PodCase): Assessment {
  const { deletionTimestamp, name } = pod.metadata;
  return deletionTimestamp === undefined
    ? notApplicable('not being deleted')
    : open(`pod/${name} is being deleted`, deletionTimestamp, 60);
}
