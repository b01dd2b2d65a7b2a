import type { PodCase } from '../../facts/pod/pod-case.ts';
import { blames, delayedClaims } from '../../facts/pod/pod-placement.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { viewCapacity } from '../../facts/class/storage-capacity.ts';
import type { CapacityView, StorageCapacity } from '../../facts/class/storage-capacity.ts';

export const mostCapacitiesShown = 5;

/** What is published for the waiting claims of the pod, unless the scheduler gives only other reasons. */
export function suspectedCapacity(p: PodCase): CapacityView[] {
  const blamed = blames(p, storageTexts.freeStorage);
  return p.isScheduled || blamed === false ? [] : publishedCapacity(p, blamed === true);
}

/** `isBlamed`: the scheduler itself reports that there is not enough free storage. */
export function publishedCapacity(p: PodCase, isBlamed: boolean): CapacityView[] {
  return delayedClaims(p)
    .filter((claim) => claim.selectedNode === undefined)
    .flatMap((claim) => viewCapacity(claim, isBlamed) ?? []);
}

export function topologyText({ nodeTopology }: StorageCapacity): string {
  if (nodeTopology === undefined) return 'no node';
  const labels = Object.entries(nodeTopology.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const expressions = (nodeTopology.matchExpressions ?? []).map(({ key, operator, values }) =>
    `${key ?? ''} ${operator ?? ''} ${(values ?? []).join(',')}`.trim(),
  );
  return [...labels, ...expressions].join(' and ') || 'every node';
}
