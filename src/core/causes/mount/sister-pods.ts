import { ownerOf } from '../../facts/driver/driver-pods.ts';
import { field } from '../../facts/evidence.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import { hasMountedVolumes, isTerminated } from '../../facts/pod/pod-state.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import type { FailedMount } from './failed-mount.ts';

/** A pod of the same owner whose volumes are mounted, and the containers that it has and the stuck pod lacks. */
export interface Sister {
  readonly pod: Pod;
  readonly containers: readonly string[];
}

const containersOf = ({ spec }: Pod): string[] =>
  [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].flatMap(({ name }) => (name ? [name] : []));

/** Pods of one owner have the same template: what differs was added, or not, when each was created. */
export function sisterOf({ p: { pod, ask } }: FailedMount): Sister | undefined {
  const owner = ownerOf(pod);
  if (owner === undefined) return undefined;
  const own = containersOf(pod);
  const pods = [...ask.seen('Pod')].sort((a, b) => compareText(a.metadata.name, b.metadata.name));
  for (const other of pods) {
    const isSister =
      other.metadata.uid !== pod.metadata.uid &&
      other.metadata.namespace === pod.metadata.namespace &&
      ownerOf(other)?.name === owner.name &&
      ownerOf(other)?.kind === owner.kind &&
      hasMountedVolumes(other) &&
      !isTerminated(other);
    const containers = isSister ? containersOf(other).filter((name) => !own.includes(name)) : [];
    if (containers.length > 0) return { pod: other, containers };
  }
  return undefined;
}

export function sisterWords(m: FailedMount): string {
  const sister = sisterOf(m);
  return sister
    ? ` pod/${sister.pod.metadata.name} of the same owner has ${listOf(sister.containers)}, and its volumes are mounted.`
    : '';
}

export function sisterEvidence(m: FailedMount): Evidence[] {
  const sister = sisterOf(m);
  if (!sister) return [];
  return [
    field(m.p.pod, 'spec.containers', containersOf(m.p.pod).join(', ')),
    field(sister.pod, 'spec.containers', containersOf(sister.pod).join(', ')),
  ];
}

function listOf(names: readonly string[]): string {
  return `${names.length === 1 ? 'container' : 'containers'} ${names.join(', ')}`;
}
