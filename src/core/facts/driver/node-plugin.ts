import type { Container, CsiNode, Node, ObjectOf, Pod } from '../../kube/kinds.ts';
import {
  describeNodeSelector,
  matchesLabelSelector,
  matchesNodeSelector,
  untoleratedTaints,
} from '../../kube/selectors.ts';
import { flagOf, imageName, likeness, mentionsDriver } from './driver-pods.ts';
import type { PodSpec } from './driver-pods.ts';
import { isNearestDriver } from './nearest-driver.ts';
import type { Inquiry, Listing } from '../../graph/inquiry.ts';

export type DaemonSet = ObjectOf<'DaemonSet'>;

/** The node plugin of one driver on one node, which has to register the driver with the kubelet. */
export interface NodePlugin {
  readonly driver: string;
  readonly node: string;
  /** Its pods on the node, or for the node and not scheduled yet; complete means that there are no others. */
  readonly pods: Listing<Pod>;
  /** Its DaemonSets, searched only if the node has no pod of it. */
  readonly sets: Listing<DaemonSet>;
}

export function findNodePlugin(ask: Inquiry, driver: string, node: string): NodePlugin {
  const onNode = ask.podsOnNode(node);
  const here = pluginPods(ask, driver, onNode.items);
  if (here.length > 0)
    return { driver, node, pods: { items: here, complete: onNode.complete }, sets: { items: [], complete: false } };
  const all = ask.list('DaemonSet', undefined, `where the node plugin of ${driver} is deployed`);
  const sets = mostLikely(ask, driver, all.items, (set) => ({
    name: set.metadata.name,
    spec: set.spec?.template?.spec,
    isPlugin: true,
  }));
  // A pod of the set that could not be scheduled is not on the node yet, so it is searched in its namespace.
  const created = sets.map((set) =>
    ask
      .list('Pod', set.metadata.namespace ?? '', `whether daemonset/${set.metadata.name} has a pod for ${node}`)
      .items.filter((pod) => belongsTo(set, pod)),
  );
  // A pod that the set owns is its pod, also where its containers do not show what they are.
  const owned = created.flat().filter((pod) => isAlive(pod) && nodeOf(pod) === node);
  // A dump without the pods of that namespace: the set's own status counts pods that are not there.
  const isDumpPartial = sets.some((set, index) => (set.status?.numberReady ?? 0) > 0 && created[index]?.length === 0);
  return {
    driver,
    node,
    pods: { items: owned, complete: onNode.complete && !isDumpPartial },
    sets: { items: sets, complete: all.complete },
  };
}

/** The DaemonSets of a driver, wherever they run. */
export function findPluginSets(ask: Inquiry, driver: string): Listing<DaemonSet> {
  const all = ask.list('DaemonSet', undefined, `where the node plugin of ${driver} is deployed`);
  return {
    items: mostLikely(ask, driver, all.items, (set) => ({
      name: set.metadata.name,
      spec: set.spec?.template?.spec,
      isPlugin: true,
    })),
    complete: all.complete,
  };
}

/**
 * The pods of a node plugin among those that were read. They show that a driver is deployed, also where its DaemonSets
 * could not be read.
 */
export function seenPluginPods(ask: Inquiry, driver: string): readonly Pod[] {
  return ask.once(`plugin pods ${driver}`, (own) => pluginPods(own, driver, own.seen('Pod')));
}

export function belongsTo(set: DaemonSet, pod: Pod): boolean {
  if (pod.metadata.namespace !== set.metadata.namespace) return false;
  const owner = pod.metadata.ownerReferences?.find(({ controller }) => controller === true);
  return owner
    ? owner.kind === 'DaemonSet' && owner.name === set.metadata.name
    : matchesLabelSelector(set.spec?.selector, pod.metadata.labels);
}

/**
 * The pods that register this driver: they name it, or, where a shell hides the arguments, only they have a similar
 * name.
 */
function pluginPods(ask: Inquiry, driver: string, pods: readonly Pod[]): readonly Pod[] {
  return mostLikely(ask, driver, pods.filter(isAlive), (pod) => ({
    name: pod.metadata.name,
    spec: pod.spec,
    isPlugin:
      registrarOf(pod.spec) !== undefined ||
      pod.metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet') === true,
  }));
}

function isAlive({ status, metadata }: Pod): boolean {
  return status?.phase !== 'Succeeded' && metadata.deletionTimestamp === undefined;
}

interface Candidate {
  readonly name: string;
  readonly spec: PodSpec | undefined;
  readonly isPlugin: boolean;
}

function mostLikely<T>(ask: Inquiry, driver: string, items: readonly T[], look: (item: T) => Candidate): T[] {
  const candidates = items.map((item) => ({ item, ...look(item) })).filter(({ isPlugin }) => isPlugin);
  const naming = candidates.filter(({ spec }) => mentionsDriver(spec, driver));
  const registrars = naming.filter(({ spec }) => registrarOf(spec) !== undefined);
  if (naming.length > 0) return (registrars.length > 0 ? registrars : naming).map(({ item }) => item);
  const others = ask
    .seen('CSIDriver')
    .map(({ metadata }) => metadata.name)
    .filter((name) => name !== driver);
  const alike = candidates.filter(
    ({ name, spec }) =>
      registrarOf(spec) !== undefined &&
      registeredName(spec) === undefined &&
      likeness(name, spec, driver) === 1 &&
      !others.some((other) => mentionsDriver(spec, other)),
  );
  if (alike.length > 0) return alike.map(({ item }) => item);
  return candidates
    .filter(
      ({ name, spec }) =>
        registrarOf(spec) !== undefined &&
        registeredName(spec) === undefined &&
        isNearestDriver(ask, driver, name, spec) &&
        !others.some((other) => mentionsDriver(spec, other)),
    )
    .map(({ item }) => item);
}

/**
 * The node-driver-registrar: by image, or by name where images are digests; also as a sidecar among the init
 * containers.
 */
export function registrarOf(spec: PodSpec | undefined): Container | undefined {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return (
    containers.find((container) => imageName(container).includes('driver-registrar')) ??
    containers.find((container) => container.name?.includes('registrar'))
  );
}

/** The path of the driver's socket that the registrar gives to the kubelet. */
export function registrationPathOf(spec: PodSpec | undefined): string | undefined {
  const registrar = registrarOf(spec);
  const path = flagOf(registrar, 'kubelet-registration-path');
  return registrar && path !== undefined ? withVariables(path, registrar).replaceAll('\\', '/') : undefined;
}

/** The name of the driver that the pod registers, if the path of its socket contains it. */
export function registeredName(spec: PodSpec | undefined): string | undefined {
  return /\/plugins\/([^/$]+)\/[^/]+$/.exec(registrationPathOf(spec) ?? '')?.[1];
}

/**
 * The driver that a pod registers: the name in the path of its socket, or, where that is no driver of this cluster, the
 * one driver of the cluster that the pod names.
 */
export function driverOfPlugin(ask: Inquiry, spec: PodSpec | undefined): string | undefined {
  if (!registrarOf(spec)) return undefined;
  const inPath = registeredName(spec);
  const known = driversAtHand(ask);
  if (inPath !== undefined && known.has(inPath)) return inPath;
  const named = [...known].filter((driver) => mentionsDriver(spec, driver));
  return named.length === 1 ? named[0] : inPath;
}

/** The drivers that CSIDrivers and CSINodes name, among those that were read. */
export function driversAtHand(ask: Inquiry): ReadonlySet<string> {
  return ask.graph.remember(
    'drivers at hand',
    () =>
      new Set([
        ...ask.seen('CSIDriver').map(({ metadata }) => metadata.name),
        ...ask.seen('CSINode').flatMap(({ spec }) => (spec?.drivers ?? []).map(({ name }) => name ?? '')),
      ]),
  );
}

/**
 * Replaces `$(NAME)` in an argument by the variable of the container; variables from fields of the pod need the pod.
 */
export function withVariables(text: string, container: Container, pod?: Pod): string {
  return text.replaceAll(/\$\(([^)]+)\)/g, (whole, name: string) => {
    const variable = container.env?.findLast((candidate) => candidate.name === name);
    return variable?.value ?? fieldOf(pod, variable?.valueFrom?.fieldRef?.fieldPath) ?? whole;
  });
}

function fieldOf(pod: Pod | undefined, path: string | undefined): string | undefined {
  switch (path) {
    case 'metadata.name':
      return pod?.metadata.name;
    case 'metadata.namespace':
      return pod?.metadata.namespace;
    case 'spec.nodeName':
      return pod?.spec?.nodeName;
    case 'status.podIP':
      return pod?.status?.podIP;
    case 'status.hostIP':
      return pod?.status?.hostIP;
    default:
      return undefined;
  }
}

/** Taints that all pods of DaemonSets tolerate (pkg/controller/daemon/util AddOrUpdateDaemonPodTolerations). */
const alwaysTolerated =
  /^node\.kubernetes\.io\/(not-ready|unreachable|disk-pressure|memory-pressure|pid-pressure|unschedulable)$/;

export interface Exclusion {
  readonly why: 'taint' | 'selector';
  readonly text: string;
  readonly path: string;
}

/** Why a DaemonSet does not run on a node; undefined when nothing in its template excludes the node. */
export function exclusionOf(set: DaemonSet, node: Node): Exclusion | undefined {
  const spec = set.spec?.template?.spec;
  const labels = node.metadata.labels ?? {};
  const unmet = Object.entries(spec?.nodeSelector ?? {}).find(([key, value]) => labels[key] !== value);
  if (unmet)
    return { why: 'selector', text: `wants nodes with ${unmet.join('=')}`, path: 'spec.template.spec.nodeSelector' };
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!matchesNodeSelector(required, labels, { 'metadata.name': node.metadata.name }))
    return {
      why: 'selector',
      text: `wants nodes with ${describeNodeSelector(required)}`,
      path: 'spec.template.spec.affinity',
    };
  const taint = untoleratedTaints(spec?.tolerations, node.spec?.taints).find(
    ({ key }) =>
      !alwaysTolerated.test(key ?? '') &&
      !(spec?.hostNetwork === true && key === 'node.kubernetes.io/network-unavailable'),
  );
  if (!taint) return undefined;
  return {
    why: 'taint',
    text: `does not tolerate taint ${taint.key ?? ''}${taint.value ? `=${taint.value}` : ''}:${taint.effect ?? ''}`,
    path: 'spec.template.spec.tolerations',
  };
}

/** The node of a pod; a DaemonSet ties its pods to their nodes by name, before they are scheduled. */
export function nodeOf(pod: Pod): string | undefined {
  const terms =
    pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return (
    pod.spec?.nodeName ||
    terms.flatMap((term) => term.matchFields ?? []).find(({ key }) => key === 'metadata.name')?.values?.[0]
  );
}

export function lists(csiNode: CsiNode, driver: string): boolean {
  return csiNode.spec?.drivers?.some(({ name }) => name === driver) === true;
}
