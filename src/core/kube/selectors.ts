import type {
  LabelSelector,
  Node,
  NodeSelector,
  NodeSelectorTerm,
  SelectorRequirement,
  Toleration,
  TopologySelectorTerm,
} from './kinds.ts';
import { compareText } from './order.ts';
import { isLabelValue, parseInteger } from './selector-text.ts';

export { parseLabelSelector } from './selector-text.ts';

export type Labels = Readonly<Record<string, string>>;
export type Taint = NonNullable<NonNullable<Node['spec']>['taints']>[number];

/** No selector selects nothing, an empty one everything (LabelSelectorAsSelector in apimachinery pkg/apis/meta/v1). */
export function matchesLabelSelector(selector: LabelSelector | undefined | null, labels: Labels | undefined): boolean {
  if (selector === undefined || selector === null) return false;
  const wanted = selector.matchLabels;
  for (const key in wanted) {
    if (valueOf(labels, key) !== wanted[key]) return false;
  }
  return (selector.matchExpressions ?? []).every((requirement) => meetsRequirement(requirement, labels));
}

/** The first requirement, by key, that the labels do not meet, in words; undefined when there is none. */
export function firstUnmetRequirement(
  selector: LabelSelector | undefined | null,
  labels: Labels | undefined,
): string | undefined {
  const unmet = [
    ...Object.entries(selector?.matchLabels ?? {})
      .filter(([key, value]) => valueOf(labels, key) !== value)
      .map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...(selector?.matchExpressions ?? [])
      .filter((requirement) => !meetsRequirement(requirement, labels))
      .map((requirement) => ({ key: requirement.key ?? '', text: describeRequirement(requirement) })),
  ];
  // The API keeps labels in a map without an order: sorting makes the answer the same every time.
  return unmet.sort((a, b) => compareText(a.key, b.key))[0]?.text;
}

/**
 * Terms are alternatives. No selector admits every node, as in a volume without node affinity; a selector without
 * terms admits none. `fields` as in matchesNodeSelectorTerm.
 */
export function matchesNodeSelector(
  selector: NodeSelector | undefined | null,
  labels: Labels | undefined,
  fields?: Labels,
): boolean {
  if (selector === undefined || selector === null) return true;
  return (selector.nodeSelectorTerms ?? []).some((term) => matchesNodeSelectorTerm(term, labels, fields));
}

/**
 * All expressions of a term must hold, and an empty term matches no node (component-helpers nodeaffinity).
 * For pods, pass `fields` with metadata.name. For volumes leave it out: the scheduler checks a volume against labels
 * alone and skips matchFields, so that a term with nothing else matches every node. A malformed field requirement
 * still fails its term.
 */
export function matchesNodeSelectorTerm(term: NodeSelectorTerm, labels: Labels | undefined, fields?: Labels): boolean {
  const expressions = term.matchExpressions ?? [];
  const fieldExpressions = term.matchFields ?? [];
  if (expressions.length === 0 && fieldExpressions.length === 0) return false;
  if (!expressions.every((requirement) => meetsRequirement(requirement, labels))) return false;
  const ignoresFields = fields === undefined || Object.keys(fields).length === 0;
  return fieldExpressions.every(
    (requirement) => isFieldRequirement(requirement) && (ignoresFields || meetsFieldRequirement(requirement, fields)),
  );
}

/** StorageClass.allowedTopologies: no terms admit everything, an empty term nothing. */
export function matchesTopologyTerms(
  terms: readonly TopologySelectorTerm[] | undefined | null,
  labels: Labels | undefined,
): boolean {
  if (terms === undefined || terms === null || terms.length === 0) return true;
  return terms.some(({ matchLabelExpressions = [] }) => {
    if (matchLabelExpressions.length === 0) return false;
    return matchLabelExpressions.every(({ key, values }) =>
      meetsRequirement({ ...(key !== undefined && { key }), operator: 'In', values: values ?? [] }, labels),
    );
  });
}

/** One readable line, such as `topology.kubernetes.io/zone in (zone-a) or topology.kubernetes.io/zone in (zone-b)`. */
export function describeNodeSelector(selector: NodeSelector | undefined | null): string {
  if (selector === undefined || selector === null) return 'any node';
  const terms = (selector.nodeSelectorTerms ?? [])
    .map((term) => [...(term.matchExpressions ?? []), ...(term.matchFields ?? [])].map(describeRequirement))
    .filter((requirements) => requirements.length > 0);
  if (terms.length === 0) return 'no node';
  return terms
    .map((requirements) =>
      terms.length > 1 && requirements.length > 1 ? `(${requirements.join(' and ')})` : requirements.join(' and '),
    )
    .join(' or ');
}

/** One readable line, such as `zone=a,disk in (ssd)`; an empty selector selects everything, and no selector nothing. */
export function describeLabelSelector(
  selector: LabelSelector | undefined | null,
  words: { readonly all: string; readonly none: string },
): string {
  if (selector === undefined || selector === null) return words.none;
  const labels = Object.entries(selector.matchLabels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .sort();
  return [...labels, ...(selector.matchExpressions ?? []).map(describeRequirement)].join(',') || words.all;
}

/** Whether any toleration covers the taint (Toleration.ToleratesTaint in api core/v1). */
export function toleratesTaint(tolerations: readonly Toleration[] | undefined, taint: Taint): boolean {
  return (tolerations ?? []).some((toleration) => {
    if (toleration.effect && toleration.effect !== taint.effect) return false;
    if (toleration.key && toleration.key !== taint.key) return false;
    const value = toleration.value ?? '';
    const taintValue = taint.value ?? '';
    switch (toleration.operator ?? '') {
      case '':
      case 'Equal':
        return value === taintValue;
      case 'Exists':
        return true;
      // Only a server that supports these operators stores them (TaintTolerationComparisonOperators, from 1.35).
      case 'Gt':
        return isGreater(taintValue, value);
      case 'Lt':
        return isGreater(value, taintValue);
      default:
        return false;
    }
  });
}

/** The taints that keep the pod off the node; PreferNoSchedule only discourages. */
export function untoleratedTaints(
  tolerations: readonly Toleration[] | undefined,
  taints: readonly Taint[] | undefined,
): Taint[] {
  return (taints ?? []).filter(
    (taint) => (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') && !toleratesTaint(tolerations, taint),
  );
}

function valueOf(labels: Labels | undefined, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}

/** A malformed requirement fails the whole term upstream, which is the same as one that is not met. */
function meetsRequirement(
  { key = '', operator, values = [] }: SelectorRequirement,
  labels: Labels | undefined,
): boolean {
  const value = valueOf(labels, key);
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value) && values.every(isLabelValue);
    case 'NotIn':
      return values.length > 0 && (value === undefined || !values.includes(value)) && values.every(isLabelValue);
    case 'Exists':
      return value !== undefined && values.length === 0;
    case 'DoesNotExist':
      return value === undefined && values.length === 0;
    case 'Gt':
      return values.length === 1 && values.every(isLabelValue) && isGreater(value, values[0]);
    case 'Lt':
      return values.length === 1 && values.every(isLabelValue) && isGreater(values[0], value);
    default:
      return false;
  }
}

function isFieldRequirement({ operator, values = [] }: SelectorRequirement): boolean {
  return (operator === 'In' || operator === 'NotIn') && values.length === 1;
}

function meetsFieldRequirement({ key = '', operator, values = [] }: SelectorRequirement, fields: Labels): boolean {
  return ((valueOf(fields, key) ?? '') === values[0]) === (operator === 'In');
}

function isGreater(greater: string | undefined, lesser: string | undefined): boolean {
  const left = greater === undefined ? undefined : parseInteger(greater);
  const right = lesser === undefined ? undefined : parseInteger(lesser);
  return left !== undefined && right !== undefined && left > right;
}

function describeRequirement({ key = '', operator = '', values = [] }: SelectorRequirement): string {
  switch (operator) {
    case 'In':
      return `${key} in (${values.join(', ')})`;
    case 'NotIn':
      return `${key} not in (${values.join(', ')})`;
    case 'Exists':
      return `${key} exists`;
    case 'DoesNotExist':
      return `${key} does not exist`;
    case 'Gt':
      return `${key} > ${values.join(', ')}`;
    case 'Lt':
      return `${key} < ${values.join(', ')}`;
    default:
      return `${key} ${operator} (${values.join(', ')})`;
  }
}
