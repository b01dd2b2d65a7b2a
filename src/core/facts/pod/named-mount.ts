import type { Container, Pod } from '../../kube/kinds.ts';

export type VolumeMount = NonNullable<Container['volumeMounts']>[number];

/** A mount of a container whose path a text contains. */
export interface NamedMount {
  readonly mount: VolumeMount;
  /** The path as the text has it, which may lead further down. */
  readonly path: string;
}

export function containerOf({ spec }: Pod, name: string): Container | undefined {
  return [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].find((container) => container.name === name);
}

export function mountsOf(pod: Pod, container: string): readonly VolumeMount[] {
  return containerOf(pod, container)?.volumeMounts ?? [];
}

/** The mount that a text of the container or its runtime names by path: of nested mounts the deepest. */
export function mountNamedIn(text: string, mounts: readonly VolumeMount[]): NamedMount | undefined {
  let found: NamedMount | undefined;
  for (const mount of mounts) {
    const path = (mount.mountPath ?? '').replace(/\/+$/, '');
    const whole = path.length > (found?.mount.mountPath ?? '').length ? pathIn(text, path) : undefined;
    if (whole !== undefined) found = { mount, path: whole };
  }
  return found;
}

/**
 * The whole path in the text that begins with this one; `/data` is neither in `registry.example/data` nor in
 * `/database`.
 */
function pathIn(text: string, path: string): string | undefined {
  if (!path.startsWith('/')) return undefined;
  for (let at = text.indexOf(path); at >= 0; at = text.indexOf(path, at + 1)) {
    const before = at === 0 ? '' : text.charAt(at - 1);
    const after = text.slice(at + path.length, at + path.length + 2);
    if (/[\w./~-]/.test(before) || /^(?:[\w-]|\.\w)/.test(after)) continue;
    return path + (/^\/[^\s"'`:;,)\]}]*/.exec(text.slice(at + path.length, at + path.length + 300))?.[0] ?? '');
  }
  return undefined;
}

/**
 * The volume of the pod that a text of the kubelet or the runtime names, by its name in the pod or by the kubelet's
 * directory.
 */
export function volumeNamedIn(text: string, { spec }: Pod): string | undefined {
  const volumes = spec?.volumes ?? [];
  const named = volumes.flatMap(({ name }) => (name !== undefined && isNamed(text, name) ? [name] : []))[0];
  if (named !== undefined || !isInVolumeDirectory(text)) return named;
  const ofClaims = volumes.filter((volume) => volume.persistentVolumeClaim ?? volume.ephemeral);
  return ofClaims.length === 1 ? ofClaims[0]?.name : undefined;
}

/**
 * The kubelet's directory of a volume, which for the volume of a claim has the name of its PersistentVolume (kubelet
 * getters.go GetPodVolumeDir).
 */
export function isInVolumeDirectory(text: string): boolean {
  return /\/kubernetes\.io~[\w.-]+\//.test(text);
}

function isNamed(text: string, name: string): boolean {
  return (
    text.includes(`volume "${name}"`) ||
    text.includes(`volumeMount "${name}"`) ||
    text.includes(`volume '${name}'`) ||
    (isInVolumeDirectory(text) && text.includes(`/${name}`))
  );
}
