import type { Evidence, Fix } from '../../report/report.ts';
import { field, fix } from '../../facts/evidence.ts';
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
    const fullest = fullestDriver(counted);
    if (!fullest) return isBlamed ? explainUncounted(p, counted[0]) : undefined;
    return explainFull(p, fullest, isBlamed === true);
  },
});

/** A driver whose slots are used up on some nodes. */
interface FullDriver {
  readonly driver: string;
  readonly full: readonly [NodeSlots, ...NodeSlots[]];
  /** All CSINodes and attachments are known. */
  readonly complete: boolean;
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
    summary: `${tellFull(fullDriver, fits.items.length)}, and pod/${p.pod.metadata.name} needs ${full[0].needed} more${rest ? `; ${rest}` : ''}`,
    evidence: fullEvidence(p, fullDriver),
    fix: adviceFor(driver),
  };
}

function whyNotOthers(p: PodCase, others: readonly NodeFit[]): string {
  return tellRefusals(others) || (others.length > 0 ? otherReasonsText(p) : '');
}

function tellFull({ driver, full }: FullDriver, total: number): string {
  const [first] = full;
  const isSame = full.every(({ used, limit }) => used === first.used && limit === first.limit);
  if (!isSame)
    return `the nodes are full of ${driver} volumes: ${nameAll(full.map(({ node, used, limit }) => `${node} holds ${used} of ${limit}`))}`;
  return `${fullNodesText(full, total)} ${first.used} of ${first.limit} ${driver} volumes`;
}

function fullNodesText(full: FullDriver['full'], total: number): string {
  if (full.length === 1) return `node ${full[0].node} holds`;
  if (full.length === total) return `all ${total} nodes hold`;
  return `${nameAll(full.map(({ node }) => node))} hold`;
}

function fullEvidence(p: PodCase, { driver, full: [first, ...rest] }: FullDriver): EvidenceList {
  return [
    slotEvidence(first, driver),
    ...rest.slice(0, mostShown - 1).map((node) => slotEvidence(node, driver)),
    ...schedulerSaid(p),
  ];
}

function slotEvidence({ csiNode, limit, used }: NodeSlots, driver: string): Evidence {
  return field(csiNode, `spec.drivers[${driver}].allocatable.count`, `${limit}; ${used} in use`);
}

/** The scheduler names the limit, and no full node was counted: its own words are all there is. */
function explainUncounted(p: PodCase, slots: DriverSlots | undefined): Explanation | undefined {
  const [said, ...more] = schedulerSaid(p);
  if (!said) return undefined;
  const driver = slots?.driver;
  return {
    confidence: 'likely',
    about: driver ?? aboutPod(p),
    summary: `the nodes that could take pod/${p.pod.metadata.name} hold as many${driver ? ` ${driver}` : ''} volumes as they may`,
    evidence: [
      said,
      ...more,
      ...(slots?.nodes ?? []).slice(0, mostShown).map((node) => slotEvidence(node, slots?.driver ?? '')),
    ],
    fix: adviceFor(driver),
  };
}

function adviceFor(driver: string | undefined): Fix[] {
  const drivers = driver ? `[?(@.name=="${driver.replace(/[^A-Za-z0-9._-]/g, '')}")]` : '[*]';
  return [
    fix(
      'see what holds the slots, and free one by scaling that down, or add a node',
      `kubectl get volumeattachments -o custom-columns='NODE:.spec.nodeName,DRIVER:.spec.attacher,PV:.spec.source.persistentVolumeName,ATTACHED:.status.attached' --sort-by=.spec.nodeName`,
    ),
    fix(
      'check that the limit the driver reports is right, and that no attachment is left over from a volume that is gone',
      `kubectl get csinodes -o jsonpath='{range .items[*]}{.metadata.name}{"\\t"}{.spec.drivers${drivers}.allocatable.count}{"\\n"}{end}'`,
    ),
  ];
}
