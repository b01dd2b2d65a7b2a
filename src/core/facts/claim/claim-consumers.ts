import { compareText } from '../../graph/cluster-graph.ts';
import { lastSeen } from '../../graph/events.ts';
import type { Listing } from '../../graph/inquiry.ts';
import type { Pod } from '../../kube/kinds.ts';
import { isTerminated } from '../pod/pod-state.ts';
import type { ClaimCase } from './claim-case.ts';

/** Pods that use the claim and are not terminated, by name. */
export function findConsumers(c: ClaimCase): Listing<Pod> {
  const { items, complete } = c.isUntouched ? c.ask.pendingPodsUsing(c) : c.ask.podsUsing(c);
  return {
    items: items.filter((pod) => !isTerminated(pod)).sort((a, b) => compareText(a.metadata.name, b.metadata.name)),
    complete,
  };
}

/**
 * No pod uses it, as far as is known. A dump with nodes and without any pod most likely comes from a cluster that has
 * none, unless an event of the volume controller mentions a pod.
 */
export function findUnused(c: ClaimCase): 'certain' | 'likely' | undefined {
  if (c.consumers.items.length > 0) return undefined;
  if (c.consumers.complete) return 'certain';
  const observed = c.ask.graph.coverage.of('Pod', { namespace: c.namespace });
  const isDump =
    observed.state === 'unread' &&
    observed.message !== undefined &&
    c.ask.seen('Pod').length === 0 &&
    c.ask.seen('Node').length > 0;
  if (!isDump) return undefined;
  const said = c.events.items
    .filter(({ reason }) => reason === 'WaitForFirstConsumer' || reason === 'WaitForPodScheduled')
    .sort((a, b) => lastSeen(a) - lastSeen(b))
    .at(-1);
  return said?.reason === 'WaitForPodScheduled' ? undefined : 'likely';
}
