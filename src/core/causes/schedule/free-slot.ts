import { fitNodes } from '../../facts/node/node-fit.ts';
import type { NodeFit } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { holdersOnNode } from '../../facts/volume/slot-holders.ts';
import type { SlotHolder } from '../../facts/volume/slot-holders.ts';
import { describeReach, isNodeLocal, placedVolumes, reaches } from '../../facts/volume/volume-reach.ts';
import { heldByNode } from '../../facts/volume/volume-slots.ts';
import type { NodeSlots } from '../../facts/volume/volume-slots.ts';
import type { Attachment, Node, Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { stopPodFix } from '../lib/pod-change.ts';
import { kubectl, saveCommand, steps } from '../lib/steps.ts';
import { openNodeFixes } from './open-node.ts';

const mostNodesRead = 3;

/** A driver whose slots are used up on some nodes. */
export interface FullDriver {
  readonly driver: string;
  readonly full: readonly [NodeSlots, ...NodeSlots[]];
  /** All CSINodes and attachments are known. */
  readonly complete: boolean;
}

/** What makes room for one more volume, the least disruptive way first. */
export function freeSlotFixes(p: PodCase, { driver, full }: FullDriver, others: readonly NodeFit[]): Fix[] {
  const placed = placedVolumes(p).map(({ volume }) => volume);
  const isUsable = (node: Node): boolean => placed.every((volume) => reaches(volume, node));
  const nodes = full.map(({ node }) => node);
  const allNodes = fitNodes(p).items.map(({ node }) => node);
  const opened = openNodeFixes(
    p,
    others.filter(({ node }) => isUsable(node)),
  ).slice(0, 1);
  const leftOver = findLeftOver(p, driver, nodes);
  const holder = findHolder(p, driver, nodes);
  const pinned = placed.find((volume) => volume.spec?.nodeAffinity?.required !== undefined);
  const canGrow = !pinned || !isNodeLocal(pinned, allNodes);
  return [
    ...(leftOver ? [removeLeftOver(p, leftOver)] : []),
    ...opened,
    ...(canGrow ? [addNodeFix(p, driver, pinned)] : []),
    holder ? stopHolder(p, holder, canGrow) : listHolders(),
  ];
}

export function addNodeFix({ pod }: PodCase, driver: string | undefined, pinned: Volume | undefined): Fix {
  const place = pinned ? ` with ${describeReach(pinned)}` : '';
  return steps(
    `Add a node${place}: a new node has all its volume slots free. ` +
      `pod/${pod.metadata.name} is scheduled once it is ` +
      `Ready${driver === undefined ? '' : ` and ${driver} is registered on it`}.`,
    [],
  );
}

/** Which pod can do without its volume only a person knows. */
export function listHolders(): Fix {
  return steps(
    'Free a slot: choose a volume of the driver that is not needed now, and scale down what uses it. ' +
      'Its slot is free once it is detached, usually within a minute.',
    [
      'kubectl get volumeattachments -o ' +
        `custom-columns='NODE:.spec.nodeName,DRIVER:.spec.attacher,PV:.spec.source.persistentVolumeName,ATTACHED:.status.attached' ` +
        '--sort-by=.spec.nodeName',
    ],
  );
}

/** Pods whose volumes take the slots of the first full node where one is found. */
function findHolder(p: PodCase, driver: string, nodes: readonly string[]): SlotHolder | undefined {
  const held = heldByNode(p.ask, driver);
  // The pods of one node are one list: those of all full nodes could be most of a cluster.
  for (const node of nodes.filter((name) => held.has(name)).slice(0, mostNodesRead)) {
    const [holder] = holdersOnNode(p.ask, node, (volume) => held.get(node)?.has(volume) === true);
    if (holder) return holder;
  }
  return undefined;
}

function stopHolder({ pod }: PodCase, { pod: holder, claim, node }: SlotHolder, isAlternative: boolean): Fix {
  return stopPodFix(
    holder,
    (what) =>
      `${isAlternative ? 'Or free' : 'Free'} a slot on ${node}, if pod/${pod.metadata.name} matters more: ` +
      `${what}. It uses pvc/${claim} in namespace ${holder.metadata.namespace ?? ''}; ` +
      'the slot is free once that volume is detached, usually within a minute.',
  );
}

/** An attachment whose volume is known not to exist: it only takes a slot. */
function findLeftOver(p: PodCase, driver: string, nodes: readonly string[]): Attachment | undefined {
  if (!p.ask.graph.coverage.isWhole('PersistentVolume')) return undefined;
  return p.ask.seen('VolumeAttachment').find(({ spec, status, metadata }) => {
    const volume = spec?.source?.persistentVolumeName;
    return (
      spec?.attacher === driver &&
      nodes.includes(spec.nodeName ?? '') &&
      volume !== undefined &&
      !p.ask.graph.find('PersistentVolume', undefined, volume) &&
      // Only one that is not attached and that no controller holds can go without harm.
      status?.attached !== true &&
      (metadata.finalizers ?? []).length === 0
    );
  });
}

function removeLeftOver({ pod }: PodCase, attachment: Attachment): Fix {
  const { nodeName = '', source } = attachment.spec ?? {};
  return steps(
    `Delete the VolumeAttachment that is left over on ${nodeName}: ` +
      `pv/${source?.persistentVolumeName ?? ''} does not exist, and it is not attached. ` +
      `The slot is free at once, and pod/${pod.metadata.name} is then scheduled.`,
    [saveCommand(attachment), kubectl('delete', attachment)],
  );
}
