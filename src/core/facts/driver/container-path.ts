import type { Container, PodVolume } from '../../kube/kinds.ts';
import type { PodSpec } from './driver-pods.ts';

/** A file by the volume that holds it: a file that two containers share has one place and two paths. */
interface PlaceInVolume {
  readonly volume: PodVolume;
  /** The path from the root of the volume; empty, or with a leading slash. */
  readonly below: string;
}

/** Resolves the mounts of the container; undefined when the path is in its image, or in a subPath of a volume. */
export function placeInVolume(
  spec: PodSpec | undefined,
  container: Container,
  path: string,
): PlaceInVolume | undefined {
  const inside = tidyPath(path);
  const mount = (container.volumeMounts ?? [])
    .filter(({ mountPath }) => mountPath && isWithin(inside, tidyPath(mountPath)))
    .sort((a, b) => (b.mountPath?.length ?? 0) - (a.mountPath?.length ?? 0))[0];
  const volume = spec?.volumes?.find(({ name }) => name !== undefined && name === mount?.name);
  if (!mount?.mountPath || volume === undefined || mount.subPathExpr || mount.subPath) return undefined;
  return { volume, below: inside.slice(tidyPath(mount.mountPath).replace(/^\/$/, '').length) };
}

/** The path on the node of a file in a container; undefined when the file is not on the node. */
export function pathOnHost(spec: PodSpec | undefined, container: Container, path: string): string | undefined {
  const place = placeInVolume(spec, container, path);
  const host = place?.volume.hostPath?.path;
  return place === undefined || host === undefined ? undefined : `${tidyPath(host)}${place.below}`;
}

/** The path of the same file in another container. */
export function pathInContainer(container: Container, { volume, below }: PlaceInVolume): string | undefined {
  const mount = container.volumeMounts?.find(
    ({ name, subPath, subPathExpr }) => name !== undefined && name === volume.name && !subPath && !subPathExpr,
  );
  return mount?.mountPath === undefined ? undefined : `${tidyPath(mount.mountPath)}${below}`.replace(/^\/\//, '/');
}

export function tidyPath(path: string): string {
  return path
    .replaceAll('\\', '/')
    .replaceAll(/\/{2,}/g, '/')
    .replace(/(?<=.)\/$/, '');
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}
