import type { CsiDriver, Node, Pod } from '../../kube/kinds.ts';
import type { Extent, Placement, Slots } from '../../report/status.ts';
import { mentionsDriver } from './driver-pods.ts';
import type { Inquiry, Listing } from '../../graph/inquiry.ts';
import { refOf } from '../../graph/inquiry.ts';
import { belongsTo, exclusionOf, findPluginSets, lists, nodeOf, registrarOf } from './node-plugin.ts';
import type { DaemonSet } from './node-plugin.ts';
import { compareText } from '../../graph/cluster-graph.ts';
import { whyNotRunning } from '../pod/pod-health.ts';
import { conditionOf, isReady } from '../pod/pod-state.ts';
import { slotsOfDriver } from '../volume/volume-slots.ts';

interface PlacementSurvey {
  readonly extent: Extent;
  readonly placements: readonly Placement[];
  readonly pods: readonly Pod[];
  readonly template?: DaemonSet;
}

/** On which nodes the driver is registered and its plugin runs, and on which it should and does not. */
export function surveyPlacements(ask: Inquiry, driver: string, object: CsiDriver | undefined): PlacementSurvey {
  const csiNodes = ask.list('CSINode', undefined, `on which nodes ${driver} is registered`);
  const nodes = ask.list('Node', undefined, 'which nodes there are');
  const plugin = findPlugin(ask, driver);
  const registered = new Map(csiNodes.items.map((csiNode) => [csiNode.metadata.name, lists(csiNode, driver)]));
  const byName = new Map(nodes.items.map((node) => [node.metadata.name, node]));
  const slots = countSlots(ask, driver, object);
  // A node without a CSINode counts only if all CSINodes are known.
  const unlisted = csiNodes.complete ? false : undefined;
  const placements = [...new Set([...byName.keys(), ...registered.keys()])].sort(compareText).map((name): Placement => {
    const isRegistered = registered.get(name) ?? unlisted;
    const hasCsiNode = registered.has(name) || unlisted;
    const placement = placeOn({ name, node: byName.get(name), isRegistered, hasCsiNode }, plugin);
    const own = slots.get(name);
    return { ...placement, ...(isRegistered !== undefined && { isRegistered }), ...(own && { slots: own }) };
  });
  const [template] = plugin.sets.items;
  return {
    extent: extentOf(csiNodes),
    placements,
    pods: [...plugin.pods.values()].flat(),
    ...(template && { template }),
  };
}

function extentOf({ items, complete }: Listing<unknown>): Extent {
  if (complete) return 'all';
  return items.length > 0 ? 'some' : 'none';
}

interface Plugin {
  readonly sets: Listing<DaemonSet>;
  readonly pods: ReadonlyMap<string, readonly Pod[]>;
  /** All pods of the sets are known. */
  readonly isComplete: boolean;
}

/**
 * The pods of its DaemonSets, read by namespace: there is one on each node, and a list of all pods would be far longer.
 */
function findPlugin(ask: Inquiry, driver: string): Plugin {
  const sets = setsOf(ask, driver);
  const listings = sets.items.map((set) => ({
    set,
    listing: ask.list('Pod', set.metadata.namespace ?? '', `whether daemonset/${set.metadata.name} runs on every node`),
  }));
  const pods = listings.flatMap(({ set, listing }) =>
    listing.items.filter((pod) => belongsTo(set, pod) && pod.metadata.deletionTimestamp === undefined),
  );
  return {
    sets,
    pods: Map.groupBy(pods, (pod) => nodeOf(pod) ?? ''),
    isComplete: sets.complete && listings.every(({ listing }) => listing.complete),
  };
}

/** The DaemonSets whose templates name the driver, or else those whose pods in the snapshot do. */
function setsOf(ask: Inquiry, driver: string): Listing<DaemonSet> {
  const found = findPluginSets(ask, driver);
  if (found.items.length > 0) return found;
  const registrars = ask
    .seen('Pod')
    .filter((pod) => registrarOf(pod.spec) !== undefined && mentionsDriver(pod.spec, driver));
  return {
    items: ask.seen('DaemonSet').filter((set) => registrars.some((pod) => belongsTo(set, pod))),
    complete: found.complete,
  };
}

interface KnownNode {
  readonly name: string;
  readonly node: Node | undefined;
  /** Both are undefined when CSINodes could not be read. */
  readonly isRegistered: boolean | undefined;
  readonly hasCsiNode: boolean | undefined;
}

function placeOn(known: KnownNode, plugin: Plugin): Placement {
  const { name, node, isRegistered, hasCsiNode } = known;
  const pods = plugin.pods.get(name) ?? [];
  const pod = pods.find(isReady) ?? pods[0];
  const shown = pod && { pod: refOf(pod) };
  if (pod && !isReady(pod)) return { node: name, state: 'notReady', ...shown, why: whyNotReady(pod) };
  if (isRegistered === undefined) return { node: name, state: 'unknown', ...shown };
  if (hasCsiNode === false) return { node: name, state: 'missing', ...shown, why: 'the node has no CSINode object' };
  if (isRegistered) {
    const isPodMissing = !pod && plugin.isComplete && plugin.sets.items.length > 0;
    if (isPodMissing) return { node: name, state: 'notReady', why: 'registered, but it has no pod there' };
    // What the kubelet of such a node reported last, readiness of pods included, may be long past.
    if (node && !isNodeReady(node)) return { node: name, state: 'notReady', ...shown, why: 'the node is not ready' };
    return { node: name, state: 'ready', ...shown };
  }
  if (pod)
    return { node: name, state: 'missing', ...shown, why: 'its pod is ready, but the kubelet has not registered it' };
  return placeWithoutPod(known, plugin);
}

function isNodeReady({ status }: Node): boolean {
  const ready = conditionOf(status?.conditions, 'Ready');
  return ready === undefined || ready.status === 'True';
}

/** Neither registered nor with a pod: a DaemonSet may avoid the node on purpose. */
function placeWithoutPod({ name, node }: KnownNode, plugin: Plugin): Placement {
  const exclusions = node ? plugin.sets.items.map((set) => exclusionOf(set, node)) : [];
  const [exclusion] = exclusions;
  if (exclusions.length > 0 && exclusions.every((each) => each !== undefined))
    return { node: name, state: 'excluded', ...(exclusion && { why: `daemonset ${exclusion.text}` }) };
  if (plugin.sets.items.length === 0 || !node) return { node: name, state: 'absent' };
  return { node: name, state: 'missing', why: plugin.isComplete ? 'it has no pod there' : 'not registered' };
}

/** Where the pod runs and is not ready, its Ready condition may say why. */
function whyNotReady(pod: Pod): string {
  const why = whyNotRunning(pod);
  if (!why.startsWith('not ready')) return why;
  const message = conditionOf(pod.status?.conditions, 'Ready')?.message;
  return message === undefined || message === '' ? why : `not ready: ${message}`;
}

/** Volumes that are not attached are counted by their pods, so the count needs all pods of the cluster. */
function countSlots(ask: Inquiry, driver: string, object: CsiDriver | undefined): ReadonlyMap<string, Slots> {
  const limited = ask
    .seen('CSINode')
    .some(({ spec }) =>
      spec?.drivers?.some(({ name, allocatable }) => name === driver && allocatable?.count !== undefined),
    );
  if (!limited) return new Map();
  const { nodes, complete } = slotsOfDriver(ask, driver);
  const isCounted = complete && (object?.spec?.attachRequired !== false || ask.graph.coverage.answers('Pod', {}));
  return new Map(
    nodes.map(({ node, limit, used }) => [
      node,
      isCounted ? { limit, used, level: levelOf(used, limit) } : { limit, level: 'unknown' as const },
    ]),
  );
}

/** Near: at most a tenth of the slots, or one slot, is free, so the next pod may not fit. */
function levelOf(used: number, limit: number): Slots['level'] {
  if (used >= limit) return 'full';
  return limit - used <= Math.max(1, Math.floor(limit / 10)) ? 'near' : 'free';
}
