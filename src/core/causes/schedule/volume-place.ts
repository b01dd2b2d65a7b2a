import type { Node, Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { eventSaid, field, shellWord } from '../../facts/evidence.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { NodeFit, NodeFits } from '../../facts/node/node-fit.ts';
import { karpenterRefusal, scaleUpLimit, storageRefusalOfScaleUp } from '../../facts/pod/autoscaler.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import {
  aboutPod,
  blames,
  nameNodes,
  otherReasonsText,
  refusalEvidence,
  schedulerSaid,
  tellReasons,
  tellRefusals,
} from '../../facts/pod/pod-placement.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import { describeReach, isNodeLocal, placedVolumes, zoneLabelsOf } from '../../facts/volume/volume-reach.ts';
import type { PlacedVolume } from '../../facts/volume/volume-reach.ts';
import { servingDriver } from '../../facts/volume/volume-slots.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { moveVolumeFixes } from './move-volume.ts';
import { openNodeFixes } from './open-node.ts';
import { reasonFixes } from './reason-fixes.ts';

/** What ties a volume to a place: its node affinity, or its zone labels. */
interface PlaceConstraint {
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
  if (!worst || nodes.items.length === 0) return explainUnread(p, placed[0], constraint);
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
    summary: `${whyNowhere(p, worst, constraint)}${elsewhereText(p, outside)}${karpenterText(p)}`,
    evidence: evidenceOf(p, worst, outside, constraint),
    fix: adviceFor(p, worst, outside, nodes, constraint),
  };
}

function elsewhereText({ pod }: PodCase, outside: readonly NodeFit[]): string {
  if (outside.length === 0) return '';
  return ` ${nameNodes(outside)} could take pod/${pod.metadata.name}, but the volume cannot be used there.`;
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
    ...(isNodeLocal(volume, all) || first.length > 1 ? [] : [addNode(p, volume, constraint, first.length > 0)]),
    ...(outside.length > 0 && isKeptApart && corrections.length === 0 ? moveVolumeFixes(p, worst, all) : []),
  ];
}

function addNode(p: PodCase, volume: Volume, constraint: PlaceConstraint, isAlternative: boolean): Fix {
  const place = constraint.describe(volume);
  const driver = servingDriver(volume);
  const scheduled =
    `pod/${p.pod.metadata.name} is scheduled once the node is ` +
    `Ready${driver === undefined ? '' : ` and ${driver} is registered on it`}.`;
  const karpenter = karpenterRefusal(p);
  if (karpenter) {
    const { pool, key, wanted, allowed } = karpenter;
    return steps(
      `${isAlternative ? 'Or let' : 'Let'} Karpenter add a node with ${place}: NodePool "${pool}" allows ` +
        `${key} only in (${allowed.join(', ')}). Add ${wanted.join(', ')} to its requirements, and a subnet ` +
        `there if its node class has none. ${scheduled}`,
      [`kubectl edit nodepool ${shellWord(pool)}`],
    );
  }
  return steps(
    `${isAlternative ? 'Or add' : 'Add'} a node with ${place}${roomText(p)}, for example by raising the ` +
      `minimum size of a node pool there.${autoscalerNote(p)} ${scheduled}`,
    [],
  );
}

function autoscalerNote(p: PodCase): string {
  const limit = scaleUpLimit(p);
  if (limit) return ` The cluster-autoscaler adds none ("${limit.words}"): raise that limit for the node pool there.`;
  const refusal = storageRefusalOfScaleUp(p);
  return refusal
    ? ` The cluster-autoscaler adds none ("${tellReasons(refusal.reasons)}"): it knows an empty node pool ` +
        'only by its template, so give the template this label too.'
    : '';
}

function karpenterText(p: PodCase): string {
  const refusal = karpenterRefusal(p);
  return refusal
    ? ` Karpenter adds no node there: NodePool "${refusal.pool}" allows ${refusal.key} only in (${refusal.allowed.join(', ')}).`
    : '';
}

/** What keeps an autoscaler from adding the node that the volume needs. */
function autoscalerSaid(p: PodCase): Evidence[] {
  const said = (karpenterRefusal(p) ?? scaleUpLimit(p) ?? storageRefusalOfScaleUp(p))?.event;
  return said ? [eventSaid(p.pod, said)] : [];
}

function roomText({ schedulingMessage }: PodCase): string {
  const lacking = (schedulingMessage?.reasons ?? []).flatMap(({ text }) => /Insufficient (\S+)/.exec(text)?.[1] ?? []);
  return lacking.length === 0 ? '' : ` and enough free ${[...new Set(lacking)].join(' and ')}`;
}

/** The volumes or the nodes could not be read: the scheduler's words are all there is. */
function explainUnread(
  p: PodCase,
  known: PlacedVolume | undefined,
  constraint: PlaceConstraint,
): Explanation | undefined {
  const claims = p.claims.filter((claim) => claim.isBound);
  const said = schedulerSaid(p);
  const [first] = said;
  if (claims.length === 0 || !first) return undefined;
  const subject = known ? `pvc/${known.claim.name}` : claims.map((claim) => `pvc/${claim.name}`).join(' or ');
  const { name } = p.pod.metadata;
  const place = known ? `: it can only be used where ${constraint.describe(known.volume)}` : '';
  return {
    confidence: 'likely',
    about: aboutPod(p),
    summary:
      `The volume of ${subject} cannot be used on the nodes that could take pod/${name}${place}. The nodes ` +
      `could not be read.${karpenterText(p)}`,
    evidence: known
      ? [constraint.evidence(known.volume), ...said, ...autoscalerSaid(p)]
      : [first, ...autoscalerSaid(p)],
    fix: adviseUnread(p, known, claims, constraint),
  };
}

/** Where the volume is known, a node there is what it takes, unless one that exists can be opened. */
function adviseUnread(
  p: PodCase,
  known: PlacedVolume | undefined,
  claims: readonly ClaimCase[],
  constraint: PlaceConstraint,
): Fix[] {
  const reasons = p.schedulingMessage?.reasons ?? [];
  const find = findPlace(p, claims);
  if (!known || autoscalerSaid(p).length === 0) return [...reasonFixes(p, reasons, { offersNode: !known }), find];
  return [addNode(p, known.volume, constraint, false), find];
}

/** Which nodes the volume allows decides whether one of them is to be opened or a new one is needed. */
function findPlace(p: PodCase, claims: readonly ClaimCase[]): Fix {
  const volumes = claims.map((claim) => shellWord(claim.volumeName)).join(' ');
  return steps(
    'Compare where the volume can be used with the labels of the nodes. If a node fits, open it to ' +
      `pod/${p.pod.metadata.name} (uncordon it, or add a toleration); if none does, add a node there. The ` +
      'pod is then scheduled automatically.',
    [
      `kubectl get pv ${volumes} -o custom-columns='NAME:.metadata.name,AFFINITY:.spec.nodeAffinity.required.nodeSelectorTerms'`,
      'kubectl get nodes --show-labels',
    ],
  );
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
