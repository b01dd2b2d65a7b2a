import type { KubeEvent } from '../../kube/kinds.ts';
import { lastSeen, newestMatch } from '../../graph/events.ts';
import type { PodCase } from './pod-case.ts';
import { parseSchedulingMessage } from './scheduling-message.ts';
import type { SchedulingReason } from './scheduling-message.ts';

/** Why the autoscaler adds no node for the pod, where volumes are among the reasons. */
export interface ScaleUpRefusal {
  readonly event: KubeEvent;
  readonly reasons: readonly SchedulingReason[];
}

/**
 * cluster-autoscaler runs the scheduler's filters on a node made from the template of each group, and quotes their
 * messages: `pod didn't trigger scale-up: 1 node(s) had volume node affinity conflict, …`
 * (EventingScaleUpStatusProcessor).
 */
const refusal = /^pod didn't trigger scale-up[^:]*:\s*(.+)$/is;

export function storageRefusalOfScaleUp(p: PodCase): ScaleUpRefusal | undefined {
  const said = newestMatch(p.events.items, 'NotTriggerScaleUp', refusal);
  if (!said) return undefined;
  const added = newestMatch(p.events.items, 'TriggeredScaleUp', /[^]*/);
  if (added && lastSeen(added.event) > lastSeen(said.event)) return undefined;
  const reasons = parseSchedulingMessage(said.match[1] ?? '').reasons.filter(({ isStorage }) => isStorage);
  return reasons.length > 0 ? { event: said.event, reasons } : undefined;
}

/** Whether the autoscaler last reported that it adds a node for the pod. */
export function addsNode(p: PodCase): boolean {
  const added = newestMatch(p.events.items, 'TriggeredScaleUp', /[^]*/);
  const said = newestMatch(p.events.items, 'NotTriggerScaleUp', refusal);
  return added !== undefined && (!said || lastSeen(added.event) > lastSeen(said.event));
}
