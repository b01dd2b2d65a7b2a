import type { TraceLink } from '../../report/trace.ts';
import type { RelatedObjects, RelatedVolume } from './related-objects.ts';
import { controllerLinks, driverLink, nodeLinks } from './driver-links.ts';
import { podLinks } from './pod-links.ts';
import { chainOfSnapshot } from './snapshot-links.ts';
import { attachmentLink, claimLink, classLink, volumeLink } from './volume-links.ts';

/** The objects from the pod to the driver, in the order in which each needs the next. */
export function chainOf(related: RelatedObjects): TraceLink[] {
  const { now } = related.ask;
  if (related.snapshot) return chainOfSnapshot(related, related.snapshot, now);
  const pods = new Set([
    ...(related.pod ? [related.pod.pod] : []),
    ...related.volumes.flatMap((volume) => volume.pods.map(({ pod }) => pod)),
  ]);
  const links = podLinks([...pods], countUsers(related));
  return dropRepeated([
    ...(links.length > 0 ? links : noPod(related)),
    ...related.volumes.flatMap((volume) => volumeChain(volume, now)),
  ]);
}

/** All pods that use the claim, of which only some have a link. */
function countUsers({ volumes }: RelatedObjects): number {
  return Math.max(0, ...volumes.map(({ claim }) => claim?.consumers.items.length ?? 0));
}

function noPod({ volumes, ask }: RelatedObjects): TraceLink[] {
  const claim = volumes[0]?.claim;
  if (!claim?.claim) return [];
  return ask.graph.coverage.answers('Pod', { namespace: claim.namespace })
    ? [{ role: 'pod', state: 'pending', summary: 'no pod uses the claim' }]
    : [{ role: 'pod', state: 'unknown', summary: 'which pods use the claim could not be read' }];
}

function volumeChain(related: RelatedVolume, now: number): TraceLink[] {
  const { claim } = related;
  return [
    ...(claim ? [claimLink(claim), ...classLink(claim)] : []),
    ...volumeLink(related),
    ...related.places.flatMap((place) => [...attachmentLink(related, place), ...nodeLinks(place, related.driver, now)]),
    ...driverLink(related),
    ...related.controllers.flatMap((controller) => controllerLinks(controller.role, controller, now)),
  ];
}

/** Two volumes of one pod share their node, and often their driver. */
function dropRepeated(links: readonly TraceLink[]): TraceLink[] {
  const seen = new Set<string>();
  return links.filter((link) => {
    const key = JSON.stringify([link.role, link.object, link.summary]);
    return link.object === undefined || (!seen.has(key) && seen.add(key));
  });
}
