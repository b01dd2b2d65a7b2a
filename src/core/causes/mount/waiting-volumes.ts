import { lastSeen, messageOf } from '../../graph/events.ts';
import type { KubeEvent, PodVolume, Volume } from '../../kube/kinds.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { hasMountedVolumes } from '../../facts/pod/pod-state.ts';
import type { EventMatch } from '../../graph/events.ts';

/** A volume that a pod waits for, whether it stands in the pod or behind a claim. */
export interface WaitingVolume {
  /** As events name it: the name of the PersistentVolume, or of the volume in the pod. */
  readonly name: string;
  readonly label: string;
  readonly source: PodVolume | NonNullable<Volume['spec']>;
  /** What bears the source. */
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
      label: `volume ${source.name ?? ''}`,
      source,
      owner: pod,
      path: `spec.volumes[${source.name ?? ''}]`,
    }));
  const bound = p.claims.flatMap(({ volume }): WaitingVolume[] =>
    volume?.state === 'found' && volume.object.spec
      ? [
          {
            name: volume.object.metadata.name,
            label: `pv/${volume.object.metadata.name}`,
            source: volume.object.spec,
            owner: volume.object,
            path: 'spec',
          },
        ]
      : [],
  );
  return [...bound, ...inline];
}

const failures = ['FailedMount', 'FailedMapVolume', 'FailedAttachVolume'];

/** What the kubelet says of one volume, newest first. It retries every two minutes, so one that it has not repeated for long is overcome. */
const longestPauseMs = 600_000;

export interface MountFailure extends EventMatch {
  /** The volume it is about, if it is one that the pod has. */
  readonly volume: WaitingVolume | undefined;
}

export function mountFailure(p: PodCase, pattern: RegExp): MountFailure | undefined {
  if (!p.pod.spec?.nodeName || hasMountedVolumes(p.pod)) return undefined;
  const said = p.events.items
    .filter((event) => failures.includes(event.reason ?? ''))
    .sort((a, b) => lastSeen(b) - lastSeen(a));
  const volumes = waitingVolumes(p);
  for (const event of said) {
    const match = pattern.exec(messageOf(event));
    if (!match || isOvercome(event, said)) continue;
    return { event, match, volume: volumes.find(({ name }) => name !== '' && name === volumeIn(event)) };
  }
  return undefined;
}

/** Named by the kubelet, or by the path where it would be mounted: mount(8) knows nothing else. */
function volumeIn(event: KubeEvent): string | undefined {
  const message = messageOf(event);
  return (
    /for volume ["']([^"']+)["']/.exec(message)?.[1] ??
    /\/volumes\/kubernetes\.io~[\w-]+\/([^\s:/]+)/.exec(message)?.[1]
  );
}

/** The kubelet speaks of the same volume otherwise by now. */
function isOvercome(event: KubeEvent, said: readonly KubeEvent[]): boolean {
  const about = volumeIn(event);
  return said.some((other) => volumeIn(other) === about && lastSeen(other) - lastSeen(event) > longestPauseMs);
}
