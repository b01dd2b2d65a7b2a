import type { CsiNode, Pod, Volume } from '../../kube/kinds.ts';
import { driverOfInTree, migratedPlugins } from '../../kube/in-tree.ts';
import { claimNamesOf } from '../../graph/cluster-graph.ts';
import type { ClusterGraph } from '../../graph/cluster-graph.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { delayedClaims } from '../pod/pod-placement.ts';
import type { PodCase } from '../pod/pod-case.ts';
import { placedVolumes } from './volume-reach.ts';

/** How many volumes of one driver a node holds, and how many it may hold (NodeVolumeLimits). */
export interface NodeSlots {
  readonly node: string;
  readonly csiNode: CsiNode;
  readonly limit: number;
  readonly used: number;
  /** How many more the pod would add. */
  readonly needed: number;
}

export interface DriverSlots {
  readonly driver: string;
  readonly nodes: readonly NodeSlots[];
  /** All CSINodes and all attachments are known, so that the counts are exact. */
  readonly complete: boolean;
}

/** The CSI driver that serves a volume, also a volume of an in-tree plugin. */
export function servingDriver(volume: Pick<Volume, 'spec'>): string | undefined {
  if (volume.spec?.csi?.driver) return volume.spec.csi.driver;
  return migratedPlugins.find(({ source }) => volume.spec?.[source] !== undefined)?.driver;
}

/** The volumes that the pod adds to a node, by driver: names of volumes, and of claims without one yet. */
export function driversOf(p: PodCase): Map<string, readonly string[]> {
  const drivers = new Map<string, readonly string[]>();
  const add = (driver: string | undefined, name: string): void => {
    if (driver !== undefined) drivers.set(driver, [...(drivers.get(driver) ?? []), name]);
  };
  for (const { volume } of placedVolumes(p)) add(servingDriver(volume), volume.metadata.name);
  for (const claim of delayedClaims(p))
    add(claim.provisioner && (driverOfInTree(claim.provisioner) ?? claim.provisioner), `claim ${claim.name}`);
  return drivers;
}

export function countSlots(p: PodCase, driver: string, brought: readonly string[]): DriverSlots {
  return slotsOfDriver(p.ask, driver, brought);
}

/** The same for any volumes of these names, or without adding any. */
export function slotsOfDriver(ask: Inquiry, driver: string, brought: readonly string[] = []): DriverSlots {
  const csiNodes = ask.list('CSINode', undefined, `how many volumes of ${driver} each node may hold`);
  const attachments = ask.list('VolumeAttachment', undefined, `how many volumes of ${driver} each node holds`);
  const held = heldByNode(ask, driver);
  const nodes = csiNodes.items.flatMap((csiNode): NodeSlots[] => {
    const limit = csiNode.spec?.drivers?.find((entry) => entry.name === driver)?.allocatable?.count;
    if (limit === undefined) return [];
    const volumes = held.get(csiNode.metadata.name) ?? new Set<string>();
    return [
      {
        node: csiNode.metadata.name,
        csiNode,
        limit,
        used: volumes.size,
        needed: brought.filter((name) => !volumes.has(name)).length,
      },
    ];
  });
  return { driver, nodes, complete: csiNodes.complete && attachments.complete };
}

/** The volumes of a driver on each node, counted once for all targets. */
const heldByDriver = new WeakMap<ClusterGraph, Map<string, ReadonlyMap<string, ReadonlySet<string>>>>();

export function heldByNode(ask: Inquiry, driver: string): ReadonlyMap<string, ReadonlySet<string>> {
  const drivers = heldByDriver.get(ask.graph) ?? new Map<string, ReadonlyMap<string, ReadonlySet<string>>>();
  heldByDriver.set(ask.graph, drivers);
  const known = drivers.get(driver) ?? countHeld(ask, driver);
  drivers.set(driver, known);
  return known;
}

/** Attachments, and the volumes of pods in the snapshot: the scheduler counts both. */
function countHeld(ask: Inquiry, driver: string): ReadonlyMap<string, ReadonlySet<string>> {
  const held = new Map<string, Set<string>>();
  const hold = (node: string, volume: string): void => {
    const volumes = held.get(node);
    if (volumes) volumes.add(volume);
    else held.set(node, new Set([volume]));
  };
  for (const { metadata, spec } of ask.seen('VolumeAttachment')) {
    if (spec?.attacher === driver && spec.nodeName)
      hold(spec.nodeName, spec.source?.persistentVolumeName ?? metadata.name);
  }
  for (const pod of ask.seen('Pod'))
    if (pod.spec?.nodeName) for (const volume of volumesOf(ask, pod, driver)) hold(pod.spec.nodeName, volume);
  return held;
}

function volumesOf(ask: Inquiry, pod: Pod, driver: string): string[] {
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return [];
  return claimNamesOf(pod).flatMap((name) => {
    const claim = ask.graph.find('PersistentVolumeClaim', pod.metadata.namespace, name);
    const volume = claim?.spec?.volumeName
      ? ask.graph.find('PersistentVolume', undefined, claim.spec.volumeName)
      : undefined;
    return volume && servingDriver(volume) === driver ? [volume.metadata.name] : [];
  });
}
