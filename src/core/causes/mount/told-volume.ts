import type { PodCase } from '../../facts/pod/pod-case.ts';
import { volumeUsesOf } from '../../facts/volume/volume-use.ts';
import type { VolumeUse } from '../../facts/volume/volume-use.ts';
import type { Node } from '../../kube/kinds.ts';
import type { MountFailure } from './mount-failure.ts';

/** The volume of the pod that the kubelet names: by the name of its PersistentVolume, or by its name in the pod. */
export function toldVolume(p: PodCase, { volume }: Pick<MountFailure, 'volume'>): VolumeUse | undefined {
  if (volume === undefined) return undefined;
  const uses = volumeUsesOf(p);
  return uses.find((use) => use.volumeName === volume) ?? uses.find((use) => use.name === volume);
}

/** How a volume is called within a sentence: by its claim if it has one. */
export function volumeWords(use: VolumeUse | undefined, failure?: Pick<MountFailure, 'volume'>): string {
  if (use?.claim) return `the volume of pvc/${use.claim.name}`;
  const name = use?.name ?? failure?.volume;
  return name === undefined ? 'a volume' : `volume "${name}"`;
}

/** The words at the beginning of a sentence; the name of an object (pv/data) stays as it is. */
export function sentenceStart(words: string): string {
  return /^\w+\//.test(words) ? words : words.charAt(0).toUpperCase() + words.slice(1);
}

export function podWords({ pod: { metadata } }: PodCase): string {
  return `pod/${metadata.name}${metadata.namespace === undefined ? '' : ` in namespace ${metadata.namespace}`}`;
}

export function nodeOf(p: PodCase): string {
  return p.pod.spec?.nodeName ?? '';
}

/** The node of the pod, if it was read already. */
export function knownNode(p: PodCase): Node | undefined {
  return p.ask.graph.find('Node', undefined, nodeOf(p));
}
