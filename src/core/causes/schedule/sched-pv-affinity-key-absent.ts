import type { Node, Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { nameAll, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { absentKeys, describeReach } from '../../facts/volume/volume-reach.ts';
import type { PlacedVolume } from '../../facts/volume/volume-reach.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { findUnlabeledNode, findUnreachable, keysMissingOn } from './unreachable-volume.ts';

const mostShown = 4;

/** The kubelet sets a driver's topology labels on its node when the driver registers (csi nodeinfomanager); they can get lost. */
export const schedPvAffinityKeyAbsent = podRule({
  cause: 'sched-pv-affinity-key-absent',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    const absent = findAbsentLabels(p);
    if (!absent) return undefined;
    return {
      about: absent.keys.join(','),
      summary: summarize(p, absent),
      evidence: evidenceOf(p, absent),
      fix: adviceFor(absent),
    };
  },
});

interface AbsentLabels extends PlacedVolume {
  readonly keys: readonly [string, ...string[]];
  /** The node that holds the volume, if it exists without the label. */
  readonly unlabeled: Node | undefined;
  readonly nodes: readonly Node[];
}

function findAbsentLabels(p: PodCase): AbsentLabels | undefined {
  const { volumes, nodes } = findUnreachable(p);
  for (const { claim, volume } of volumes) {
    const unlabeled = findUnlabeledNode(volume, nodes);
    const [key, ...more] = unlabeled ? keysMissingOn(volume, unlabeled) : absentKeys(volume, nodes);
    if (key !== undefined) return { claim, volume, keys: [key, ...more], unlabeled, nodes };
  }
  return undefined;
}

function summarize(p: PodCase, { claim, volume, keys, unlabeled }: AbsentLabels): string {
  const where = unlabeled ? `node ${unlabeled.metadata.name}, where it is, has lost it` : 'no node has it';
  return `the volume of pvc/${claim.name} can be used only on nodes with the label ${nameAll(keys)}, and ${where}${registrationText(p, volume)}`;
}

function registrationText(p: PodCase, volume: Volume): string {
  const driver = servingDriver(volume);
  if (!driver) return '';
  const isRegistered = p.ask
    .seen('CSINode')
    .some((csiNode) => csiNode.spec?.drivers?.some(({ name }) => name === driver));
  return isRegistered ? '' : `; driver ${driver}, which brings it, is registered on no node that was read`;
}

function evidenceOf(p: PodCase, { volume, keys: [key], unlabeled, nodes }: AbsentLabels): EvidenceList {
  const shown = unlabeled ? [unlabeled] : nodes.slice(0, mostShown);
  return [
    field(volume, 'spec.nodeAffinity.required', describeReach(volume)),
    ...shown.map((node) => field(node, `metadata.labels[${key}]`, node.metadata.labels?.[key] ?? 'not set')),
    ...schedulerSaid(p),
  ];
}

function adviceFor({ volume, keys }: AbsentLabels): Fix[] {
  const driver = servingDriver(volume);
  return [
    fix(
      driver
        ? `see where ${driver} is registered, and restart its node plugin: the kubelet puts the label back when it registers`
        : `look at the nodes, and put the label ${keys[0]} back on the node that holds the volume`,
      `kubectl get csinodes -o custom-columns='NODE:.metadata.name,DRIVERS:.spec.drivers[*].name,KEYS:.spec.drivers[*].topologyKeys'`,
    ),
    fix(
      'see which of the labels the nodes have',
      `kubectl get nodes ${keys.map((key) => `-L ${shellWord(key)}`).join(' ')}`,
    ),
  ];
}
