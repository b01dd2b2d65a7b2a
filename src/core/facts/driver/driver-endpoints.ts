import type { DriverEndpoints, DriverPlace, EndpointQuestion } from '../../report/driver-endpoints.ts';
import type { CsiNode, Pod } from '../../kube/kinds.ts';
import type { ProbeRole } from '../../report/probe-report.ts';
import type { SidecarStatus } from '../../report/status.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { belongsTo, findNodePlugin, findPluginSets, lists, nodeOf, registrarOf } from './node-plugin.ts';
import { fix, shellWord } from '../evidence.ts';
import { isTerminated } from '../pod/pod-state.ts';
import { surveyController } from './driver-controller.ts';
import { callersOf, healthOf } from './driver-endpoints-sidecars.ts';
import { socketOf } from './driver-endpoints-socket.ts';
import { hasEnded, judgeObjects, tellContainers } from './driver-endpoints-state.ts';

/** Nodes that no DaemonSet accounts for are asked for their pods one by one; past so many that would cost more than it tells. */
const mostSingleNodes = 20;

/** Where the drivers of a cluster listen, by the specs of their pods, and what is known of them without asking one. */
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

  places(nodes: readonly string[]): DriverPlace[] {
    const { pods: controllers, sidecars } = surveyController(this.#ask, this.#driver);
    const leading = sidecars.flatMap(({ role, state, leader, why }) =>
      leader
        ? [`the ${role} leads as ${leader.holder}`]
        : state === 'down' && why !== undefined
          ? [`the ${role} ${why}`]
          : [],
    );
    const { pods: plugins, unsearched } = this.#pluginPods(nodes, controllers);
    const roles = new Map<Pod, ProbeRole[]>();
    for (const [pod, role] of [
      ...controllers.map((pod) => [pod, 'controller'] as const),
      ...plugins.map((pod) => [pod, 'node'] as const),
    ]) {
      if (!isTerminated(pod) && (nodes.length === 0 || nodes.includes(nodeOf(pod) ?? '')))
        roles.set(pod, [...(roles.get(pod) ?? []), role]);
    }
    const found = [...roles].map(([pod, own]) => this.#placeOf(pod, own, own.includes('controller') ? leading : []));
    const covered = new Set(found.filter((place) => place.roles.includes('node')).map(({ node }) => node));
    const bare = (nodes.length > 0 ? nodes : this.#registeredNodes())
      .filter((node) => !covered.has(node) && (!this.#isComplete || this.#csiNodes.has(node)))
      .map((node) => this.#bareNode(node, unsearched.has(node)));
    // Its leader says that it is alive, but not in which pod.
    const unseen =
      leading.length > 0 && controllers.length === 0 && nodes.length === 0
        ? [this.#bareController(leading, sidecars)]
        : [];
    if (found.length + bare.length + unseen.length === 0 && nodes.length === 0) return [this.#nowhere()];
    return [...found, ...bare, ...unseen].sort(
      (a, b) =>
        Number(!a.roles.includes('controller')) - Number(!b.roles.includes('controller')) ||
        compareText(a.node ?? '', b.node ?? '') ||
        compareText(a.pod ?? '', b.pod ?? ''),
    );
  }

  #registeredNodes(): string[] {
    return [...this.#csiNodes.values()]
      .filter((csiNode) => lists(csiNode, this.#driver))
      .map(({ metadata }) => metadata.name);
  }

  /** Those of its DaemonSets, read by the namespace; then, on nodes that have none, whatever else registers it there. */
  #pluginPods(
    nodes: readonly string[],
    controllers: readonly Pod[],
  ): { readonly pods: readonly Pod[]; readonly unsearched: ReadonlySet<string> } {
    const sets = findPluginSets(this.#ask, this.#driver).items;
    const ofSets = sets.flatMap((set) =>
      this.#ask
        .list('Pod', set.metadata.namespace ?? '', `where daemonset/${set.metadata.name} runs`)
        .items.filter((pod) => belongsTo(set, pod)),
    );
    // A pod that is the controller and registers the driver too, as small drivers have it.
    const both = controllers.filter((pod) => registrarOf(pod.spec) !== undefined);
    const covered = new Set([...ofSets, ...both].map(nodeOf));
    const others = (nodes.length > 0 ? nodes : this.#registeredNodes()).filter((node) => !covered.has(node));
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
    return {
      driver: this.#driver,
      roles,
      ...(node !== undefined && { node }),
      namespace: pod.metadata.namespace ?? 'default',
      pod: pod.metadata.name,
      ...socket,
      isRunning: verdict.failure !== 'container-not-running',
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

  /** Something that would have shown a pod could not be read. */
  get #isBlind(): boolean {
    return this.#ask.unanswered.some(
      ({ kind }) =>
        kind === 'Pod' || kind === 'DaemonSet' || kind === 'Deployment' || kind === 'StatefulSet' || kind === 'Lease',
    );
  }

  /** A driver may run as a plain process of the node; its registration may also be left over. */
  #bareNode(node: string, isUnsearched: boolean): DriverPlace {
    const isRegistered = this.#isRegistered(node);
    if (isUnsearched && isRegistered === true) return this.#unsearchedNode(node);
    const pods = this.#isBlind ? 'whether a pod of it runs there could not be read' : 'no pod of it is known there';
    const base = {
      driver: this.#driver,
      roles: ['node'],
      node,
      isRunning: isRegistered !== false,
      hasEnded: false,
      callers: [],
    } as const;
    if (isRegistered === undefined)
      return {
        ...base,
        known: [],
        verdict: {
          status: 'unknown',
          summary: `whether the kubelet of ${node} has registered the driver could not be read, and ${pods}`,
          fix: [],
        },
      };
    if (!isRegistered)
      return {
        ...base,
        known: [],
        verdict: {
          status: 'unreachable',
          failure: 'not-registered',
          summary: `the kubelet of ${node} has not registered the driver, and ${pods}`,
          fix: [fix('see why', `kubectl csi why node/${shellWord(node)}`)],
        },
      };
    const summary = `the kubelet of ${node} has registered the driver, but ${this.#isBlind ? pods : `${pods}; it may run outside of pods`}`;
    return {
      ...base,
      known: [`the kubelet of ${node} has registered it`],
      verdict: {
        status: 'unknown',
        summary,
        fix: [fix('ask its socket on the node itself', 'sudo kubectl-csi probe')],
      },
    };
  }

  /** That no pod is known there would be said of what nobody looked for. */
  #unsearchedNode(node: string): DriverPlace {
    const summary = `the kubelet of ${node} has registered the driver, but no DaemonSet of it is known, and on so many nodes its pods were not looked for one by one`;
    return {
      driver: this.#driver,
      roles: ['node'],
      node,
      isRunning: true,
      hasEnded: false,
      callers: [],
      known: [`the kubelet of ${node} has registered it`],
      verdict: {
        status: 'unknown',
        summary,
        fix: [fix('look on one node', `kubectl csi probe ${shellWord(this.#driver)} --node ${shellWord(node)}`)],
      },
    };
  }

  #bareController(leading: readonly string[], sidecars: readonly SidecarStatus[]): DriverPlace {
    const down = sidecars.find(({ state, why }) => state === 'down' && why !== undefined);
    const verdict: DriverPlace['verdict'] =
      down === undefined || sidecars.some(({ leader }) => leader !== undefined)
        ? {
            status: 'unknown',
            summary: `${this.#isBlind ? 'the pods of its controller could not be read' : 'no pod of its controller was found'}; its sidecars show themselves by their leases only`,
            fix: [],
          }
        : {
            status: 'unreachable',
            failure: 'container-not-running',
            summary: `no controller of the driver runs: the ${down.role} ${down.why ?? ''}`,
            fix: [fix('see what hangs on it', `kubectl csi why csidriver/${shellWord(this.#driver)}`)],
          };
    return {
      driver: this.#driver,
      roles: ['controller'],
      isRunning: false,
      hasEnded: false,
      callers: [],
      known: leading,
      verdict,
    };
  }

  #nowhere(): DriverPlace {
    const base = { driver: this.#driver, roles: [], isRunning: false, hasEnded: false, callers: [], known: [] };
    if (!this.#isComplete || this.#isBlind)
      return {
        ...base,
        verdict: {
          status: 'unknown',
          summary: 'no trace of the driver was found, but not all that could show one could be read',
          fix: [],
        },
      };
    return {
      ...base,
      verdict: {
        status: 'unreachable',
        failure: 'not-registered',
        summary: 'the driver is installed, but it is registered on no node and no pod of it was found',
        fix: [fix('see what is wrong with it', `kubectl csi why csidriver/${shellWord(this.#driver)}`)],
      },
    };
  }
}
