import type { PodCase } from '../../facts/pod/pod-case.ts';
import { containerStatusesOf } from '../../facts/pod/pod-state.ts';
import { containerOf } from '../../facts/pod/named-mount.ts';
import type { Container, Node, PodVolume } from '../../kube/kinds.ts';

/** A volume whose content is an OCI image (KEP-4639, GA in 1.36). */
export interface ImageVolume {
  readonly name: string;
  readonly reference: string;
  readonly pullPolicy: string | undefined;
}

export function imageVolumeOf({ name, image }: PodVolume): ImageVolume | undefined {
  return name !== undefined && image?.reference !== undefined
    ? { name, reference: image.reference, pullPolicy: image.pullPolicy }
    : undefined;
}

/** A container that mounts an image volume, with the volume. */
export function imageMounts(p: PodCase): { readonly container: Container; readonly volume: ImageVolume }[] {
  const volumes = (p.pod.spec?.volumes ?? []).flatMap((volume) => imageVolumeOf(volume) ?? []);
  return containerStatusesOf(p.pod).flatMap(({ name }) => {
    const container = containerOf(p.pod, name ?? '');
    const volume = volumes.find((each) => container?.volumeMounts?.some((mount) => mount.name === each.name));
    return container && volume ? [{ container, volume }] : [];
  });
}

/** Why the runtime of a node cannot mount image volumes; undefined where it can, or is not known. */
export function runtimeWithoutImages({ status }: Node): string | undefined {
  const [, runtime = '', major = '', minor = ''] =
    /^([a-z-]+):\/\/v?(\d+)\.(\d+)/.exec(status?.nodeInfo?.containerRuntimeVersion ?? '') ?? [];
  if (runtime === 'docker') return 'cri-dockerd does not offer them';
  if (runtime !== 'containerd') return undefined;
  const isOld = Number(major) < 2 || (Number(major) === 2 && Number(minor) < 1);
  return isOld ? 'containerd offers them from 2.1 on' : undefined;
}
