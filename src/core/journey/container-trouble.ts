import type { ContainerStatus, Pod } from '../kube/kinds.ts';
import { brokenTexts, fullTexts, readOnlyTexts } from '../kube/volume-words.ts';
import { isCrashing } from '../facts/pod/pod-health.ts';
import { containerOf, isInVolumeDirectory, mountNamedIn, mountsOf, volumeNamedIn } from '../facts/pod/named-mount.ts';
import { containerStatusesOf, reasonsBeforeStart } from '../facts/pod/pod-state.ts';

/**
 * How a volume can be the problem although every volume is mounted. unclear: the runtime names a volume, or a program
 * that ended reports an I/O error on one, and nothing shows more. mentioned: a program has ended with words that name
 * the path of a volume; whether the volume is the reason is open.
 */
type VolumeFault =
  'subPath' | 'slow' | 'image' | 'idmap' | 'recursiveReadOnly' | 'full' | 'readOnly' | 'unclear' | 'mentioned';

/** A container that does not start, or keeps ending, although every volume is mounted. */
export interface ContainerTrouble {
  readonly container: string;
  /** The field with the status, for evidence. */
  readonly path: string;
  readonly reason: string;
  readonly message: string;
  /** The field with the message. */
  readonly messagePath: string;
  /** Set if a volume is, or may be, the problem nevertheless. */
  readonly volume: VolumeFault | undefined;
  /** The name of that volume in the pod, if the message contains it. */
  readonly volumeName: string | undefined;
  /** The path in the volume, as the message has it. */
  readonly volumePath: string | undefined;
}

/**
 * kubelet_pods.go makeMounts, and the runtime's errors for a subPath that is a file instead of a directory, or the
 * reverse.
 */
const subPathTexts =
  /failed to (?:prepare|create) subPath|volume-subpaths?\/|failed to (?:create|clean) subpath|subpath\S* .{0,80}(?:not a directory|no such file|read-only file system)/i;
/** The runtime is still working on the first attempt, which has reserved the container's name. */
const slowTexts = /context deadline exceeded|DeadlineExceeded|is reserved for "|container name .{0,300}reserved/i;
/** kubelet_pods.go resolveRecursiveReadOnly. */
const recursiveReadOnlyTexts = /recursive read-only/i;
/** crun and runc where mount_setattr(2) refuses MOUNT_ATTR_IDMAP for the file system. */
const idmapTexts = /mount_setattr|idmap(?:ped)? mount|MOUNT_ATTR_IDMAP/i;
const imageReasons: readonly string[] = [
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
  'SignatureValidationFailed',
  'ImageInspectError',
  'RegistryUnavailable',
];

type Fault = Pick<ContainerTrouble, 'volume' | 'volumeName' | 'volumePath'>;
const noFault: Fault = { volume: undefined, volumeName: undefined, volumePath: undefined };

/**
 * The container that keeps the pod from working; one with a volume as its problem comes first. With a clock, containers
 * that are running at the moment and keep ending because of a volume count too.
 */
export function containerTroubleOf(pod: Pod, now?: number): ContainerTrouble | undefined {
  const troubles = containerStatusesOf(pod).flatMap((status) => troubleOf(pod, status, now) ?? []);
  return (
    troubles.find(({ volume }) => volume !== undefined && volume !== 'mentioned') ??
    troubles.find(({ volume }) => volume !== undefined) ??
    troubles[0]
  );
}

function troubleOf(pod: Pod, status: ContainerStatus, now: number | undefined): ContainerTrouble | undefined {
  const { waiting, terminated } = status.state ?? {};
  const name = status.name ?? '';
  const base = `status.${listOf(pod, status)}[${name}]`;
  const reason = waiting?.reason ?? '';
  const isWaiting = waiting !== undefined && !reasonsBeforeStart.includes(reason);
  if (isWaiting && reason !== 'CrashLoopBackOff') {
    const message = waiting.message ?? status.lastState?.terminated?.message ?? '';
    const path = `${base}.state.waiting`;
    const fault = faultBeforeStart(pod, name, reason, message);
    return { container: name, path, reason, message, messagePath: `${path}.message`, ...fault };
  }
  const end = terminated ?? status.lastState?.terminated;
  const endPath = terminated ? `${base}.state.terminated` : `${base}.lastState.terminated`;
  const words = end?.message?.trim() ?? '';
  const fault = (end?.exitCode ?? 0) === 0 ? noFault : faultInLastWords(pod, name, words);
  if (isWaiting)
    return {
      container: name,
      path: `${base}.state.waiting`,
      reason,
      message: words === '' ? (waiting.message ?? '') : words,
      messagePath: words === '' ? `${base}.state.waiting.message` : `${endPath}.message`,
      ...fault,
    };
  // Between two runs, or permanently: only a proven problem of a volume counts.
  const isEnding = terminated !== undefined || (now !== undefined && isCrashing(status, now));
  if (!isEnding || fault.volume === undefined || fault.volume === 'mentioned') return undefined;
  return {
    container: name,
    path: endPath,
    reason: end?.reason ?? 'Error',
    message: words,
    messagePath: `${endPath}.message`,
    ...fault,
  };
}

function listOf({ status }: Pod, container: ContainerStatus): string {
  return (status?.initContainerStatuses ?? []).includes(container) ? 'initContainerStatuses' : 'containerStatuses';
}

/** What the kubelet or the runtime reports of a container that has not started. */
function faultBeforeStart(pod: Pod, container: string, reason: string, message: string): Fault {
  const mounts = mountsOf(pod, container);
  if (imageReasons.includes(reason)) return imageFault(pod, container, message);
  const named = mountNamedIn(message, mounts);
  const place = {
    volumeName: volumeNamedIn(message, pod) ?? named?.mount.name,
    volumePath: named?.path,
  };
  if (recursiveReadOnlyTexts.test(message)) return { ...place, volume: 'recursiveReadOnly' };
  if (subPathTexts.test(message)) return { ...place, volume: 'subPath' };
  if (idmapTexts.test(message)) return { ...place, volume: 'idmap' };
  if (reason === 'CreateContainerError' && slowTexts.test(message)) return { ...place, volume: 'slow' };
  return place.volumeName === undefined && !isInVolumeDirectory(message) ? noFault : { ...place, volume: 'unclear' };
}

/**
 * kuberuntime_manager.go toKubeContainerImageVolumes: an image that is mounted as a volume is pulled like that of a
 * container.
 */
function imageFault(pod: Pod, container: string, message: string): Fault {
  const own = containerOf(pod, container);
  const names = new Set((own?.volumeMounts ?? []).map(({ name }) => name));
  const volume = (pod.spec?.volumes ?? []).find(
    ({ name, image }) =>
      names.has(name) &&
      image?.reference !== undefined &&
      image.reference !== own?.image &&
      message.includes(`"${image.reference}"`),
  );
  return volume ? { volume: 'image', volumeName: volume.name, volumePath: undefined } : noFault;
}

/** What a program wrote before it ended (its termination message). */
function faultInLastWords(pod: Pod, container: string, words: string): Fault {
  if (words === '') return noFault;
  const named = mountNamedIn(words, mountsOf(pod, container));
  const place = { volumeName: named?.mount.name, volumePath: named?.path };
  if (fullTexts.test(words)) return isAtVolume(pod, container, words) ? { ...place, volume: 'full' } : noFault;
  if (readOnlyTexts.test(words)) return isAtVolume(pod, container, words) ? { ...place, volume: 'readOnly' } : noFault;
  if (!named) return noFault;
  return { ...place, volume: brokenTexts.test(words) ? 'unclear' : 'mentioned' };
}

/**
 * The path of a volume, or no path at all while the container has the volume of a claim: a path elsewhere is not in a
 * volume.
 */
function isAtVolume(pod: Pod, container: string, words: string): boolean {
  if (mountNamedIn(words, mountsOf(pod, container))) return true;
  if (/(?:^|[\s"'`(=:])\/[\w.-]/.test(words)) return false;
  return mountsOf(pod, container).some(({ name }) => isOfClaim(pod, name));
}

/** Whether a volume of the pod is that of a claim. */
function isOfClaim({ spec }: Pod, volume: string | undefined): boolean {
  return (spec?.volumes ?? []).some(
    ({ name, persistentVolumeClaim, ephemeral }) =>
      name === volume && (persistentVolumeClaim !== undefined || ephemeral !== undefined),
  );
}
