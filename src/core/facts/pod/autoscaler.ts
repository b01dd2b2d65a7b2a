import type { KubeEvent } from '../../kube/kinds.ts';
import { componentOf, lastSeen, newestMatch } from '../../graph/events.ts';
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

/** Limits of the autoscaler itself, in its own words: another node of a group that fits would be more than it may add. */
export function scaleUpLimit(p: PodCase): { readonly event: KubeEvent; readonly words: string } | undefined {
  const said = newestMatch(p.events.items, 'NotTriggerScaleUp', refusal);
  const words =
    /\d+ (max node group size reached|max cluster \S+ limit reached|in backoff after failed scale-up)/i.exec(
      said?.match[1] ?? '',
    )?.[1];
  return said && words !== undefined && !addsNode(p) ? { event: said.event, words } : undefined;
}

/** A pool of Karpenter that may add no node where the pod needs one. */
export interface KarpenterRefusal {
  readonly event: KubeEvent;
  readonly pool: string;
  readonly key: string;
  readonly wanted: readonly string[];
  readonly allowed: readonly string[];
}

/** `incompatible with nodepool "x", …, key K, K In [a] not in K In [b c]` (scheduling.Requirements.Compatible). */
const karpenterText =
  /incompatible with (?:nodepool|provisioner) "([^"]+)".*?incompatible requirements, key ([^,\s]+), \2 In \[([^\]]*)\] not in \2 In \[([^\]]*)\]/is;

export function karpenterRefusal(p: PodCase): KarpenterRefusal | undefined {
  const said = newestMatch(p.events.items, 'FailedScheduling', karpenterText);
  if (!said || componentOf(said.event) !== 'karpenter') return undefined;
  const [, pool = '', key = '', wanted = '', allowed = ''] = said.match;
  const words = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');
  return { event: said.event, pool, key, wanted: words(wanted), allowed: words(allowed) };
}
