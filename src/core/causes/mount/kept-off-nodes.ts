import { belongsTo, exclusionOf, findPluginSets, lists, nodeOf } from '../../facts/driver/node-plugin.ts';
import type { DaemonSet } from '../../facts/driver/node-plugin.ts';
import { hasNoMachine, isControlPlane, runsVolumes } from '../../facts/driver/undecided-plugin.ts';
import { field, note } from '../../facts/evidence.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import { nameAll } from '../../facts/pod/pod-placement.ts';
import { conditionOf, hasMountedVolumes, isTerminated } from '../../facts/pod/pod-state.ts';
import { claimNamesOf } from '../../graph/cluster-graph.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { CsiNode, Node, Pod } from '../../kube/kinds.ts';

/** A node without a pod of the driver, because its DaemonSet does not tolerate a taint of the node. */
export interface KeptOff {
  readonly node: Node;
  readonly set: DaemonSet;
  /** "does not tolerate taint …" */
  readonly text: string;
  /** A pod on the node that waits for a volume of the driver. */
  readonly waiting: Pod | undefined;
}

/** A node that is about to leave, or is out of service, needs no driver any more. */
const leaving =
  /^(ToBeDeletedByClusterAutoscaler|karpenter\.sh\/disrupt(ed|ion)|node\.kubernetes\.io\/out-of-service)$/;

/**
 * The nodes for pods with volumes that a taint keeps free of the driver. Drivers keep off the control plane on purpose,
 * unless ordinary pods with volumes run there.
 */
export function keptOffNodes(d: ObjectCase<'CSIDriver'>, csiNodes: readonly CsiNode[]): KeptOff[] {
  const { ask, name } = d;
  const sets = findPluginSets(ask, name).items;
  const wanted = sets.reduce((sum, { status }) => sum + (status?.desiredNumberScheduled ?? 0), 0);
  // The DaemonSets want every node: no taint keeps them off.
  if (sets.length === 0 || wanted >= csiNodes.length || !csiNodes.some((csiNode) => lists(csiNode, name))) return [];
  const known = sets.map((set) =>
    ask.list('Pod', set.metadata.namespace ?? '', `whether the node plugin of ${name} runs on its nodes`),
  );
  const isComplete = known.every(({ complete }) => complete);
  const pods = known.flatMap(({ items }) => items.filter((pod) => sets.some((set) => belongsTo(set, pod))));
  const taken = new Set(pods.map(nodeOf));
  return csiNodes
    .filter(({ metadata }) => !taken.has(metadata.name))
    .filter((csiNode) => isComplete || !lists(csiNode, name))
    .flatMap(({ metadata }) => keptOff(ask, name, metadata.name, sets) ?? []);
}

function keptOff(ask: Inquiry, driver: string, name: string, sets: readonly DaemonSet[]): KeptOff | undefined {
  const lookup = ask.get('Node', undefined, name, `whether a taint keeps ${driver} off ${name}`);
  if (lookup.state !== 'found') return undefined;
  const node = lookup.object;
  if (conditionOf(node.status?.conditions, 'Ready')?.status !== 'True' || hasNoMachine(node)) return undefined;
  if ((node.spec?.taints ?? []).some(({ key }) => leaving.test(key ?? ''))) return undefined;
  const exclusions = sets.map((set) => ({ set, exclusion: exclusionOf(set, node) }));
  if (exclusions.some(({ exclusion }) => exclusion === undefined)) return undefined;
  const nearest = exclusions.find(({ exclusion }) => exclusion?.why === 'taint');
  if (!nearest?.exclusion) return undefined;
  const pods = ask.podsOnNode(name).items;
  if (isControlPlane(node) && !runsVolumes(pods)) return undefined;
  const waiting = pods.find((pod) => waitsForDriver(ask, pod, driver));
  return { node, set: nearest.set, text: nearest.exclusion.text, waiting };
}

function waitsForDriver(ask: Inquiry, pod: Pod, driver: string): boolean {
  if (hasMountedVolumes(pod) || isTerminated(pod) || pod.metadata.deletionTimestamp !== undefined) return false;
  if ((pod.spec?.volumes ?? []).some(({ csi }) => csi?.driver === driver)) return true;
  const namespace = pod.metadata.namespace ?? '';
  return claimNamesOf(pod).some((claimName) => {
    const needed = `whether pod/${pod.metadata.name} waits for a volume of ${driver}`;
    const claim = ask.get('PersistentVolumeClaim', namespace, claimName, needed);
    const volumeName = claim.state === 'found' ? claim.object.spec?.volumeName : undefined;
    if (!volumeName) return false;
    const volume = ask.get('PersistentVolume', undefined, volumeName, needed);
    return volume.state === 'found' && volume.object.spec?.csi?.driver === driver;
  });
}

/** Completes the finding: which nodes, why, and what that means for pods there. */
export function describeKeptOff(driver: string, nodes: readonly [KeptOff, ...KeptOff[]]) {
  const [first] = nodes;
  const waiting = nodes.find((each) => each.waiting)?.waiting;
  const set = `daemonset/${first.set.metadata.name} in namespace ${first.set.metadata.namespace ?? ''}`;
  const names = nameAll(nodes.map(({ node }) => node.metadata.name));
  const effect = waiting
    ? `pod/${waiting.metadata.name} in namespace ${waiting.metadata.namespace ?? ''} waits there for a volume of it`
    : 'pods there cannot use its volumes';
  const more = nodes
    .slice(1, mostShown)
    .map(({ node, text }) => field(node, 'spec.taints', text.replace(/^.* taint /, '')));
  return {
    summary: `Driver ${driver} is not running on ${names}: ${set} ${first.text}, and ${effect}.`,
    evidence: [
      field(first.set, 'spec.template.spec.tolerations'),
      field(first.node, 'spec.taints', first.text.replace(/^.* taint /, '')),
      ...more,
      ...(waiting ? [note(waiting, `waits on ${waiting.spec?.nodeName ?? ''}`)] : []),
    ],
    isBlocking: waiting !== undefined,
  } as const;
}

const mostShown = 3;
