import type { DriverEndpoints, DriverPlace, EndpointQuestion } from '../../report/driver-endpoints.ts';
import type { CsiNode, Kind, Pod } from '../../kube/kinds.ts';
import type { ProbeRole } from '../../report/probe-report.ts';
import type { SidecarStatus } from '../../report/status.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { belongsTo, findNodePlugin, findPluginSets, lists, nodeOf, registrarOf } from './node-plugin.ts';
import { isTerminated } from '../pod/pod-state.ts';
import { surveyController } from './driver-controller.ts';
import { bareController, bareNode, nowhere, unsearchedNode } from './driver-endpoints-bare.ts';
import { callersOf, healthOf } from './driver-endpoints-sidecars.ts';
import { socketOf } from './driver-endpoints-socket.ts';
import { hasEnded, judgeObjects, runningMsOf, tellContainers } from './driver-endpoints-state.ts';

/**
 * The pods of nodes without a DaemonSet pod are read node by node; for more nodes than this, that would take too long.
 */
const mostSingleNodes = 20;

/** Where the drivers of a cluster listen, from the specs of their pods, and what the objects show about them. */
export function surveyEndpoints(ask: Inquiry, question: EndpointQuestion): DriverEndpoints {
  const objects = ask.list('CSIDriver', undefined, 'which drivers are installed');
  const csiNodes = ask.list('CSINode', undefined, 'on which nodes the drivers are registered');
  const driverNames = [
    ...new Set([
      ...objects.items.map(({ metadata }) => metadata.name),
      ...csiNodes.items.flatMap(({ spec }) => (spec?.drivers ?? []).flatMap(({ name }) => (name ? [name] : []))),
    ]),
  ].sort(compareText);
  const missingDrivers =
    objects.complete && csiNodes.complete ? question.drivers.filter((driver) => !driverNames.includes(driver)) : [];
  const wanted =
    question.drivers.length > 0 ? question.drivers.filter((driver) => !missingDrivers.includes(driver)) : driverNames;
  const places = wanted.flatMap((driver) =>
    new DriverSearch(ask, driver, csiNodes.items, csiNodes.complete).places(question.nodes),
  );
  const nodeNames = csiNodes.items.map(({ metadata }) => metadata.name);
  const missingNodes = csiNodes.complete
    ? question.nodes.filter(
        (node) => !nodeNames.includes(node) && !places.some((place) => place.node === node && place.pod !== undefined),
      )
    : [];
  return { places, driverNames, nodeNames, missingDrivers, missingNodes };
}

interface PluginPods {
  readonly pods: readonly Pod[];
  /** Nodes whose pods were not searched, because there are too many of them. */
  readonly unsearched: ReadonlySet<string>;
}

class DriverSearch {
  readonly #ask: Inquiry;
  readonly #driver: string;
  readonly #csiNodes: ReadonlyMap<string, CsiNode>;
  readonly #isComplete: boolean;

  constructor(ask: Inquiry, driver: string, csiNodes: readonly CsiNode[], isComplete: boolean) {
    this.#ask = ask;
    this.#driver = driver;
    this.#csiNodes = new Map(csiNodes.map((csiNode) => [csiNode.metadata.name, csiNode]));
    this.#isComplete = isComplete;
  }

  /** On these nodes, or everywhere. */
  places(nodes: readonly string[]): DriverPlace[] {
    const { pods: controllers, sidecars, fix } = surveyController(this.#ask, this.#driver);
    const leading = sidecars.flatMap(tellLeading);
    const plugins = this.#pluginPods(nodes, controllers);
    const found = [...rolesOfPods(controllers, plugins.pods, nodes)].map(([pod, roles]) =>
      this.#placeOf(pod, roles, roles.includes('controller') ? leading : []),
    );
    const covered = new Set(found.filter((place) => place.roles.includes('node')).map(({ node }) => node));
    const bare = this.#nodesToCover(nodes)
      .filter((node) => !covered.has(node) && (!this.#isComplete || this.#csiNodes.has(node)))
      .map((node) => this.#bareNode(node, plugins.unsearched.has(node)));
    // A lease shows that the controller is alive, but not in which pod.
    const unseen =
      leading.length > 0 && controllers.length === 0 && nodes.length === 0
        ? [bareController(this.#driver, leading, { sidecars, fix }, this.#isBlind)]
        : [];
    const places = [...found, ...bare, ...unseen];
    if (places.length === 0 && nodes.length === 0) return [nowhere(this.#driver, !this.#isComplete || this.#isBlind)];
    return places.sort(byPlace);
  }

  #nodesToCover(nodes: readonly string[]): readonly string[] {
    if (nodes.length > 0) return nodes;
    return [...this.#csiNodes.values()]
      .filter((csiNode) => lists(csiNode, this.#driver))
      .map(({ metadata }) => metadata.name);
  }

  /**
   * The pods of its DaemonSets, read by namespace; then, on nodes without one, any other pod that registers the driver
   * there.
   */
  #pluginPods(nodes: readonly string[], controllers: readonly Pod[]): PluginPods {
    const sets = findPluginSets(this.#ask, this.#driver).items;
    const ofSets = sets.flatMap((set) =>
      this.#ask
        .list('Pod', set.metadata.namespace ?? '', `where daemonset/${set.metadata.name} runs`)
        .items.filter((pod) => belongsTo(set, pod)),
    );
    // Small drivers have one pod that is the controller and registers the driver too.
    const both = controllers.filter((pod) => registrarOf(pod.spec) !== undefined);
    const covered = new Set([...ofSets, ...both].map(nodeOf));
    const others = this.#nodesToCover(nodes).filter((node) => !covered.has(node));
    const isTooMany = others.length > mostSingleNodes;
    const single = isTooMany ? [] : others.flatMap((node) => findNodePlugin(this.#ask, this.#driver, node).pods.items);
    return { pods: [...new Set([...ofSets, ...single, ...both])], unsearched: new Set(isTooMany ? others : []) };
  }

  #placeOf(pod: Pod, roles: readonly ProbeRole[], leading: readonly string[]): DriverPlace {
    const { now } = this.#ask;
    const node = nodeOf(pod);
    const socket = socketOf(pod);
    const facts = {
      driver: this.#driver,
      pod,
      container: socket.container,
      node,
      isRegistered: roles.includes('node') && node !== undefined ? this.#isRegistered(node) : undefined,
      now,
    };
    const verdict = judgeObjects(facts);
    const health = healthOf(pod, now);
    const runningMs = runningMsOf(facts);
    return {
      driver: this.#driver,
      roles,
      ...(node !== undefined && { node }),
      namespace: pod.metadata.namespace ?? 'default',
      pod: pod.metadata.name,
      ...socket,
      isRunning: verdict.failure !== 'container-not-running',
      ...(runningMs !== undefined && { runningMs }),
      hasEnded: hasEnded(facts),
      ...(health && { health }),
      callers: callersOf(pod),
      known: [...tellContainers(facts), ...leading],
      verdict,
    };
  }

  #isRegistered(node: string): boolean | undefined {
    const csiNode = this.#csiNodes.get(node);
    if (csiNode) return lists(csiNode, this.#driver);
    return this.#isComplete ? false : undefined;
  }

  #bareNode(node: string, isUnsearched: boolean): DriverPlace {
    const isRegistered = this.#isRegistered(node);
    return isUnsearched && isRegistered === true
      ? unsearchedNode(this.#driver, node)
      : bareNode(this.#driver, node, isRegistered, this.#isBlind);
  }

  /** Something that would have shown a pod could not be read. */
  get #isBlind(): boolean {
    return this.#ask.unanswered.some(({ kind }) => kindsThatShowPods.includes(kind));
  }
}

const kindsThatShowPods: readonly Kind[] = ['Pod', 'DaemonSet', 'Deployment', 'StatefulSet', 'Lease'];

function tellLeading({ role, state, leader, why }: SidecarStatus): string[] {
  if (leader) return [`the leader of the ${role} is ${leader.holder}`];
  return state === 'down' && why !== undefined ? [`the ${role} ${why}`] : [];
}

/** The pods on these nodes, or all of them; one pod may have both roles. */
function rolesOfPods(
  controllers: readonly Pod[],
  plugins: readonly Pod[],
  nodes: readonly string[],
): ReadonlyMap<Pod, readonly ProbeRole[]> {
  const roles = new Map<Pod, readonly ProbeRole[]>();
  for (const [role, pods] of [
    ['controller', controllers],
    ['node', plugins],
  ] as const) {
    for (const pod of pods) {
      const isWanted = !isTerminated(pod) && (nodes.length === 0 || nodes.includes(nodeOf(pod) ?? ''));
      if (isWanted) roles.set(pod, [...(roles.get(pod) ?? []), role]);
    }
  }
  return roles;
}

/** Controllers first, then by node and pod. */
function byPlace(a: DriverPlace, b: DriverPlace): number {
  return (
    Number(!a.roles.includes('controller')) - Number(!b.roles.includes('controller')) ||
    compareText(a.node ?? '', b.node ?? '') ||
    compareText(a.pod ?? '', b.pod ?? '')
  );
}
