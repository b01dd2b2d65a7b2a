import type { Node, Pod } from '../../kube/kinds.ts';
import { untoleratedTaints } from '../../kube/selectors.ts';
import type { PodSpec } from './driver-pods.ts';

/** Labels that Kubernetes replaced (kubeadm 1.24: node-role.kubernetes.io/master is gone). */
const renamedLabels: Readonly<Record<string, string>> = {
  'node-role.kubernetes.io/master': 'node-role.kubernetes.io/control-plane',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
};

/** A node selector of a pod template that selects no node, and what has to change so that it selects some. */
export interface SelectorChange {
  /** Labels that are selected and that no node has: `key=value`. */
  readonly unmet: readonly string[];
  /** `node-role.kubernetes.io/control-plane`, selected in its place. */
  readonly instead: readonly string[];
  /** Nodes that the new selector selects. */
  readonly nodes: readonly string[];
  /** Keys of taints of these nodes that the template does not tolerate. */
  readonly taints: readonly string[];
  /** A JSON patch of the workload. */
  readonly patch: readonly object[];
}

/** Undefined where a node has each of the labels, or where no nodes were read. */
export function fittingSelector(spec: PodSpec | undefined, nodes: readonly Node[]): SelectorChange | undefined {
  const selector = Object.entries(spec?.nodeSelector ?? {});
  const unmet = selector.filter(([key, value]) => !nodes.some((node) => node.metadata.labels?.[key] === value));
  if (nodes.length === 0 || unmet.length === 0) return undefined;
  const renamed = unmet.flatMap(([key, value]): (readonly [string, string])[] => {
    const next = Object.hasOwn(renamedLabels, key) ? renamedLabels[key] : undefined;
    return next !== undefined && nodes.some((node) => node.metadata.labels?.[next] === value) ? [[next, value]] : [];
  });
  const wanted = [...selector.filter((entry) => !unmet.includes(entry)), ...renamed];
  const fitting = nodes.filter(({ metadata }) => wanted.every(([key, value]) => metadata.labels?.[key] === value));
  if (fitting.length === 0) return undefined;
  const free = fitting.filter((node) => taintsOf(spec, node).length === 0);
  const [first] = fitting;
  const taints = free.length > 0 || !first ? [] : taintsOf(spec, first);
  const tolerations = taints.map(({ key, effect }) => ({ key, operator: 'Exists', effect }));
  const path = '/spec/template/spec';
  return {
    unmet: unmet.map(([key, value]) => (value === '' ? key : `${key}=${value}`)),
    instead: renamed.map(([key, value]) => (value === '' ? key : `${key}=${value}`)),
    nodes: (free.length > 0 ? free : fitting).map(({ metadata }) => metadata.name),
    taints: taints.map(({ key }) => key ?? ''),
    patch: [
      wanted.length === 0
        ? { op: 'remove', path: `${path}/nodeSelector` }
        : { op: 'replace', path: `${path}/nodeSelector`, value: Object.fromEntries(wanted) },
      ...(tolerations.length === 0
        ? []
        : [{ op: 'add', path: `${path}/tolerations`, value: [...(spec?.tolerations ?? []), ...tolerations] }]),
    ],
  };
}

function taintsOf(spec: PodSpec | undefined, node: Node): ReturnType<typeof untoleratedTaints> {
  return untoleratedTaints(spec?.tolerations, node.spec?.taints);
}

/** A pod without a node whose selector may be to blame. */
export function isUnplaced({ spec, status }: Pod): boolean {
  return (
    !spec?.nodeName &&
    Object.keys(spec?.nodeSelector ?? {}).length > 0 &&
    status?.conditions?.some(({ type, status: state }) => type === 'PodScheduled' && state === 'False') === true
  );
}

const mostNamed = 3;

/** `selects nodes with x=y, which no node has. Let it select … instead (node-a) and tolerate …` */
export function selectorWords({ unmet, instead, nodes, taints }: SelectorChange): string {
  const named = `${nodes.slice(0, mostNamed).join(', ')}${nodes.length > mostNamed ? ` and ${nodes.length - mostNamed} more` : ''}`;
  const how = instead.length > 0 ? `select ${instead.join(' and ')} instead (${named})` : `run without that (${named})`;
  const tolerate = taints.length > 0 ? `, and tolerate taint ${taints.join(' and ')} there` : '';
  return `it selects nodes with ${unmet.join(' and ')}, which no node has. Let it ${how}${tolerate}`;
}
