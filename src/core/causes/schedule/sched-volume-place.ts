import type { Node, Volume } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { field, fix, note, shellWord } from '../../facts/evidence.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { NodeFit } from '../../facts/node/node-fit.ts';
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
import { podRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import {
  describeReach,
  fitsAffinity,
  fitsZone,
  placedVolumes,
  reaches,
  zoneLabelsOf,
} from '../../facts/volume/volume-reach.ts';
import type { PlacedVolume } from '../../facts/volume/volume-reach.ts';

/** Each volume has a place of its own, and no node is in all of them (binder checkBoundClaims). */
export const schedPvcsDisjointTopology = podRule({
  cause: 'sched-pvcs-disjoint-topology',
  stage: 'schedule',
  severity: 'blocking',
  explain(p) {
    if (p.isScheduled || (blames(p, storageTexts.nodeAffinity) === false && blames(p, storageTexts.zone) === false))
      return undefined;
    const placed = placedVolumes(p).filter(
      ({ volume }) => volume.spec?.nodeAffinity?.required !== undefined || zoneLabelsOf(volume).length > 0,
    );
    if (placed.length < 2) return undefined;
    const fits = fitNodes(p);
    if (!fits.complete) return undefined;
    const places = placed.map((member) => ({
      ...member,
      nodes: fits.items.filter(({ node }) => reaches(member.volume, node)),
    }));
    if (places.some(({ nodes }) => nodes.length === 0)) return undefined;
    const pair = places
      .flatMap((one, index) => places.slice(index + 1).map((other) => [one, other] as const))
      .find(([one, other]) => !one.nodes.some((fit) => other.nodes.includes(fit)));
    const isDisjoint = !fits.items.some((fit) => places.every(({ nodes }) => nodes.includes(fit)));
    if (!isDisjoint) return undefined;
    const told = pair ?? places;
    return {
      summary: `the volumes of pod/${p.pod.metadata.name} can never meet on one node: ${told.map(({ claim, nodes }) => `pvc/${claim.name} is on ${nameNodes(nodes)}`).join(', ')}`,
      evidence: [placeEvidence(told[0] as PlacedVolume), ...told.slice(1).map(placeEvidence), ...schedulerSaid(p)],
      fix: [
        fix(
          'see where the volumes are, and move one to the other: restore a snapshot of it into a new claim there',
          `kubectl get pv ${told.map(({ volume }) => shellWord(volume.metadata.name)).join(' ')} -o custom-columns='NAME:.metadata.name,CLAIM:.spec.claimRef.name,AFFINITY:.spec.nodeAffinity.required.nodeSelectorTerms'`,
        ),
        fix(
          'for new volumes look for a class with volumeBindingMode WaitForFirstConsumer: it puts all volumes of a pod in one place',
          'kubectl get storageclass',
        ),
      ],
    };
  },
});

export const schedVolumeNodeAffinity = podRule({
  cause: 'sched-volume-node-affinity',
  stage: 'schedule',
  severity: 'blocking',
  explain: (p) =>
    explainPlace(p, {
      pattern: storageTexts.nodeAffinity,
      isPlaced: (volume) => volume.spec?.nodeAffinity?.required !== undefined,
      fits: fitsAffinity,
      evidence: affinityEvidence,
      describe: describeReach,
    }),
});

/** VolumeZone looks at the labels of the volume, not at its node affinity. */
export const schedVolumeZone = podRule({
  cause: 'sched-volume-zone',
  stage: 'schedule',
  severity: 'blocking',
  explain: (p) =>
    explainPlace(p, {
      pattern: storageTexts.zone,
      isPlaced: (volume) => zoneLabelsOf(volume).length > 0,
      fits: fitsZone,
      evidence: zoneEvidence,
      describe: zoneText,
    }),
});

interface Place {
  readonly pattern: RegExp;
  isPlaced(volume: Volume): boolean;
  fits(volume: Volume, node: Node): boolean;
  evidence(volume: Volume): Evidence;
  describe(volume: Volume): string;
}

function explainPlace(p: PodCase, place: Place): Explanation | undefined {
  const blamed = blames(p, place.pattern);
  if (p.isScheduled || blamed === false) return undefined;
  const placed = placedVolumes(p).filter(({ volume }) => place.isPlaced(volume));
  const nodes = placed.length > 0 ? fitNodes(p) : { items: [], complete: false };
  const views = placed
    .map((member) => ({ ...member, inside: nodes.items.filter(({ node }) => place.fits(member.volume, node)) }))
    .sort((a, b) => open(a.inside) - open(b.inside) || a.inside.length - b.inside.length);
  const [worst] = views;
  const isProven = worst !== undefined && nodes.complete && nodes.items.length > 0 && open(worst.inside) === 0;
  if (!isProven && blamed === undefined) return undefined;
  if (!worst || nodes.items.length === 0) return explainUnread(p, placed[0], place);
  const { claim, volume, inside } = worst;
  // The nodes where it could be used are full: freeing a slot there is what helps.
  if (open(inside) > 0 && blames(p, storageTexts.volumeCount)) return undefined;
  const outside = nodes.items.filter((fit) => !fit.refusal && !inside.includes(fit));
  const others = otherReasonsText(p);
  const why =
    inside.length === 0
      ? `no node is left where the volume of pvc/${claim.name} can be used (${place.describe(volume)})`
      : `the volume of pvc/${claim.name} can be used on ${nameNodes(inside)} only, ${whyNotThere(inside, others)}`;
  return {
    confidence: isProven || (nodes.complete && inside.length < nodes.items.length) ? 'certain' : 'likely',
    about: aboutPod(p),
    summary: `${why}${outside.length > 0 ? `; ${nameNodes(outside)} could take pod/${p.pod.metadata.name}, but the volume cannot go there` : ''}`,
    evidence: [
      place.evidence(volume),
      ...refusalEvidence(inside),
      ...outside.slice(0, 3).map(({ node }) => note(node, 'the volume cannot be used here')),
      ...schedulerSaid(p),
    ],
    fix: fixesFor(p, worst, inside, place.describe(volume)),
  };
}

/** How many of the nodes nothing else is known to close. */
function open(fits: readonly NodeFit[]): number {
  return fits.filter(({ refusal }) => !refusal).length;
}

function whyNotThere(inside: readonly NodeFit[], others: string): string {
  const closed = inside.filter(({ refusal }) => refusal);
  const [single] = inside;
  if (inside.length === 1 && single?.refusal) return `which ${single.refusal.text}`;
  const rest =
    inside.length > closed.length
      ? `the scheduler turns the pod away ${closed.length > 0 ? 'from the rest' : 'there'}${others ? ` (${others})` : ''}`
      : '';
  return ['and', [tellRefusals(closed), rest].filter(Boolean).join(', and ')].join(' ');
}

/** The volumes or the nodes could not be read: the scheduler's words are all there is. */
function explainUnread(p: PodCase, known: PlacedVolume | undefined, place: Place): Explanation | undefined {
  const claims = p.claims.filter((claim) => claim.isBound);
  const said = schedulerSaid(p);
  const [first] = said;
  if (claims.length === 0 || !first) return undefined;
  const subject = known ? `pvc/${known.claim.name}` : claims.map((claim) => `pvc/${claim.name}`).join(' or ');
  return {
    confidence: 'likely',
    about: aboutPod(p),
    summary: `the volume of ${subject} cannot be used on the nodes that could take pod/${p.pod.metadata.name}${known ? `: it is bound to ${place.describe(known.volume)}` : ''}`,
    evidence: known ? [place.evidence(known.volume), ...said] : [first],
    fix: [
      fix(
        'see where the volume may be used, and which nodes are there',
        `kubectl get pv ${claims.map((claim) => shellWord(claim.volumeName)).join(' ')} -o custom-columns='NAME:.metadata.name,AFFINITY:.spec.nodeAffinity.required.nodeSelectorTerms'`,
      ),
    ],
  };
}

function fixesFor(p: PodCase, { claim }: PlacedVolume, inside: readonly NodeFit[], reach: string): Explanation['fix'] {
  const cordoned = inside.find(({ refusal }) => refusal?.filter === 'unschedulable');
  const own = inside.some(({ refusal }) => refusal?.filter === 'selector' || refusal?.filter === 'taint');
  return [
    ...(cordoned
      ? [
          fix(
            `open node ${cordoned.node.metadata.name} again, if its work is done`,
            `kubectl uncordon ${shellWord(cordoned.node.metadata.name)}`,
          ),
        ]
      : []),
    ...(own
      ? [
          fix(
            `look at the nodes, and let the pod go where its volume is: relax the nodeSelector, affinity or tolerations of whatever makes pod/${p.pod.metadata.name}`,
            `kubectl get nodes --show-labels`,
          ),
        ]
      : []),
    fix(
      `${cordoned || own ? 'or look' : 'look'} which nodes there are, and make room or add one where the volume is (${reach})`,
      'kubectl get nodes --show-labels',
    ),
    fix(
      `for new volumes look for a class with volumeBindingMode WaitForFirstConsumer; the volume of pvc/${claim.name} itself moves only by snapshot and restore`,
      'kubectl get storageclass',
    ),
  ];
}

function affinityEvidence(volume: Volume): Evidence {
  return field(volume, 'spec.nodeAffinity.required', describeReach(volume));
}

function zoneText(volume: Volume): string {
  return (
    zoneLabelsOf(volume)
      .map(({ key, values }) => `${key} in (${values.join(', ')})`)
      .join(' and ') || 'any zone'
  );
}

function zoneEvidence(volume: Volume): Evidence {
  return field(volume, 'metadata.labels', zoneText(volume));
}

function placeEvidence({ volume }: PlacedVolume): Evidence {
  return volume.spec?.nodeAffinity?.required ? affinityEvidence(volume) : zoneEvidence(volume);
}
