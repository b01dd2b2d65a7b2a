import type { Fix } from '../../model/report.ts';
import { fix, shellWord } from '../../journey/evidence.ts';
import type { PodCase } from '../../journey/pod-case.ts';
import { volumeUsesOf } from '../../journey/volume-use.ts';
import type { VolumeUse } from '../../journey/volume-use.ts';
import type { MountFailure } from './mount-failure.ts';

/** The volume of the pod that the kubelet speaks of: by the name of its PersistentVolume, or by its name in the pod. */
export function toldVolume(p: PodCase, { volume }: Pick<MountFailure, 'volume'>): VolumeUse | undefined {
  if (volume === undefined) return undefined;
  const uses = volumeUsesOf(p);
  return uses.find((use) => use.volumeName === volume) ?? uses.find((use) => use.name === volume);
}

/** How a volume is called in a sentence: by its claim if it has one. */
export function volumeWords(use: VolumeUse | undefined, failure?: Pick<MountFailure, 'volume'>): string {
  if (use?.claim) return `volume ${use.name} (pvc/${use.claim.name})`;
  const name = use?.name ?? failure?.volume;
  return name === undefined ? 'a volume' : `volume ${name}`;
}

export function podWords(p: PodCase): string {
  return `pod/${p.pod.metadata.name}`;
}

export function nodeOf(p: PodCase): string {
  return p.pod.spec?.nodeName ?? '';
}

/** Where the node side of a driver writes its log: the pods on the node of the pod. */
export function nodeLogsFix(p: PodCase, driver: string | undefined): Fix {
  const node = nodeOf(p);
  return fix(`read the log of ${driver ?? 'the driver'} on ${node}`, `kubectl get pods -A -o wide --field-selector spec.nodeName=${shellWord(node)}`);
}
