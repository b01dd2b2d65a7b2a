import { field, fix } from '../../facts/evidence.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import {
  aboutPod,
  blames,
  nameAll,
  otherReasonsText,
  schedulerSaid,
  tellRefusals,
} from '../../facts/pod/pod-placement.ts';
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { countSlots, driversOf } from '../../facts/volume/volume-slots.ts';
import type { DriverSlots, NodeSlots } from '../../facts/volume/volume-slots.ts';

const mostShown = 8;

/** NodeVolumeLimits: what the driver told the kubelet against what is there, counted in distinct volumes. */
export const schedMaxVolumeCount = podRule({
  cause: 'sched-max-volume-count',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const blamed = blames(p, storageTexts.volumeCount);
    if (p.isScheduled || blamed === false) return undefined;
    const drivers = [...driversOf(p)];
    // Without the scheduler's word the count is not worth a read of all attachments.
    if (blamed === undefined && p.ask.seen('CSINode').length === 0) return undefined;
    const counted = drivers.map(([driver, brought]) => countSlots(p, driver, brought));
    const slots = counted
      .map((candidate) => ({ ...candidate, full: candidate.nodes.filter(isFull) }))
      .sort((a, b) => b.full.length - a.full.length)[0];
    if (!slots || slots.full.length === 0) return blamed ? explainUnread(p, counted[0]) : undefined;
    const fits = fitNodes(p);
    const others = fits.items.filter(({ node }) => !slots.full.some((full) => full.node === node.metadata.name));
    const isProven = slots.complete && fits.complete && others.every(({ refusal }) => refusal);
    if (!isProven && !blamed) return undefined;
    const { driver, full } = slots;
    const rest = tellRefusals(others) || (others.length > 0 ? otherReasonsText(p) : '');
    return {
      confidence: isProven || slots.complete ? 'certain' : 'likely',
      about: driver,
      summary: `${tellFull(full, fits.items.length, driver)}, and pod/${p.pod.metadata.name} needs ${full[0]?.needed ?? 1} more${rest ? `; ${rest}` : ''}`,
      evidence: [
        slotEvidence(full[0] as NodeSlots, driver),
        ...full.slice(1, mostShown).map((node) => slotEvidence(node, driver)),
        ...schedulerSaid(p),
      ],
      fix: fixes(driver),
    };
  },
});

function isFull({ used, needed, limit }: NodeSlots): boolean {
  return needed > 0 && used + needed > limit;
}

function tellFull(full: readonly NodeSlots[], total: number, driver: string): string {
  const [first] = full as readonly [NodeSlots];
  const names = full.map(({ node }) => node);
  const isSame = full.every(({ used, limit }) => used === first.used && limit === first.limit);
  if (!isSame)
    return `the nodes are full of ${driver} volumes: ${nameAll(full.map(({ node, used, limit }) => `${node} holds ${used} of ${limit}`))}`;
  const subject =
    full.length === 1
      ? `node ${first.node} holds`
      : full.length === total
        ? `all ${total} nodes hold`
        : `${nameAll(names)} hold`;
  return `${subject} ${first.used} of ${first.limit} ${driver} volumes`;
}

function slotEvidence({ csiNode, limit, used }: NodeSlots, driver: string): ReturnType<typeof field> {
  return field(csiNode, `spec.drivers[${driver}].allocatable.count`, `${limit}; ${used} in use`);
}

function explainUnread(p: PodCase, slots: DriverSlots | undefined): Explanation | undefined {
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
    fix: fixes(driver),
  };
}

function fixes(driver: string | undefined): Explanation['fix'] {
  return [
    fix(
      'see what holds the slots, and free one by scaling that down, or add a node',
      `kubectl get volumeattachments -o custom-columns='NODE:.spec.nodeName,DRIVER:.spec.attacher,PV:.spec.source.persistentVolumeName,ATTACHED:.status.attached' --sort-by=.spec.nodeName`,
    ),
    fix(
      'check that the limit the driver reports is right, and that no attachment is left over from a volume that is gone',
      `kubectl get csinodes -o jsonpath='{range .items[*]}{.metadata.name}{"\\t"}{.spec.drivers${driver ? `[?(@.name=="${driver.replace(/[^A-Za-z0-9._-]/g, '')}")]` : '[*]'}.allocatable.count}{"\\n"}{end}'`,
    ),
  ];
}
