import type { Node, Volume } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { lists } from '../../facts/driver/node-plugin.ts';
import { field } from '../../facts/evidence.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { nameAll, schedulerSaid } from '../../facts/pod/pod-placement.ts';
import { absentKeys, describeReach } from '../../facts/volume/volume-reach.ts';
import type { PlacedVolume } from '../../facts/volume/volume-reach.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';
import { provisionedByAnnotation } from '../../facts/claim/claim-annotations.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { restoreLabelFixes } from './restore-label.ts';
import { findUnlabeledNode, findUnreachable, keysMissingOn } from './unreachable-volume.ts';

const mostShown = 4;

/**
 * The kubelet sets a driver's topology labels on its node when the driver registers (csi nodeinfomanager); they can get
 * lost.
 */
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
      fix: adviceFor(p, absent),
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
  const other = unlabeled && otherValues(unlabeled, keys);
  if (unlabeled && other)
    return (
      `The volume of pvc/${claim.name} can only be used where ${describeReach(volume)}, and no node has that label. ` +
      `Node ${unlabeled.metadata.name} exists, but it is labelled ${other}.${registrationText(p, volume)}`
    );
  const where = unlabeled ? `${unlabeled.metadata.name}, where it is, does not have it` : 'no node has it';
  return (
    `The volume of pvc/${claim.name} can only be used on nodes with label ${nameAll(keys)}, and ` +
    `${where}.${registrationText(p, volume)}`
  );
}

/** The values that the node has instead, where it has all of the keys. */
function otherValues({ metadata: { labels = {} } }: Node, keys: readonly string[]): string | undefined {
  return keys.every((key) => labels[key] !== undefined)
    ? keys.map((key) => `${key}=${labels[key] ?? ''}`).join(', ')
    : undefined;
}

function registrationText(p: PodCase, volume: Volume): string {
  const driver = servingDriver(volume);
  if (!driver || p.ask.seen('CSINode').length === 0) return '';
  const isRegistered = p.ask.seen('CSINode').some((csiNode) => lists(csiNode, driver));
  return isRegistered ? '' : ` Driver ${driver}, which sets it, is registered on no node.`;
}

function evidenceOf(p: PodCase, { volume, keys: [key], unlabeled, nodes }: AbsentLabels): EvidenceList {
  const shown = unlabeled ? [unlabeled] : nodes.slice(0, mostShown);
  return [
    field(volume, 'spec.nodeAffinity.required', describeReach(volume)),
    ...shown.map((node) => field(node, `metadata.labels[${key}]`, node.metadata.labels?.[key] ?? 'not set')),
    ...schedulerSaid(p),
  ];
}

function adviceFor(p: PodCase, absent: AbsentLabels): Fix[] {
  const { volume, keys, unlabeled } = absent;
  return [
    ...restoreLabelFixes(p, {
      driver: servingDriver(volume),
      labels: keys.map((key) => ({ key, value: valueOf(volume, key) })),
      node: unlabeled?.metadata.name,
      holds: 'holds the volume',
      replaced: unlabeled && otherValues(unlabeled, keys),
    }),
    ...correctProvisioner(absent),
  ];
}

const hostname = 'kubernetes.io/hostname';

/** A provisioner that writes the names of nodes into the volumes, where the label has another value. */
function correctProvisioner({ claim, volume, keys, unlabeled, nodes }: AbsentLabels): Fix[] {
  const value = unlabeled?.metadata.labels?.[hostname];
  const provisioner = volume.metadata.annotations?.[provisionedByAnnotation];
  if (!keys.includes(hostname) || !unlabeled || value === undefined || provisioner === undefined) return [];
  const differing = nodes.filter(({ metadata }) => (metadata.labels?.[hostname] ?? metadata.name) !== metadata.name);
  return [
    steps(
      `Afterwards use a release of ${provisioner} that writes the label of the node, not its name, into its volumes: ` +
        `on ${nameAll(differing.map(({ metadata }) => metadata.name))} the two differ, so that each new volume of ` +
        `StorageClass "${claim.class.name}" gets a place that does not exist.`,
      [],
    ),
  ];
}

/** The value that the volume's affinity wants; several values leave the choice open. */
function valueOf(volume: Volume, key: string): string {
  const values = (volume.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? []).flatMap(({ matchExpressions = [] }) =>
    matchExpressions.flatMap((expression) => (expression.key === key ? (expression.values ?? []) : [])),
  );
  const [value, ...more] = new Set(values);
  return value !== undefined && more.length === 0 ? value : 'PLACEHOLDER_VALUE';
}
