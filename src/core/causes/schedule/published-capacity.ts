import type { PodCase } from '../../facts/pod/pod-case.ts';
import { requestsOf } from '../../facts/node/node-fit.ts';
import { blames, delayedClaims } from '../../facts/pod/pod-placement.ts';
import { reasonsLike, storageTexts } from '../../facts/pod/scheduling-message.ts';
import type { SchedulingReason } from '../../facts/pod/scheduling-message.ts';
import { viewCapacity } from '../../facts/class/storage-capacity.ts';
import type { CapacityView, StorageCapacity } from '../../facts/class/storage-capacity.ts';
import { atLeast } from '../../kube/version.ts';
import type { Fix } from '../../report/report.ts';
import { patchCommand, steps } from '../lib/steps.ts';

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
  if (nodeTopology === undefined) return 'no topology at all';
  const labels = Object.entries(nodeTopology.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const expressions = (nodeTopology.matchExpressions ?? []).map(({ key, operator, values }) =>
    `${key ?? ''} ${operator ?? ''} ${(values ?? []).join(',')}`.trim(),
  );
  return [...labels, ...expressions].join(' and ') || 'every node';
}

/**
 * Whether the scheduler reports about a pool of storage in the words of an extender. A resource that the pod requests
 * is an ordinary extended resource: a lack of it shows nothing about free space.
 */
export function blamesPool(p: PodCase): boolean {
  if (blames(p, storageTexts.poolSpace) !== true) return false;
  return reasonsLike(p.schedulingMessage, storageTexts.poolSpace).some((reason) => !isRequested(p, reason));
}

/** A reason like `Insufficient example.com/capacity` about a resource that the pod requests. */
export function isRequested(p: PodCase, { text }: SchedulingReason): boolean {
  const resource = /^Insufficient (\S+)$/i.exec(text)?.[1];
  return resource !== undefined && requestsOf(p.pod).has(resource);
}

/** The field can be changed from 1.23 on (ValidateCSIDriverUpdate); on older servers there is no such fix. */
export function ignoreCapacity(p: PodCase, driver: string, text: string): Fix[] {
  if (atLeast(p.ask.graph.serverVersion, 1, 23) === false) return [];
  return [
    steps(
      `${text}: let the scheduler ignore the published capacity of ${driver}. It may then choose a node without enough space.`,
      [patchCommand({ kind: 'CSIDriver', metadata: { name: driver } }, { spec: { storageCapacity: false } })],
    ),
  ];
}
