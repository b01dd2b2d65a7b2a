import type { Inquiry } from '../../graph/inquiry.ts';
import type { CsiNode, Node, Pod } from '../../kube/kinds.ts';
import type { ObjectCase } from '../object-case.ts';
import { driversAtHand, findPluginSets, lists } from './node-plugin.ts';

/** Most clusters leave out control plane nodes on purpose. */
const controlPlane = /^node-role\.kubernetes\.io\/(control-plane|master)$/;

export function isControlPlane({ spec }: Node): boolean {
  return (spec?.taints ?? []).some(({ key }) => controlPlane.test(key ?? ''));
}

/** Whether pods with volumes run there that no DaemonSet and no file of the node brought: the node serves workloads. */
export function runsVolumes(pods: readonly Pod[]): boolean {
  return pods.some(
    ({ metadata, spec, status }) =>
      status?.phase === 'Running' &&
      metadata.deletionTimestamp === undefined &&
      !(metadata.ownerReferences ?? []).some(({ kind }) => kind === 'DaemonSet' || kind === 'Node') &&
      (spec?.volumes ?? []).some(
        ({ persistentVolumeClaim, ephemeral, csi }) => persistentVolumeClaim ?? ephemeral ?? csi,
      ),
  );
}

/** Nodes without a machine of their own, on which no DaemonSet runs: Fargate, and those of a virtual kubelet. */
export function hasNoMachine({ metadata }: Node): boolean {
  const labels = metadata.labels ?? {};
  return labels['eks.amazonaws.com/compute-type'] === 'fargate' || labels['type'] === 'virtual-kubelet';
}

/**
 * The drivers of the cluster that a node lacks while their DaemonSets could not be read: nothing then shows whether the
 * node is left out on purpose.
 */
export function undecidedDrivers({ ask, object }: ObjectCase<'Node'>, csiNode: CsiNode): string[] {
  if (knowsDaemonSets(ask) || isLeftOut(object)) return [];
  return [...driversAtHand(ask)]
    .filter((driver) => driver !== '' && !lists(csiNode, driver) && hasUnreadSets(ask, driver))
    .sort();
}

/** The same for one driver and the nodes that do not list it. */
export function isUndecidedOn({ ask, name }: ObjectCase<'CSIDriver'>, others: readonly CsiNode[]): boolean {
  if (knowsDaemonSets(ask)) return false;
  const isOrdinary = ({ metadata }: CsiNode): boolean => {
    const node = ask.graph.find('Node', undefined, metadata.name);
    return node === undefined || !isLeftOut(node);
  };
  return others.some(isOrdinary) && hasUnreadSets(ask, name);
}

function isLeftOut(node: Node): boolean {
  return isControlPlane(node) || hasNoMachine(node);
}

function knowsDaemonSets({ graph }: Inquiry): boolean {
  return graph.coverage.answers('DaemonSet', {});
}

function hasUnreadSets(ask: Inquiry, driver: string): boolean {
  const sets = findPluginSets(ask, driver);
  return sets.items.length === 0 && !sets.complete;
}
