import type { BucketAccess, Pod } from '../../kube/kinds.ts';
import type { PodCase } from '../pod/pod-case.ts';
import { secretNamesOf } from './bucket.ts';

/** The Secrets that the volumes of a pod need before it can start. */
export function secretsMountedBy({ spec }: Pod): readonly string[] {
  return (spec?.volumes ?? []).flatMap(({ secret, projected }) => [
    ...(secret && secret.optional !== true ? [secret.secretName ?? ''] : []),
    ...(projected?.sources ?? []).flatMap(({ secret: source }) =>
      source && source.optional !== true ? [source.name ?? ''] : [],
    ),
  ]);
}

/**
 * The accesses in the snapshot that write a Secret which the pod mounts. They are read once a Secret is known to be
 * missing.
 */
export function accessesWaitedFor({ ask, pod }: PodCase): readonly BucketAccess[] {
  const known = ask.seen('BucketAccess');
  if (known.length === 0) return [];
  const secrets = new Set(secretsMountedBy(pod));
  const isKnownMissing = (namespace: string, name: string): boolean =>
    !ask.graph.find('Secret', namespace, name) && ask.graph.coverage.answers('Secret', { namespace, name });
  return known.filter(
    (access) =>
      access.metadata.namespace === pod.metadata.namespace &&
      secretNamesOf(access).some((name) => secrets.has(name) && isKnownMissing(access.metadata.namespace ?? '', name)),
  );
}
