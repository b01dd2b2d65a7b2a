import type { Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { field, shellWord } from '../../facts/evidence.ts';
import { requestsOf } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import { aboutPod, blames, nameAll, schedulerSaid, tellReasons } from '../../facts/pod/pod-placement.ts';
import { storageTexts } from '../../facts/pod/scheduling-message.ts';
import type { SchedulingReason } from '../../facts/pod/scheduling-message.ts';
import { isNodeLocal, zoneLabelsOf } from '../../facts/volume/volume-reach.ts';
import type { PlacedVolume } from '../../facts/volume/volume-reach.ts';
import type { Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { addNodeThere, autoscalerSaid, karpenterText, lackingRequests } from './add-node.ts';
import { reasonFixes } from './reason-fixes.ts';
import type { PlaceConstraint } from './volume-place.ts';

/** The volumes or the nodes could not be read: the scheduler's words are all there is. */
export function explainUnreadPlace(
  p: PodCase,
  known: PlacedVolume | undefined,
  constraint: PlaceConstraint,
): Explanation | undefined {
  // Two words of the scheduler about the place of one volume are one finding.
  if (constraint.pattern === storageTexts.zone && blames(p, storageTexts.nodeAffinity) === true) return undefined;
  const claims = p.claims.filter((claim) => claim.isBound);
  const said = schedulerSaid(p);
  const [first] = said;
  if (claims.length === 0 || !first) return undefined;
  return {
    confidence: 'likely',
    about: aboutPod(p),
    summary: `${known ? summaryOf(p, known, constraint) : unknownSummary(p, claims)}${karpenterText(p)}`,
    evidence: known
      ? [
          constraint.evidence(known.volume),
          ...labelEvidence(known.volume, constraint),
          ...requestEvidence(p),
          ...said,
          ...autoscalerSaid(p),
        ]
      : [first, ...autoscalerSaid(p)],
    fix: adviseUnread(p, known, claims, constraint),
  };
}

function unknownSummary({ pod }: PodCase, claims: readonly ClaimCase[]): string {
  const subject = claims.map((claim) => `pvc/${claim.name}`).join(' or ');
  return (
    `The volume of ${subject} cannot be used on the nodes that could take pod/${pod.metadata.name}. The ` +
    'nodes could not be read.'
  );
}

/** What the volume rules out, and what the scheduler has against the other nodes: none of it alone is the reason. */
function summaryOf(p: PodCase, { claim, volume }: PlacedVolume, constraint: PlaceConstraint): string {
  const total = p.schedulingMessage?.nodesTotal;
  const byVolume = countOf((p.schedulingMessage?.reasons ?? []).filter(isOfPlace));
  const others = otherReasons(p);
  const where = `The volume of pvc/${claim.name} can only be used where ${placeText(volume, constraint)}`;
  const isCounted = total !== undefined && byVolume !== undefined;
  const rest =
    others.length === 0
      ? ''
      : ` The scheduler rejects ${isCounted ? `the other ${total - byVolume}` : 'others'} because of "${tellReasons(others)}".`;
  const end = ruledOutText(p, byVolume);
  const unread =
    others.length === 0
      ? ' The nodes could not be read.'
      : ' The nodes could not be read, so it is not known which of those the volume can use.';
  return `${where}${end}${rest}${unread}`;
}

function ruledOutText(p: PodCase, byVolume: number | undefined): string {
  const { name } = p.pod.metadata;
  const total = p.schedulingMessage?.nodesTotal;
  if (total === undefined || byVolume === undefined) return `, and no node that could take pod/${name} is there.`;
  return excludesAll(p)
    ? `, and none of the ${total} nodes is there.`
    : `, which rules out ${byVolume} of ${total} nodes for pod/${name}.`;
}

function countOf(reasons: readonly SchedulingReason[]): number | undefined {
  if (reasons.length === 0 || reasons.some(({ nodes }) => nodes === undefined)) return undefined;
  return reasons.reduce((sum, { nodes = 0 }) => sum + nodes, 0);
}

function isOfPlace({ text }: SchedulingReason): boolean {
  return storageTexts.nodeAffinity.test(text) || storageTexts.zone.test(text);
}

function otherReasons({ schedulingMessage }: PodCase): readonly SchedulingReason[] {
  return (schedulingMessage?.reasons ?? []).filter((reason) => !isOfPlace(reason));
}

/** The node affinity and the zone labels of a volume both count. */
function placeText(volume: Volume, constraint: PlaceConstraint): string {
  const labels = otherLabels(volume, constraint).map(({ key, values }) => `${key} in (${values.join(', ')})`);
  return [constraint.describe(volume), ...labels].join(' and ');
}

/** Zone labels of the volume, unless the constraint itself is about zones. */
function otherLabels(volume: Volume, { pattern }: PlaceConstraint) {
  return pattern === storageTexts.zone ? [] : zoneLabelsOf(volume);
}

function labelEvidence(volume: Volume, constraint: PlaceConstraint): Evidence[] {
  return otherLabels(volume, constraint).map(({ key, values }) =>
    field(volume, `metadata.labels[${key}]`, values.join('__')),
  );
}

function requestEvidence(p: PodCase): Evidence[] {
  const asked = requestsOf(p.pod);
  return otherReasons(p).flatMap(({ text }) => {
    const name = /Insufficient (\S+)/.exec(text)?.[1];
    const amount = name === undefined ? undefined : asked.get(name);
    return amount === undefined ? [] : [field(p.pod, `spec.containers[*].resources.requests[${name ?? ''}]`, amount)];
  });
}

/** Where the volume is known, its nodes decide; a single reason next to the volume's is about one of them. */
function adviseUnread(
  p: PodCase,
  known: PlacedVolume | undefined,
  claims: readonly ClaimCase[],
  constraint: PlaceConstraint,
): Fix[] {
  const reasons = p.schedulingMessage?.reasons ?? [];
  if (!known) {
    const find = findPlace(p, claims);
    return otherReasons(p).length === 1 ? [...reasonFixes(p, reasons), find] : [find];
  }
  const place = placeText(known.volume, constraint);
  const list = listNodesThere(p, known.volume, place);
  // The disk of a lost node does not come with a new one.
  if (isNodeLocal(known.volume, [])) return [list];
  const add = (isAlternative: boolean): Fix => addNodeThere(p, known.volume, place, isAlternative);
  return autoscalerSaid(p).length > 0 || excludesAll(p) ? [add(false), list] : [list, add(true)];
}

/** The scheduler counts every node among those that the volume rules out. */
function excludesAll({ schedulingMessage }: PodCase): boolean {
  const count = countOf((schedulingMessage?.reasons ?? []).filter(isOfPlace));
  const total = schedulingMessage?.nodesTotal;
  return count !== undefined && total !== undefined && total > 0 && count >= total;
}

/** What the nodes where the volume can be used lack decides what is to be done: the scheduler names it without a node. */
function listNodesThere(p: PodCase, volume: Volume, place: string): Fix {
  const { name } = p.pod.metadata;
  const selector = selectorOf(volume);
  const labels = zoneLabelsOf(volume);
  const lacking = lackingRequests(p);
  const others = otherReasons(p).map(({ text }) => text);
  const decisions = [
    ...(others.some((text) => /were unschedulable/i.test(text))
      ? ['uncordon a node that is cordoned, once the work on it is done (kubectl uncordon PLACEHOLDER_NODE)']
      : []),
    ...(others.some((text) => /\btaint/i.test(text))
      ? [`let pod/${name} tolerate the taint of a node if it may run there`]
      : []),
    ...(lacking.length > 0 ? [`free ${nameAll(lacking)} on a node by moving other pods away`] : []),
    ...(selector !== undefined && labels.length > 0
      ? [`correct ${labels.map(({ key }) => `label ${key}`).join(' and ')} where a node and the volume differ`]
      : []),
  ];
  const columns = [
    'NODE:.metadata.name',
    ...labels.map(({ key }) => `${columnName(key)}:.metadata.labels.${key.replaceAll('.', '\\.')}`),
    'TAINTS:.spec.taints[*].key',
    'CORDONED:.spec.unschedulable',
  ].join(',');
  const ifNone = isNodeLocal(volume, [])
    ? 'If none is listed, the node that holds the data is gone or has lost the label: bring it back under its old name, or set the label again.'
    : 'If none is listed, add a node there.';
  const filter = selector === undefined ? '' : ` -l ${shellWord(selector)}`;
  const todo =
    decisions.length === 0
      ? 'If one is listed, it is not open to the pod: its taints and whether it is cordoned show why.'
      : `If some are listed, do what is missing there: ${decisions.join('; or ')}.`;
  return steps(
    `List the nodes where the volume can be used (${place}): only these can take pod/${name}. ${todo} ` +
      `${ifNone} The pod is then scheduled automatically.`,
    [
      `kubectl get nodes${filter} -o custom-columns='${columns}'`,
      ...(lacking.length > 0 ? [`kubectl describe nodes${filter} | grep -e ^Name: -A 8 -e 'Allocated resources'`] : []),
    ],
  );
}

function columnName(key: string): string {
  return (key.split('/').at(-1) ?? key).toUpperCase();
}

/** The node affinity as a selector of `kubectl -l`, where it is a single term of plain comparisons. */
function selectorOf({ spec }: Volume): string | undefined {
  const [term, ...more] = spec?.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  if (!term || more.length > 0 || (term.matchFields ?? []).length > 0) return undefined;
  const parts = (term.matchExpressions ?? []).map(({ key, operator, values = [] }) => {
    if (key === undefined) return undefined;
    if (operator === 'Exists') return key;
    if (operator !== 'In' || values.length === 0) return undefined;
    return values.length === 1 ? `${key}=${values[0] ?? ''}` : `${key} in (${values.join(',')})`;
  });
  return parts.length > 0 && parts.every((part) => part !== undefined) ? parts.join(',') : undefined;
}

/** Which nodes the volume allows decides whether one of them is to be opened or a new one is needed. */
function findPlace(p: PodCase, claims: readonly ClaimCase[]): Fix {
  const volumes = claims.map((claim) => shellWord(claim.volumeName)).join(' ');
  return steps(
    'Compare where the volume can be used with the labels of the nodes. If a node fits, open it to ' +
      `pod/${p.pod.metadata.name} (uncordon it, or add a toleration); if none does, add a node there. ` +
      'The pod is then scheduled automatically.',
    [
      `kubectl get pv ${volumes} -o ` +
        `custom-columns='NAME:.metadata.name,AFFINITY:.spec.nodeAffinity.required.nodeSelectorTerms'`,
      'kubectl get nodes --show-labels',
    ],
  );
}
