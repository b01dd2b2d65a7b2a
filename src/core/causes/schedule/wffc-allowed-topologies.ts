import type { StorageClass } from '../../kube/kinds.ts';
import { matchesTopologyTerms } from '../../kube/selectors.ts';
import type { Fix } from '../../report/report.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
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
import { remakeClass } from '../lib/remake-class.ts';
import { explainFirstUnbound } from './nothing-to-bind.ts';

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
        summary: `class ${name} allows volumes only where ${termsText(limit)}, ${whyNotThere(p, limit)}`,
        evidence: evidenceOf(p, limit),
        fix: adviceFor(limit),
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
  if (allowed.length === 0) return 'and no node is there';
  if (isProven) return `and ${tellRefusals(allowed)}`;
  const others = otherReasonsText(p);
  return `and ${nameNodes(allowed)} cannot take the pod${others ? ` (${others})` : ''}`;
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

function adviceFor(limit: TopologyLimit): Fix[] {
  return [
    fix(
      'compare the class with the labels of the nodes',
      `kubectl get nodes ${keysOf(limit)
        .map((key) => `-L ${shellWord(key)}`)
        .join(' ')}`,
    ),
    remakeClass(
      limit.storageClass.metadata.name,
      'with topologies that the nodes have, or add nodes where it allows volumes',
    ),
  ];
}
