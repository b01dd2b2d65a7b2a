import type { PodCase } from '../../facts/pod/pod-case.ts';
import { hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import { lastSeen, messageOf } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import type { KubeEvent, PodVolume, Volume } from '../../kube/kinds.ts';
import { quotedVolumeText, volumeOfPathText } from '../lib/driver-error/sentences/kubelet.ts';

/** A volume that a pod waits for, whether the pod or a PersistentVolume describes it. */
export interface WaitingVolume {
  /** As events name it: the name of the PersistentVolume, or of the volume in the pod. */
  readonly name: string;
  readonly label: string;
  readonly source: PodVolume | NonNullable<Volume['spec']>;
  /** The object that holds the source, and where. */
  readonly owner: Volume | PodCase['pod'];
  readonly path: string;
}

export function waitingVolumes(p: PodCase): WaitingVolume[] {
  const { pod } = p;
  if (!pod.spec?.nodeName || hasMountedVolumes(pod)) return [];
  const inline = (pod.spec.volumes ?? [])
    .filter(({ persistentVolumeClaim, ephemeral }) => !persistentVolumeClaim && !ephemeral)
    .map((source): WaitingVolume => ({
      name: source.name ?? '',
      label: `volume "${source.name ?? ''}"`,
      source,
      owner: pod,
      path: `spec.volumes[${source.name ?? ''}]`,
    }));
  const bound = p.claims.flatMap(({ volume }) => (volume?.state === 'found' ? waitingVolume(volume.object) : []));
  return [...bound, ...inline];
}

function waitingVolume(volume: Volume): WaitingVolume[] {
  const { name } = volume.metadata;
  return volume.spec ? [{ name, label: `pv/${name}`, source: volume.spec, owner: volume, path: 'spec' }] : [];
}

const failureReasons = ['FailedMount', 'FailedMapVolume', 'FailedAttachVolume'];

/** The kubelet retries every two minutes, so a failure that it has not repeated for longer than this is over. */
const longestPauseMs = 600_000;

export interface VolumeFailure extends EventMatch {
  /** The volume it is about, if it is one that the pod has. */
  readonly volume: WaitingVolume | undefined;
}

/** The latest event about a volume of the waiting pod whose message fits. */
export function findVolumeFailure(p: PodCase, pattern: RegExp): VolumeFailure | undefined {
  if (!p.pod.spec?.nodeName || hasMountedVolumes(p.pod)) return undefined;
  const events = p.events.items
    .filter((event) => failureReasons.includes(event.reason ?? ''))
    .sort((a, b) => lastSeen(b) - lastSeen(a));
  const volumes = waitingVolumes(p);
  for (const event of events) {
    const match = pattern.exec(messageOf(event));
    if (!match || isOver(event, events)) continue;
    return { event, match, volume: volumes.find(({ name }) => name !== '' && name === volumeIn(event)) };
  }
  return undefined;
}

/** Named by the kubelet, or else by the mount path, which is all that mount(8) knows. */
function volumeIn(event: KubeEvent): string | undefined {
  const message = messageOf(event);
  return quotedVolumeText.exec(message)?.[1] ?? volumeOfPathText.exec(message)?.[1];
}

/** A much newer event reports something else about the same volume. */
function isOver(event: KubeEvent, events: readonly KubeEvent[]): boolean {
  const about = volumeIn(event);
  return events.some((other) => volumeIn(other) === about && lastSeen(other) - lastSeen(event) > longestPauseMs);
}
