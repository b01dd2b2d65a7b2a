import type { Node, Volume } from '../../kube/kinds.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { lists } from '../../facts/driver/node-plugin.ts';
import { volumesOfClass } from '../../facts/claim/claimed-volumes.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { delayedClaims } from '../../facts/pod/pod-placement.ts';
import { chooseVolume } from '../../facts/volume/volume-match.ts';
import { placedVolumes, reaches } from '../../facts/volume/volume-reach.ts';
import { driversOf, slotsOfDriver } from '../../facts/volume/volume-slots.ts';
import { matchesTopologyTerms } from '../../kube/selectors.ts';
import { hasRoom, isNear, viewCapacity } from '../../facts/class/storage-capacity.ts';

/** A node for a pod, and the volumes that its delayed claims would take there; undefined for one to be provisioned. */
export interface Placement {
  readonly node: string;
  readonly volumes: readonly { readonly claim: PresentClaim; readonly volume: Volume | undefined }[];
  /** Fitting nodes that lack a driver of the pod: the scheduler may choose one of them as well. */
  readonly without: readonly { readonly node: string; readonly driver: string }[];
}

/** Slots and volumes that pods of this round have taken, which does not show in the objects yet. */
export class Reservations {
  readonly #slots = new Map<string, number>();
  readonly volumes = new Set<string>();

  slots(node: string, driver: string): number {
    return this.#slots.get(`${node}|${driver}`) ?? 0;
  }

  take(node: string, drivers: ReadonlyMap<string, readonly string[]>, placement: Placement): void {
    for (const [driver, names] of drivers)
      this.#slots.set(`${node}|${driver}`, this.slots(node, driver) + names.length);
    for (const { volume } of placement.volumes) if (volume) this.volumes.add(volume.metadata.name);
  }
}

/**
 * A node that takes the pod and all its volumes, preferably one where all its drivers are registered; undefined when
 * none is known.
 */
export function placePod(p: PodCase, reservations: Reservations): Placement | undefined {
  const drivers = driversOf(p);
  for (const volume of p.pod.spec?.volumes ?? [])
    if (volume.csi?.driver && !drivers.has(volume.csi.driver)) drivers.set(volume.csi.driver, []);
  const isRegistered = registrations(p.ask, [...drivers.keys()]);
  const fitting = fitNodes(p)
    .items.filter(({ refusal }) => !refusal)
    .map(({ node }) => node);
  const open = fitting.filter(
    (node) => placedVolumes(p).every(({ volume }) => reaches(volume, node)) && hasSlots(p, node, drivers, reservations),
  );
  const placements = open.flatMap((node) => {
    const volumes = volumesAt(p, node, reservations);
    return volumes ? [{ node: node.metadata.name, volumes }] : [];
  });
  const lacking = (node: string): string | undefined =>
    [...drivers.keys()].find((driver) => isRegistered(node, driver) === false);
  const best = placements.find(({ node }) => lacking(node) === undefined) ?? placements[0];
  if (!best) return undefined;
  const without = placements.flatMap(({ node }) => {
    const driver = lacking(node);
    return driver === undefined ? [] : [{ node, driver }];
  });
  reservations.take(best.node, drivers, { ...best, without });
  return { ...best, without };
}

/**
 * What keeps a pod off a node: its own constraints, the place of its volumes, the volume limit, or the lack of a
 * volume.
 */
export type Obstacle = 'pod' | 'reach' | 'slots' | 'volume';

export interface NodeObstacle {
  readonly node: Node;
  readonly obstacle: Obstacle;
  readonly text: string;
}

/** Why the pod fits on no node, node by node; empty unless all nodes are known. */
export function obstaclesOf(p: PodCase): NodeObstacle[] {
  const drivers = driversOf(p);
  const fits = fitNodes(p);
  if (!fits.complete) return [];
  const nothing = new Reservations();
  return fits.items.flatMap(({ node, refusal }): NodeObstacle[] => {
    if (refusal) return [{ node, obstacle: 'pod', text: refusal.text }];
    const far = placedVolumes(p).find(({ volume }) => !reaches(volume, node));
    if (far)
      return [{ node, obstacle: 'reach', text: `cannot have pv/${far.volume.metadata.name} of pvc/${far.claim.name}` }];
    const full = [...drivers].find(([driver, brought]) => !hasSlots(p, node, new Map([[driver, brought]]), nothing));
    if (full) return [{ node, obstacle: 'slots', text: `holds as many ${full[0]} volumes as it may` }];
    return volumesAt(p, node, nothing) ? [] : [{ node, obstacle: 'volume', text: 'has no volume, and room for none' }];
  });
}

/** Whether a driver is registered on a node; undefined if that is not known. */
function registrations(
  ask: Inquiry,
  drivers: readonly string[],
): (node: string, driver: string) => boolean | undefined {
  if (drivers.length === 0) return () => undefined;
  const { items, complete } = ask.list('CSINode', undefined, `on which nodes ${drivers.join(', ')} is registered`);
  return (node, driver) => {
    const csiNode = items.find(({ metadata }) => metadata.name === node);
    if (csiNode) return lists(csiNode, driver);
    return complete ? false : undefined;
  };
}

function hasSlots(
  p: PodCase,
  node: Node,
  drivers: ReadonlyMap<string, readonly string[]>,
  reservations: Reservations,
): boolean {
  return [...drivers].every(([driver, brought]) => {
    const slots = slotsOfDriver(p.ask, driver, brought).nodes.find((entry) => entry.node === node.metadata.name);
    return !slots || slots.used + slots.needed + reservations.slots(node.metadata.name, driver) <= slots.limit;
  });
}

/**
 * What each delayed claim would get on the node: an existing volume, or one to be provisioned; undefined when one would
 * get neither.
 */
export function volumesAt(p: PodCase, node: Node, reservations: Reservations): Placement['volumes'] | undefined {
  const taken = new Set(reservations.volumes);
  const volumes: { readonly claim: PresentClaim; readonly volume: Volume | undefined }[] = [];
  for (const claim of delayedClaims(p)) {
    // Where volumes are provisioned on demand, free ones are rare: not worth a read of all volumes.
    if (claim.provisioner === undefined)
      claim.ask.list('PersistentVolume', undefined, `whether a volume of class ${claim.class.name} is free`);
    const volume = chooseVolume(
      volumesOfClass(claim.ask, claim.class.name),
      claim.claim,
      { by: 'scheduler', node },
      { taken },
    );
    if (volume) taken.add(volume.metadata.name);
    else if (claim.provisioner === undefined || !canBeProvisioned(claim, node)) return undefined;
    volumes.push({ claim, volume });
  }
  return volumes;
}

export function canBeProvisioned(claim: PresentClaim, node: Node): boolean {
  const terms = claim.storageClassObject?.allowedTopologies ?? [];
  if (terms.length > 0 && !matchesTopologyTerms(terms, node.metadata.labels ?? {})) return false;
  const view = viewCapacity(claim, false);
  return (
    !view ||
    view.coverage !== 'complete' ||
    view.published.some((capacity) => hasRoom(capacity, claim) && isNear(capacity, node))
  );
}
