import { eventSaid, field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import type { Explanation } from '../lib/rule.ts';
import type { VolumeFailure, WaitingVolume } from './waiting-volumes.ts';

export function localOf(volume: WaitingVolume | undefined): { readonly path?: string } | undefined {
  const source = volume?.source;
  return source && 'local' in source ? source.local : undefined;
}

/** The path that the volume names, and the kubelet's event: the API does not show what is on the disk of a node. */
export function pathEvidence(
  { pod }: PodCase,
  { volume, event }: VolumeFailure,
  key: 'local' | 'hostPath',
): Explanation['evidence'] {
  const path = (key === 'local' ? localOf(volume) : volume?.source.hostPath)?.path;
  return [
    eventSaid(pod, event),
    ...(volume && path !== undefined ? [field(volume.owner, `${volume.path}.${key}.path`, path)] : []),
  ];
}
