import { ownerOf } from '../../facts/driver/driver-pods.ts';
import type { Pod } from '../../kube/kinds.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { restartPodCommands } from '../lib/pod-change.ts';
import { kubectl, steps } from '../lib/steps.ts';

/** How all pods of a claim are stopped for a while and started again. */
interface Pause {
  readonly stop: readonly string[];
  readonly start: readonly string[];
  /** A sentence about the values that the commands need; empty if they are complete. */
  readonly words: string;
}

const mostOwners = 3;

/**
 * Stops every pod that uses the claim: a controller is scaled to 0 and back, a pod without one is saved and created
 * again.
 */
export function stopAndStart(c: PresentClaim): Pause {
  const pods = firstOfEachOwner(c.consumers.items).slice(0, mostOwners);
  const parts = pods.map((pod) => pauseOf(c.ask, pod));
  const needsWords = pods.length === 0 && !c.isUnused;
  return {
    stop: parts.flatMap(({ stop }) => stop),
    start: parts.flatMap(({ start }) => start),
    words: [
      ...(needsWords ? ['Stop the pods that use the claim first, and start them again at the end.'] : []),
      ...parts.map(({ words }) => words).filter((words) => words !== ''),
    ].join(' '),
  };
}

function firstOfEachOwner(pods: readonly Pod[]): Pod[] {
  const byOwner = new Map<string, Pod>();
  for (const pod of pods) {
    const owner = ownerOf(pod);
    const key = owner ? `${owner.kind}/${owner.name}` : `Pod/${pod.metadata.name}`;
    if (!byOwner.has(key)) byOwner.set(key, pod);
  }
  return [...byOwner.values()];
}

function pauseOf(ask: Inquiry, pod: Pod): Pause {
  const owner = ownerOf(pod);
  if (!owner) {
    const [save = '', remove = '', ...create] = restartPodCommands(pod);
    return { stop: [save, remove], start: create, words: '' };
  }
  const { kind, name } = owner;
  if (kind !== 'Deployment' && kind !== 'StatefulSet')
    return {
      stop: [],
      start: [],
      words: `Stop ${kind.toLowerCase()}/${name}, which owns pod/${pod.metadata.name}, first, and start it again at the end.`,
    };
  const { namespace } = pod.metadata;
  const workload = { kind, metadata: { name, ...(namespace !== undefined && { namespace }) } } as const;
  const replicas = replicasOf(ask, workload);
  return {
    stop: [kubectl('scale', workload, '--replicas=0')],
    start: [kubectl('scale', workload, `--replicas=${replicas ?? 'PLACEHOLDER_REPLICAS'}`)],
    words: replicas === undefined ? `PLACEHOLDER_REPLICAS is the number of pods ${name} has now.` : '',
  };
}

interface Workload {
  readonly kind: 'Deployment' | 'StatefulSet';
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** Where the workload has been read; it is not asked for only to word a fix. */
function replicasOf(ask: Inquiry, { kind, metadata: { namespace, name } }: Workload): number | undefined {
  const found = ask
    .seen(kind)
    .find((workload) => workload.metadata.name === name && workload.metadata.namespace === namespace);
  return found && (found.spec?.replicas ?? 1);
}

/** Restarts pods, so that the kubelet unmounts the volume and mounts it again. */
export function restartPods(pods: readonly Pod[], text: string): Fix {
  return steps(text, pods.slice(0, mostOwners).flatMap(restartPodCommands), 'disruptive');
}
