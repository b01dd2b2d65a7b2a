import type { Condition, ContainerStatus, Pod } from '../../kube/kinds.ts';
import { storageTexts } from './scheduling-message.ts';

export function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function containerStatusesOf(pod: Pod): readonly ContainerStatus[] {
  return [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
}

/**
 * Terminated in the sense of all volume code (volumeutil.IsPodTerminated): ended, or being deleted with nothing
 * running.
 */
export function isTerminated(pod: Pod): boolean {
  const phase = pod.status?.phase;
  if (phase === 'Succeeded' || phase === 'Failed') return true;
  return (
    pod.metadata.deletionTimestamp !== undefined &&
    pod.status?.containerStatuses !== undefined &&
    !containerStatusesOf(pod).some((status) => status.state?.running)
  );
}

export function isReady(pod: Pod): boolean {
  return conditionOf(pod.status?.conditions, 'Ready')?.status === 'True';
}

/** Waiting reasons from before the sandbox exists; any other (ImagePullBackOff, CreateContainerError) comes later. */
export const reasonsBeforeStart: readonly string[] = ['ContainerCreating', 'PodInitializing', ''];

function isPastSandbox({ state }: ContainerStatus): boolean {
  return state?.waiting !== undefined && !reasonsBeforeStart.includes(state.waiting.reason ?? '');
}

/**
 * Whether every volume is mounted: the kubelet mounts them all before it creates the sandbox and starts a container.
 */
export function hasMountedVolumes(pod: Pod): boolean {
  const phase = pod.status?.phase;
  const statuses = containerStatusesOf(pod);
  const ready = conditionOf(pod.status?.conditions, 'PodReadyToStartContainers')?.status;
  if (phase === 'Succeeded' || ready === 'True' || statuses.some((status) => status.state?.running)) return true;
  // The sandbox is gone, as after a restart of the node: all volumes have to be mounted again.
  if (ready === 'False' && phase !== 'Failed') return false;
  return (
    phase === 'Running' ||
    statuses.some((status) => status.state?.terminated ?? status.lastState?.terminated ?? isPastSandbox(status))
  );
}

/**
 * Whether the scheduler has filtered single nodes or bound volumes. Then every unbound claim of the pod uses
 * WaitForFirstConsumer, because VolumeBinding rejects others before that (PreFilter, `unbound immediate`).
 */
export function hasPassedVolumePreFilter(pod: Pod): boolean {
  const condition = conditionOf(pod.status?.conditions, 'PodScheduled');
  if (pod.spec?.nodeName || condition?.status !== 'False') return false;
  const message = condition.message ?? '';
  return (
    /^0\/\d+ nodes are available: \d+ |binding volumes: /.test(message) &&
    !storageTexts.unboundImmediate.test(message) &&
    !/persistentvolumeclaim ".*" (?:not found|is being deleted)/i.test(message)
  );
}

/**
 * When the pod last showed that a volume may be needed on the node: a pod there at its end (that of its last container,
 * or of its grace period, in which the kubelet unmounts), and one elsewhere when it was created.
 */
export function lastUseOf(pod: Pod, node: string | undefined): string | undefined {
  if (pod.spec?.nodeName !== node) return pod.metadata.creationTimestamp;
  return [pod.metadata.deletionTimestamp, ...containerStatusesOf(pod).map(({ state }) => state?.terminated?.finishedAt)]
    .filter((time) => time !== undefined)
    .toSorted()
    .at(-1);
}
