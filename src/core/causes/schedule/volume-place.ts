import type { Node, Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { field, fix, note, shellWord } from '../../facts/evidence.ts';
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
import { describeReach, placedVolumes, zoneLabelsOf } from '../../facts/volume/volume-reach.ts';
import type { PlacedVolume } from '../../facts/volume/volume-reach.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';

/** What ties a volume to a place: its node affinity, or its zone labels. */
interface PlaceConstraint {
  /** How the scheduler words the refusal. */
  readonly pattern: RegExp;
  isPlaced(volume: Volume): boolean;
  fits(volume: Volume, node: Node): boolean;
  evidence(volume: Volume): Evidence;
  describe(volume: Volume): string;
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
  // The nodes where it could be used are full: sched-max-volume-count has the better advice.
  if (countOpen(worst.inside) > 0 && blames(p, storageTexts.volumeCount)) return undefined;
  const outside = nodes.items.filter((fit) => !fit.refusal && !worst.inside.includes(fit));
  const isSplit = nodes.complete && worst.inside.length < nodes.items.length;
  return {
    confidence: isProven || isSplit ? 'certain' : 'likely',
    about: aboutPod(p),
    summary: `${whyNowhere(p, worst, constraint)}${outside.length > 0 ? `; ${nameNodes(outside)} could take pod/${p.pod.metadata.name}, but the volume cannot go there` : ''}`,
    evidence: evidenceOf(p, worst, outside, constraint),
    fix: adviceFor(p, worst, constraint),
  };
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
    return `no node is left where the volume of pvc/${claim.name} can be used (${constraint.describe(volume)})`;
  return `the volume of pvc/${claim.name} can be used on ${nameNodes(inside)} only, ${whyNotThere(inside, otherReasonsText(p))}`;
}

function whyNotThere(inside: readonly NodeFit[], others: string): string {
  const [single] = inside;
  if (inside.length === 1 && single?.refusal) return `which ${single.refusal.text}`;
  const closed = inside.filter(({ refusal }) => refusal);
  const reasons = [tellRefusals(closed)];
  if (inside.length > closed.length)
    reasons.push(
      `the scheduler turns the pod away ${closed.length > 0 ? 'from the rest' : 'there'}${others ? ` (${others})` : ''}`,
    );
  return `and ${reasons.filter(Boolean).join(', and ')}`;
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
    ...outside.slice(0, 3).map(({ node }) => note(node, 'the volume cannot be used here')),
    ...schedulerSaid(p),
  ];
}

function adviceFor(p: PodCase, { claim, volume, inside }: TiedVolume, constraint: PlaceConstraint): Fix[] {
  const first = [...openCordonedNode(inside), ...relaxPod(p, inside)];
  return [
    ...first,
    fix(
      `${first.length > 0 ? 'or look' : 'look'} which nodes there are, and make room or add one where the volume is (${constraint.describe(volume)})`,
      'kubectl get nodes --show-labels',
    ),
    fix(
      `for new volumes look for a class with volumeBindingMode WaitForFirstConsumer; the volume of pvc/${claim.name} itself moves only by snapshot and restore`,
      'kubectl get storageclass',
    ),
  ];
}

function openCordonedNode(inside: readonly NodeFit[]): Fix[] {
  const cordoned = inside.find(({ refusal }) => refusal?.filter === 'unschedulable')?.node.metadata.name;
  if (cordoned === undefined) return [];
  return [fix(`open node ${cordoned} again, if its work is done`, `kubectl uncordon ${shellWord(cordoned)}`)];
}

function relaxPod(p: PodCase, inside: readonly NodeFit[]): Fix[] {
  if (!inside.some(({ refusal }) => refusal?.filter === 'selector' || refusal?.filter === 'taint')) return [];
  return [
    fix(
      `look at the nodes, and let the pod go where its volume is: relax the nodeSelector, affinity or tolerations of whatever makes pod/${p.pod.metadata.name}`,
      `kubectl get nodes --show-labels`,
    ),
  ];
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
  return {
    confidence: 'likely',
    about: aboutPod(p),
    summary: `the volume of ${subject} cannot be used on the nodes that could take pod/${p.pod.metadata.name}${known ? `: it is bound to ${constraint.describe(known.volume)}` : ''}`,
    evidence: known ? [constraint.evidence(known.volume), ...said] : [first],
    fix: [
      fix(
        'see where the volume may be used, and which nodes are there',
        `kubectl get pv ${claims.map((claim) => shellWord(claim.volumeName)).join(' ')} -o custom-columns='NAME:.metadata.name,AFFINITY:.spec.nodeAffinity.required.nodeSelectorTerms'`,
      ),
    ],
  };
}

export function affinityEvidence(volume: Volume): Evidence {
  return field(volume, 'spec.nodeAffinity.required', describeReach(volume));
}

export function zoneText(volume: Volume): string {
  const labels = zoneLabelsOf(volume).map(({ key, values }) => `${key} in (${values.join(', ')})`);
  return labels.join(' and ') || 'any zone';
}

export function zoneEvidence(volume: Volume): Evidence {
  return field(volume, 'metadata.labels', zoneText(volume));
}
