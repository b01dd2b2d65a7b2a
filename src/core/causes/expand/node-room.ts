import { largestVolume } from '../../facts/class/storage-capacity.ts';
import type { StorageCapacity } from '../../facts/class/storage-capacity.ts';
import { isNodeLocal } from '../../facts/volume/volume-reach.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { bytesOf, compareQuantities, formatBytes } from '../../kube/quantity.ts';
import { matchesLabelSelector } from '../../kube/selectors.ts';
import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { onNode } from '../lib/node-commands.ts';
import { steps } from '../lib/steps.ts';
import { resizerOf, retryWords, volumeOf } from './expansion.ts';

/** The only place where the volume can grow, and what the driver reports as free there. */
interface NodeRoom {
  readonly node: string;
  readonly free: StorageCapacity | undefined;
  /** Room of the same class in other places. */
  readonly others: readonly StorageCapacity[];
  /** What the growth needs beyond the present size. */
  readonly needed: bigint;
}

/** A volume that is a part of one node grows only with that node's disks. */
function nodeRoomOf(c: PresentClaim): NodeRoom | undefined {
  const volume = volumeOf(c);
  if (!volume || !isNodeLocal(volume, c.ask.graph.all('Node'))) return undefined;
  const labels = placeOf(volume);
  const [node] = Object.values(labels);
  if (node === undefined) return undefined;
  const published = c.ask
    .list('CSIStorageCapacity', undefined, `how much space ${resizerOf(c).driver ?? 'the driver'} has on ${node}`)
    .items.filter(({ storageClassName }) => storageClassName === volume.spec?.storageClassName);
  const isHere = ({ nodeTopology }: StorageCapacity): boolean =>
    nodeTopology !== undefined && matchesLabelSelector(nodeTopology, labels);
  return {
    node,
    free: published.find(isHere),
    others: published.filter((each) => !isHere(each)),
    needed: bytesOf(c.request) - bytesOf(c.claim.status?.capacity?.['storage']),
  };
}

/** The labels that a node has to have, where only one value of each is possible. */
function placeOf({ spec }: Volume): Record<string, string> {
  const [term, ...others] = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  if (others.length > 0) return {};
  return Object.fromEntries(
    (term?.matchExpressions ?? []).flatMap(({ key, operator, values = [] }) =>
      key !== undefined && operator === 'In' && values.length === 1 ? [[key, values[0] ?? '']] : [],
    ),
  );
}

/** `The volume is on worker-1 …`; undefined where it is not bound to one node. */
export function nodeRoomWords(c: PresentClaim): string | undefined {
  const room = nodeRoomOf(c);
  if (!room) return undefined;
  const { node, free, needed } = room;
  const size = free && largestVolume(free);
  // A capacity that has room says something else than the driver: both are shown, and nothing is concluded.
  if (size === undefined || bytesOf(size) >= needed)
    return `The volume is a part of node ${node}, and has to find ${formatBytes(needed)} more there.`;
  const elsewhere = mostElsewhere(room);
  return (
    `The volume is a part of node ${node}, where ${size} is free for its class, and needs ${formatBytes(needed)} more there.` +
    (elsewhere === undefined ? '' : ` The ${elsewhere} that another node has free do not help: the volume cannot move.`)
  );
}

function mostElsewhere({ others, needed }: NodeRoom): string | undefined {
  const sizes = others.map(largestVolume).filter((size) => size !== undefined && bytesOf(size) >= needed);
  return sizes.sort((a, b) => compareQuantities(b, a))[0];
}

export function nodeRoomEvidence(c: PresentClaim): Evidence[] {
  const room = nodeRoomOf(c);
  const volume = volumeOf(c);
  if (!room || !volume) return [];
  return [
    field(volume, 'spec.nodeAffinity', room.node),
    ...[...(room.free ? [room.free] : []), ...room.others.slice(0, 2)].map((each) =>
      field(each, `capacity on ${Object.values(each.nodeTopology?.matchLabels ?? {}).join(', ')}`, largestVolume(each)),
    ),
  ];
}

export function nodeRoomFixes(c: PresentClaim): Fix[] {
  const room = nodeRoomOf(c);
  if (!room) return [];
  const { node, free, needed } = room;
  const size = free && largestVolume(free);
  const missing = size === undefined ? needed : needed - bytesOf(size);
  const what = missing > 0n ? `at least ${formatBytes(missing)}` : 'space';
  return [
    steps(
      `Add ${what} to the storage of ${resizerOf(c).driver ?? 'the driver'} on node ${node} (a disk for its volume group or pool), or free that much there: no other node counts. ${retryWords(c)} Where it is LVM, these lines do it: PLACEHOLDER_GROUP is the group of this class, in the first line's output, and PLACEHOLDER_DISK the new disk.`,
      [onNode(node, 'vgs'), onNode(node, 'vgextend PLACEHOLDER_GROUP PLACEHOLDER_DISK')],
    ),
  ];
}
