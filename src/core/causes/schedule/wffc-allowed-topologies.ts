import type { CsiNode, StorageClass } from '../../kube/kinds.ts';
import { matchesTopologyTerms } from '../../kube/selectors.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field } from '../../facts/evidence.ts';
import { fitNodes } from '../../facts/node/node-fit.ts';
import type { NodeFit, NodeFits } from '../../facts/node/node-fit.ts';
import type { PodCase } from '../../facts/pod/pod-case.ts';
import {
  aboutPod,
  nameNodes,
  otherReasonsText,
  refusalEvidence,
  schedulerSaid,
  tellRefusals,
} from '../../facts/pod/pod-placement.ts';
import { podRule } from '../lib/rule.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { recreateClass } from '../lib/remake-class.ts';
import { steps } from '../lib/steps.ts';
import { explainFirstUnbound } from './nothing-to-bind.ts';
import { openNodeFixes } from './open-node.ts';
import { reasonFixes } from './reason-fixes.ts';

const mostShown = 6;

/** v1helper.MatchTopologySelectorTerms: terms are alternatives, and keys and values must be node labels exactly. */
export const wffcAllowedTopologies = podRule({
  cause: 'wffc-allowed-topologies',
  stage: 'schedule',
  severity: 'blocking',
  explain: (p) =>
    explainFirstUnbound(p, (claim, isBlamed) => {
      const limit = findLimit(p, claim, isBlamed);
      if (!limit) return undefined;
      const { storageClass, allowed, isProven } = limit;
      const { name } = storageClass.metadata;
      return {
        confidence: isProven ? 'certain' : 'likely',
        about: allowed.length === 0 ? name : aboutPod(p),
        summary: `StorageClass "${name}" allows volumes only where ${termsText(limit)}, ${whyNotThere(p, limit)}.`,
        evidence: evidenceOf(p, limit),
        fix: adviceFor(p, claim, limit),
      };
    }),
});

type Terms = NonNullable<StorageClass['allowedTopologies']>;

interface TopologyLimit {
  readonly storageClass: StorageClass;
  readonly terms: Terms;
  readonly fits: NodeFits;
  /** Nodes on which the class allows volumes. */
  readonly allowed: readonly NodeFit[];
  readonly isProven: boolean;
}

function findLimit(p: PodCase, claim: PresentClaim, isBlamed: boolean): TopologyLimit | undefined {
  const storageClass = claim.storageClassObject;
  const terms = storageClass?.allowedTopologies ?? [];
  if (!storageClass || claim.provisioner === undefined || terms.length === 0) return undefined;
  const fits = fitNodes(p);
  const allowed = fits.items.filter(({ node }) => matchesTopologyTerms(terms, node.metadata.labels ?? {}));
  const isProven = fits.complete && fits.items.length > 0 && allowed.every(({ refusal }) => refusal);
  return isProven || isBlamed ? { storageClass, terms, fits, allowed, isProven } : undefined;
}

function termsText({ terms }: TopologyLimit): string {
  return terms
    .map(({ matchLabelExpressions = [] }) => {
      const labels = matchLabelExpressions.map(({ key, values }) => `${key ?? ''} in (${(values ?? []).join(', ')})`);
      return labels.join(' and ') || 'nothing';
    })
    .join(' or ');
}

function keysOf({ terms }: TopologyLimit): string[] {
  const keys = terms.flatMap(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.flatMap(({ key }) => (key ? [key] : [])),
  );
  return [...new Set(keys)];
}

function whyNotThere(p: PodCase, { allowed, isProven }: TopologyLimit): string {
  if (allowed.length === 0) return 'and no node has these labels';
  if (isProven) return `and ${tellRefusals(allowed)}`;
  const others = otherReasonsText(p);
  return `and the scheduler rejects the pod on ${nameNodes(allowed)}${others ? ` ("${others}")` : ''}`;
}

function evidenceOf(p: PodCase, limit: TopologyLimit): EvidenceList {
  const keys = keysOf(limit);
  const labelsText = (labels: Readonly<Record<string, string>>): string =>
    keys.map((key) => `${key}=${labels[key] ?? '(not set)'}`).join(', ');
  return [
    field(limit.storageClass, 'allowedTopologies', termsText(limit)),
    ...limit.fits.items
      .slice(0, mostShown)
      .map(({ node }) => field(node, 'metadata.labels', labelsText(node.metadata.labels ?? {}))),
    ...refusalEvidence(limit.allowed),
    ...schedulerSaid(p),
  ];
}

/** The pod goes where volumes are allowed; if there is no such node, the class is wrong, or a node is missing. */
function adviceFor(p: PodCase, claim: PresentClaim, limit: TopologyLimit): Fix[] {
  const { allowed, isProven } = limit;
  const opened = isProven ? openNodeFixes(p, allowed) : reasonFixes(p, p.schedulingMessage?.reasons ?? []);
  const there = allowed.length > 0 ? opened : [];
  return [...there.slice(0, 2), ...correctClass(p, claim, limit), ...(allowed.length > 0 ? [] : [addNode(p, limit)])];
}

function correctClass(p: PodCase, claim: PresentClaim, { fits }: TopologyLimit): Fix[] {
  const open = fits.items.filter(({ refusal }) => !refusal).map(({ node }) => node);
  const terms = registeredKeys(p, claim, open[0]?.metadata.name)
    .map((key) => ({ key, values: [...new Set(open.flatMap(({ metadata }) => metadata.labels?.[key] ?? []))] }))
    .filter(({ values }) => values.length > 0);
  if (terms.length === 0) return [];
  const words = terms.map(({ key, values }) => `${key} in (${values.join(', ')})`).join(' and ');
  return [
    recreateClass(
      claim,
      `with ${words}, which the nodes that could take the pod have (leave out values that you do not want)`,
      { allowedTopologies: [{ matchLabelExpressions: terms }] },
      `pod/${p.pod.metadata.name} is then scheduled automatically.`,
    ),
  ];
}

/** The provisioner accepts only the keys that the driver registered; without a CSINode, those of the class. */
function registeredKeys({ ask }: PodCase, claim: PresentClaim, node: string | undefined): string[] {
  const keysIn = (csiNodes: readonly CsiNode[]): string[] =>
    csiNodes
      .flatMap(({ spec }) => spec?.drivers ?? [])
      .flatMap(({ name, topologyKeys }) => (name === claim.provisioner ? (topologyKeys ?? []) : []));
  const seen = keysIn(ask.seen('CSINode'));
  if (seen.length > 0) return [...new Set(seen)];
  const found =
    node === undefined
      ? undefined
      : ask.get('CSINode', undefined, node, `which topology keys ${claim.provisioner ?? 'the driver'} registered`);
  const keys = found?.state === 'found' ? keysIn([found.object]) : [];
  if (keys.length > 0) return [...new Set(keys)];
  const terms = claim.storageClassObject?.allowedTopologies ?? [];
  return [
    ...new Set(
      terms.flatMap(({ matchLabelExpressions = [] }) => matchLabelExpressions.flatMap(({ key }) => key ?? [])),
    ),
  ];
}

function addNode({ pod }: PodCase, limit: TopologyLimit): Fix {
  return steps(
    `If the class is right, add a node where ${termsText(limit)}. pod/${pod.metadata.name} is scheduled once it is Ready.`,
    [],
  );
}
