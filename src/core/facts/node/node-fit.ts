import type { Container, Node, Pod } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { addQuantities, compareQuantities } from '../../kube/quantity.ts';
import { describeNodeSelector, matchesNodeSelector, toleratesTaint, untoleratedTaints } from '../../kube/selectors.ts';
import type { Taint } from '../../kube/selectors.ts';
import type { ClusterGraph } from '../../graph/cluster-graph.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { field } from '../evidence.ts';
import { conditionOf } from '../pod/pod-state.ts';
import type { PodCase } from '../pod/pod-case.ts';
import { isUnderstood } from '../pod/scheduling-message.ts';

/** Why the pod's own constraints exclude a node. The text follows the node's name: `node-a is cordoned`. */
export interface Refusal {
  readonly filter: 'unschedulable' | 'taint' | 'selector' | 'resources';
  readonly text: string;
  readonly evidence: Evidence;
  /** The taint, the missing label or the resource that refuses the pod, for the commands that change it. */
  readonly taint?: Taint;
  readonly label?: NodeLabel;
  readonly resource?: ResourceGap;
}

export interface NodeLabel {
  readonly key: string;
  readonly value: string;
}

/** A pod requests more of a resource than a node has left. */
export interface ResourceGap {
  readonly name: string;
  readonly requested: string;
  readonly free: string;
}

export interface NodeFit {
  readonly node: Node;
  /** The first filter that refuses, in the scheduler's order; undefined when none of those checked here does. */
  readonly refusal: Refusal | undefined;
}

export interface NodeFits {
  readonly items: readonly NodeFit[];
  readonly complete: boolean;
}

const remembered = new WeakMap<PodCase, NodeFits>();

/** Every node, checked against the pod's own constraints without its volumes. */
export function fitNodes(p: PodCase): NodeFits {
  let fits = remembered.get(p);
  if (!fits) {
    const nodes = p.ask.list('Node', undefined, `which nodes could take pod/${p.pod.metadata.name}`);
    const asked = requestsThatMatter(p);
    fits = {
      items: nodes.items.map((node) => ({ node, refusal: refusalOf(p.ask, p.pod, node, asked) })),
      complete: nodes.complete,
    };
    remembered.set(p, fits);
  }
  return fits;
}

/** Where the scheduler's message is understood and reports no lack of resources, there is none. */
function requestsThatMatter(p: PodCase): ReadonlyMap<string, string> {
  const said = p.schedulingMessage;
  return !said || !isUnderstood(said) || /Insufficient |Too many pods/i.test(said.raw)
    ? requestsOf(p.pod)
    : new Map<string, string>();
}

/** Everything that keeps the pod off a node. The scheduler reports only the first: a fix has to end all of it. */
export function refusalsOf(p: PodCase, node: Node): Refusal[] {
  const cordoned = refusedAsCordoned(p.pod, node);
  const asked = requestsOf(p.pod);
  const lacks = [...requestsThatMatter(p).keys()].flatMap((name) => {
    const amount = asked.get(name);
    return amount === undefined ? [] : (refusedByResources(p.ask, node, new Map([[name, amount]])) ?? []);
  });
  return [
    ...(cordoned ? [cordoned] : []),
    ...untoleratedTaints(p.pod.spec?.tolerations, node.spec?.taints)
      // A cordon sets this taint, and ends with it.
      .filter(({ key }) => !cordoned || key !== cordonTaint.key)
      .map((taint) => refusalByTaint(node, taint)),
    ...missingLabels(p.pod, node),
    ...refusedByAffinity(p.pod, node),
    ...lacks,
  ];
}

/** In the order of pkg/scheduler/apis/config/v1/default_plugins.go: the first filter that refuses a node counts. */
function refusalOf(ask: Inquiry, pod: Pod, node: Node, asked: ReadonlyMap<string, string>): Refusal | undefined {
  return (
    refusedAsCordoned(pod, node) ??
    refusedByTaint(pod, node) ??
    refusedBySelector(pod, node) ??
    refusedByResources(ask, node, asked)
  );
}

/** The filters before resources: what no other pod on the node can change. */
export function refusalByConstraints(pod: Pod, node: Node): Refusal | undefined {
  return refusedAsCordoned(pod, node) ?? refusedByTaint(pod, node) ?? refusedBySelector(pod, node);
}

const cordonTaint: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

function refusedAsCordoned(pod: Pod, node: Node): Refusal | undefined {
  if (node.spec?.unschedulable !== true || toleratesTaint(pod.spec?.tolerations, cordonTaint)) return undefined;
  return { filter: 'unschedulable', text: 'is cordoned', evidence: field(node, 'spec.unschedulable') };
}

function refusedByTaint(pod: Pod, node: Node): Refusal | undefined {
  const [taint] = untoleratedTaints(pod.spec?.tolerations, node.spec?.taints);
  return taint && refusalByTaint(node, taint);
}

function refusalByTaint(node: Node, taint: Taint): Refusal {
  const text = taintText(taint);
  const ready = conditionOf(node.status?.conditions, 'Ready');
  const isDown = /^node\.kubernetes\.io\/(not-ready|unreachable)$/.test(taint.key ?? '') && ready?.status !== 'True';
  return {
    filter: 'taint',
    text: `${isDown ? 'is not ready and ' : ''}has taint ${text}`,
    evidence: field(node, 'spec.taints', text),
    taint,
  };
}

/** `dedicated=batch:NoSchedule`, as `kubectl taint` takes and prints it. */
export function taintText({ key, value, effect }: Taint): string {
  return `${key ?? ''}${value ? `=${value}` : ''}:${effect ?? ''}`;
}

function refusedBySelector(pod: Pod, node: Node): Refusal | undefined {
  return missingLabels(pod, node)[0] ?? refusedByAffinity(pod, node)[0];
}

/** The labels of the pod's nodeSelector that the node does not have. */
function missingLabels(pod: Pod, node: Node): Refusal[] {
  const labels = node.metadata.labels ?? {};
  return Object.entries(pod.spec?.nodeSelector ?? {})
    .filter(([key, value]) => labels[key] !== value)
    .map(([key, value]) => ({
      filter: 'selector',
      text: `does not have label ${key}=${value}, which the pod's nodeSelector demands`,
      evidence: field(node, `metadata.labels[${key}]`, labels[key] ?? 'not set'),
      label: { key, value },
    }));
}

function refusedByAffinity(pod: Pod, node: Node): Refusal[] {
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (matchesNodeSelector(required, node.metadata.labels ?? {}, { 'metadata.name': node.metadata.name })) return [];
  return [
    {
      filter: 'selector',
      text: `does not match the pod's node affinity (${describeNodeSelector(required)})`,
      evidence: field(pod, 'spec.affinity.nodeAffinity', describeNodeSelector(required)),
    },
  ];
}

/**
 * What the pod requests against what the node has. What other pods use counts only if all pods of the node are in the
 * snapshot: they are never read for it, because on a live cluster the scheduler's message reports it.
 */
function refusedByResources(ask: Inquiry, node: Node, asked: ReadonlyMap<string, string>): Refusal | undefined {
  const allocatable = node.status?.allocatable;
  if (!allocatable) return undefined;
  const taken = asked.size > 0 ? takenOn(ask, node.metadata.name) : undefined;
  for (const [resource, amount] of asked) {
    const offered = allocatable[resource];
    if (compareQuantities(amount, '0') <= 0 || (offered === undefined && !isExtended(resource))) continue;
    const gap = { name: resource, requested: amount };
    if (compareQuantities(amount, offered) > 0)
      return tooLittle(node, `has ${offered ?? 0} ${resource}, and the pod requests ${amount}`, {
        ...gap,
        free: offered ?? '0',
      });
    const used = taken?.get(resource);
    if (used !== undefined && compareQuantities(addQuantities(used, amount), offered) > 0) {
      const free = compareQuantities(used, offered) < 0 ? addQuantities(offered, `-${used}`) : '0';
      return tooLittle(
        node,
        `has ${offered} ${resource}, of which other pods request ${used}, and the pod requests ${amount}`,
        { ...gap, free },
      );
    }
  }
  return undefined;
}

function tooLittle(node: Node, text: string, resource: ResourceGap): Refusal {
  return {
    filter: 'resources',
    text,
    evidence: field(
      node,
      `status.allocatable.${resource.name}`,
      node.status?.allocatable?.[resource.name] ?? 'not set',
    ),
    resource,
  };
}

/** A resource of a device plugin or an extender, such as example.com/gpu. */
export function isExtended(resource: string): boolean {
  return resource.includes('/') && !resource.startsWith('kubernetes.io/');
}

/** The sum of what the pods of each node request, computed once for all targets. */
const takenByNode = new WeakMap<ClusterGraph, Map<string, ReadonlyMap<string, string>>>();

function takenOn(ask: Inquiry, node: string): ReadonlyMap<string, string> | undefined {
  if (!ask.graph.coverage.answers('Pod', { fieldSelector: `spec.nodeName=${node}` })) return undefined;
  const nodes = takenByNode.get(ask.graph) ?? new Map<string, ReadonlyMap<string, string>>();
  takenByNode.set(ask.graph, nodes);
  const known = nodes.get(node) ?? addRequests(ask, node);
  nodes.set(node, known);
  return known;
}

function addRequests(ask: Inquiry, node: string): ReadonlyMap<string, string> {
  const pods = ask
    .podsOnNode(node)
    .items.filter((pod) => pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed');
  const taken = new Map<string, string>();
  for (const pod of pods)
    for (const [resource, amount] of requestsOf(pod)) taken.set(resource, addQuantities(taken.get(resource), amount));
  return taken;
}

/**
 * What a pod occupies (resource.PodRequests): all containers and sidecars together, or the largest init container;
 * every pod takes one of `pods`.
 */
export function requestsOf(pod: Pod): ReadonlyMap<string, string> {
  const total = new Map<string, string>();
  const add = (requests: NonNullable<Container['resources']>['requests']): void => {
    for (const [resource, amount] of Object.entries(requests ?? {}))
      total.set(resource, addQuantities(total.get(resource), amount));
  };
  for (const container of pod.spec?.containers ?? []) add(container.resources?.requests);
  for (const container of pod.spec?.initContainers ?? [])
    if (container.restartPolicy === 'Always') add(container.resources?.requests);
  for (const container of pod.spec?.initContainers ?? []) {
    for (const [resource, amount] of Object.entries(container.resources?.requests ?? {})) {
      if (compareQuantities(amount, total.get(resource)) > 0) total.set(resource, amount);
    }
  }
  add(pod.spec?.overhead);
  total.set('pods', '1');
  return total;
}
