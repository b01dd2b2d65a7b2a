import type { CsiDriver, Pod } from '../../kube/kinds.ts';
import { driverContainerOf } from './driver-pods.ts';
import type { PodSpec } from './driver-pods.ts';

const versionLabel = 'app.kubernetes.io/version';

/** The tag of an image, if it names a version: neither `latest` nor a digest does. */
export function imageVersion(image: string | undefined): string | undefined {
  const [path = ''] = (image ?? '').split('@');
  const tag = /:([^/:]+)$/.exec(path)?.[1];
  return tag === undefined || !/\d/.test(tag) ? undefined : tag;
}

/** The version of the driver in these pods, from the tag of its image or from the label that charts set. */
export function driverVersion(
  specs: readonly (PodSpec | undefined)[],
  pods: readonly Pod[],
  object: CsiDriver | undefined,
): string | undefined {
  const tagged = specs
    .map((spec) => imageVersion(driverContainerOf(spec)?.image))
    .find((version) => version !== undefined);
  return (
    tagged ??
    [...pods, ...(object ? [object] : [])]
      .map(({ metadata }) => metadata.labels?.[versionLabel] ?? metadata.annotations?.[versionLabel])
      .find((label) => label !== undefined && label !== '')
  );
}

/** Every version of the driver that runs in these pods, the most common first. */
export function versionsIn(pods: readonly Pod[]): string[] {
  const counts = new Map<string, number>();
  for (const pod of pods) {
    const version = driverVersion([pod.spec], [pod], undefined);
    if (version !== undefined) counts.set(version, (counts.get(version) ?? 0) + 1);
  }
  return [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1)).map(([version]) => version);
}
