import type { Evidence } from '../../report/report.ts';
import { lists } from '../../facts/driver/node-plugin.ts';
import { field } from '../../facts/evidence.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { NodeFit } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import {
  aboutPod,
  blames,
  nameAll,
  otherReasonsText,
  schedulerSaid,
  tellRefusals,
} from '../../facts/pod/pod-placement.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { countSlots, driversOf } from '../../facts/volume/volume-slots.ts';
import type { DriverSlots, NodeSlots } from '../../facts/volume/volume-slots.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';
import { addNodeFix, listHolders, freeSlotFixes } from './free-slot.ts';
import type { FullDriver } from './free-slot.ts';
import { claimsText, oversizedBy, shrinkPodFixes } from './too-many-volumes.ts';
import type { OversizedPod } from './too-many-volumes.ts';

const mostShown = 8;

/** NodeVolumeLimits: the limit that the driver reports to the kubelet against the distinct volumes on the node. */
export const schedMaxVolumeCount = podRule({
  cause: 'sched-max-volume-count',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const isBlamed = blames(p, storageTexts.volumeCount);
    if (p.isScheduled || isBlamed === false) return undefined;
    const drivers = [...driversOf(p)];
    // Reading all attachments is not worth it without the scheduler's word.
    if (isBlamed === undefined && p.ask.seen('CSINode').length === 0) return undefined;
    const counted = drivers.map(([driver, brought]) => countSlots(p, driver, brought));
    const oversized = drivers.flatMap(([, { length }], index) => {
      const slots = counted[index];
      return slots ? (oversizedBy(p, slots, length) ?? []) : [];
    })[0];
    if (oversized) return explainOversized(p, oversized, isBlamed === true);
    const fullest = fullestDriver(counted);
    if (!fullest) return isBlamed ? explainUncounted(p, counted[0]) : undefined;
    return explainFull(p, fullest, isBlamed === true);
  },
});

/** No slot that is freed and no node that is added helps such a pod. */
function explainOversized(p: PodCase, oversized: OversizedPod, isBlamed: boolean): Explanation | undefined {
  const { driver, own, most } = oversized;
  const { name } = p.pod.metadata;
  const limits = p.ask
    .seen('CSINode')
    .filter((csiNode) => lists(csiNode, driver))
    .slice(0, mostShown);
  const isComplete = p.ask.list('CSINode', undefined, `how many volumes of ${driver} each node may hold`).complete;
  // A node whose limit is not known could take the pod.
  if (!isComplete && !isBlamed) return undefined;
  return {
    confidence: isComplete ? 'certain' : 'likely',
    about: aboutPod(p),
    summary:
      `pod/${name} uses ${own} volumes of ${driver}, and a node may hold at most ${most}: ` +
      'the pod alone exceeds the limit, so it fits on no node, not even on an empty one.',
    evidence: [
      field(p.pod, 'spec.volumes', claimsText(p, oversized)),
      ...limits.map((csiNode) =>
        field(
          csiNode,
          `spec.drivers[${driver}].allocatable.count`,
          String(csiNode.spec?.drivers?.find((entry) => entry.name === driver)?.allocatable?.count ?? 'not set'),
        ),
      ),
      ...schedulerSaid(p),
    ],
    fix: shrinkPodFixes(p, oversized),
  };
}

/** The driver that is full on most nodes. */
function fullestDriver(counted: readonly DriverSlots[]): FullDriver | undefined {
  const candidates = counted.flatMap(({ driver, nodes, complete }): FullDriver[] => {
    const [first, ...rest] = nodes.filter(isFull);
    return first ? [{ driver, full: [first, ...rest], complete }] : [];
  });
  return candidates.sort((a, b) => b.full.length - a.full.length)[0];
}

function isFull({ used, needed, limit }: NodeSlots): boolean {
  return needed > 0 && used + needed > limit;
}

function explainFull(p: PodCase, fullDriver: FullDriver, isBlamed: boolean): Explanation | undefined {
  const { driver, full, complete } = fullDriver;
  const fits = fitNodes(p);
  const others = fits.items.filter(({ node }) => !full.some((slots) => slots.node === node.metadata.name));
  const isProven = complete && fits.complete && others.every(({ refusal }) => refusal);
  if (!isProven && !isBlamed) return undefined;
  const rest = whyNotOthers(p, others);
  return {
    confidence: complete ? 'certain' : 'likely',
    about: driver,
    summary:
      `${tellFull(fullDriver, fits.items.length)}, and pod/${p.pod.metadata.name} needs ${full[0].needed} ` +
      `more.${rest ? ` ${rest}.` : ''}`,
    evidence: fullEvidence(p, fullDriver),
    fix: freeSlotFixes(p, fullDriver, others),
  };
}

function whyNotOthers(p: PodCase, others: readonly NodeFit[]): string {
  const told = tellRefusals(others);
  if (told !== '') return told;
  const words = others.length > 0 ? otherReasonsText(p) : '';
  return words === '' ? '' : `The scheduler rejects the other nodes, too ("${words}")`;
}

function tellFull({ driver, full }: FullDriver, total: number): string {
  const [first] = full;
  const isSame = full.every(({ used, limit }) => used === first.used && limit === first.limit);
  if (!isSame)
    return `The volume slots of ${driver} are used up: ${nameAll(full.map(({ node, used, limit }) => `${used} of ${limit} on ${node}`))}`;
  return `${first.used} of ${first.limit} volume slots of ${driver} are used on ${fullNodesText(full, total)}`;
}

function fullNodesText(full: FullDriver['full'], total: number): string {
  if (full.length > 1 && full.length === total) return `each of ${total} nodes`;
  return nameAll(full.map(({ node }) => node));
}

function fullEvidence(p: PodCase, { driver, full: [first, ...rest], complete }: FullDriver): EvidenceList {
  return [
    slotEvidence(first, driver, complete),
    ...rest.slice(0, mostShown - 1).map((node) => slotEvidence(node, driver, complete)),
    ...schedulerSaid(p),
  ];
}

function slotEvidence({ csiNode, limit, used }: NodeSlots, driver: string, complete: boolean): Evidence {
  const inUse = complete || used > 0 ? `; ${complete ? '' : 'at least '}${used} in use` : '';
  return field(csiNode, `spec.drivers[${driver}].allocatable.count`, `${limit}${inUse}`);
}

/** The scheduler names the limit, and no full node was counted: its own words are all there is. */
function explainUncounted(p: PodCase, slots: DriverSlots | undefined): Explanation | undefined {
  const [said, ...more] = schedulerSaid(p);
  if (!said) return undefined;
  const driver = slots?.driver;
  return {
    confidence: 'likely',
    about: driver ?? aboutPod(p),
    summary:
      `The nodes that could take pod/${p.pod.metadata.name} have no free volume ` +
      `slot${driver ? ` of ${driver}` : ''}, the scheduler reports.`,
    evidence: [
      said,
      ...more,
      ...(slots?.nodes ?? [])
        .slice(0, mostShown)
        .map((node) => slotEvidence(node, slots?.driver ?? '', slots?.complete === true)),
    ],
    fix: [addNodeFix(p, driver, undefined), listHolders()],
  };
}
