import type { Node, Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { NodeFit, NodeFits } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import {
  aboutPod,
  blames,
  nameNodes,
  otherReasonsText,
  refusalEvidence,
  schedulerSaid,
  tellRefusals,
} from '../../facts/pod/pod-placement.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { describeReach, isNodeLocal, placedVolumes, zoneLabelsOf } from '../../facts/volume/volume-reach.ts';
import type { PlacedVolume } from '../../facts/volume/volume-reach.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';
import { addNodeThere, autoscalerSaid, karpenterText } from './add-node.ts';
import { moveVolumeFixes } from './move-volume.ts';
import { openNodeFixes } from './open-node.ts';
import { reasonFixes } from './reason-fixes.ts';
import { explainUnreadPlace } from './unread-place.ts';

/** What ties a volume to a place: its node affinity, or its zone labels. */
export interface PlaceConstraint {
  /** How the scheduler words the refusal. */
  readonly pattern: RegExp;
  isPlaced(volume: Volume): boolean;
  fits(volume: Volume, node: Node): boolean;
  evidence(volume: Volume): Evidence;
  describe(volume: Volume): string;
  /** The labels by which nodes are compared with the volume. */
  keys(volume: Volume): readonly string[];
  /** A correction of the volume itself, if that is what is wrong. */
  correct?(volume: Volume, nodes: readonly Node[]): readonly Fix[];
}

/** A volume of the pod that is tied to a place, and the nodes there. */
interface TiedVolume extends PlacedVolume {
  readonly inside: readonly NodeFit[];
}

export function explainPlace(p: PodCase, constraint: PlaceConstraint): Explanation | undefined {
  const blamed = blames(p, constraint.pattern);
  if (p.isScheduled || blamed === false) return undefined;
  const placed = placedVolumes(p).filter(({ volume }) => constraint.isPlaced(volume));
  const nodes = placed.length > 0 ? fitNodes(p) : { items: [], complete: false };
  const worst = mostConfined(placed, nodes, constraint);
  const isProven = worst !== undefined && nodes.complete && nodes.items.length > 0 && countOpen(worst.inside) === 0;
  if (!isProven && blamed === undefined) return undefined;
  if (!worst || nodes.items.length === 0) return explainUnreadPlace(p, placed[0], constraint);
  // What rejects the pod on the nodes where the volume can be used is another cause of volumes, with better advice.
  const hasOther = [storageTexts.volumeCount, storageTexts.zone].some(
    (pattern) => pattern !== constraint.pattern && blames(p, pattern) === true,
  );
  if (countOpen(worst.inside) > 0 && hasOther) return undefined;
  const outside = nodes.items.filter((fit) => !fit.refusal && !worst.inside.includes(fit));
  const isSplit = nodes.complete && worst.inside.length < nodes.items.length;
  return {
    confidence: isProven || isSplit ? 'certain' : 'likely',
    about: aboutPod(p),
    summary: `${whyNowhere(p, worst, constraint)}${elsewhereText(p, worst, outside, constraint)}${karpenterText(p)}`,
    evidence: evidenceOf(p, worst, outside, constraint),
    fix: adviceFor(p, worst, outside, nodes, constraint),
  };
}

function elsewhereText(
  { pod }: PodCase,
  { volume }: TiedVolume,
  outside: readonly NodeFit[],
  constraint: PlaceConstraint,
): string {
  if (outside.length === 0) return '';
  // A driver reports an empty value for a machine that is in no zone.
  const empty = constraint.keys(volume).find((key) => outside.every(({ node }) => node.metadata.labels?.[key] === ''));
  const where =
    empty === undefined
      ? 'but the volume cannot be used there'
      : `but ${outside.length > 1 ? 'they are' : 'it is'} in no zone (label ${empty} is empty)`;
  return ` ${nameNodes(outside)} could take pod/${pod.metadata.name}, ${where}.`;
}

/** The volume with the fewest nodes that are open to the pod, then with the fewest nodes at all. */
function mostConfined(
  placed: readonly PlacedVolume[],
  nodes: NodeFits,
  constraint: PlaceConstraint,
): TiedVolume | undefined {
  return placed
    .map((member) => ({ ...member, inside: nodes.items.filter(({ node }) => constraint.fits(member.volume, node)) }))
    .sort((a, b) => countOpen(a.inside) - countOpen(b.inside) || a.inside.length - b.inside.length)[0];
}

/** How many of the nodes no constraint of the pod itself is known to exclude. */
function countOpen(fits: readonly NodeFit[]): number {
  return fits.filter(({ refusal }) => !refusal).length;
}

function whyNowhere(p: PodCase, { claim, volume, inside }: TiedVolume, constraint: PlaceConstraint): string {
  if (inside.length === 0)
    return `No node exists where the volume of pvc/${claim.name} can be used (${constraint.describe(volume)}).`;
  return `The volume of pvc/${claim.name} can only be used on ${nameNodes(inside)}, and ${whyNotThere(p, inside)}.`;
}

function whyNotThere(p: PodCase, inside: readonly NodeFit[]): string {
  const closed = inside.filter(({ refusal }) => refusal);
  if (closed.length === inside.length) return tellRefusals(closed);
  const others = otherReasonsText(p);
  const words = others ? ` ("${others}")` : '';
  return [
    tellRefusals(closed),
    `the scheduler rejects pod/${p.pod.metadata.name} ${closed.length > 0 ? 'on the rest' : 'there'}${words}`,
  ]
    .filter(Boolean)
    .join(', and ');
}

function evidenceOf(
  p: PodCase,
  { volume, inside }: TiedVolume,
  outside: readonly NodeFit[],
  constraint: PlaceConstraint,
): EvidenceList {
  return [
    constraint.evidence(volume),
    ...refusalEvidence(inside),
    ...outside.slice(0, 3).map(({ node }) => field(node, 'metadata.labels', labelsText(node, constraint.keys(volume)))),
    ...schedulerSaid(p),
    ...autoscalerSaid(p),
  ];
}

/** The labels of a node that count: `zone=b, rack=(not set)`. */
export function labelsText({ metadata: { labels = {} } }: Node, keys: readonly string[]): string {
  return keys.map((key) => `${key}=${labels[key] ?? '(not set)'}`).join(', ') || 'none of those needed';
}

/** The pod goes to its volume: a volume does not move. */
function adviceFor(
  p: PodCase,
  worst: TiedVolume,
  outside: readonly NodeFit[],
  nodes: NodeFits,
  constraint: PlaceConstraint,
): Fix[] {
  const { volume, inside } = worst;
  const all = nodes.items.map(({ node }) => node);
  const reasons = p.schedulingMessage?.reasons ?? [];
  const corrections = constraint.correct?.(volume, all) ?? [];
  const there = inside.some(({ refusal }) => !refusal)
    ? reasonFixes(p, reasons, { offersNode: false })
    : openNodeFixes(p, inside);
  const first = [...corrections, ...there];
  const isKeptApart = inside.every(({ refusal }) => refusal?.filter === 'selector');
  return [
    ...first,
    ...(isNodeLocal(volume, all) || first.length > 1
      ? []
      : [addNodeThere(p, volume, constraint.describe(volume), first.length > 0)]),
    ...(outside.length > 0 && isKeptApart && corrections.length === 0 ? moveVolumeFixes(p, worst, all) : []),
  ];
}

export function affinityEvidence(volume: Volume): Evidence {
  return field(volume, 'spec.nodeAffinity.required', describeReach(volume));
}

export function affinityKeys(volume: Volume): string[] {
  const terms = volume.spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  const keys = terms.flatMap(({ matchExpressions = [] }) => matchExpressions.flatMap(({ key }) => key ?? []));
  return [...new Set(keys)];
}

export function zoneText(volume: Volume): string {
  const labels = zoneLabelsOf(volume).map(({ key, values }) => `${key} in (${values.join(', ')})`);
  return labels.join(' and ') || 'any zone';
}

export function zoneEvidence(volume: Volume): Evidence {
  return field(volume, 'metadata.labels', zoneText(volume));
}
