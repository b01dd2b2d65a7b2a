import { compareQuantities, addQuantities } from '../../core/kube/quantity.ts';
import { matchesNodeSelector, untoleratedTaints } from '../../core/kube/selectors.ts';
import type { RawObject } from '../../core/kube/snapshot.ts';
import type { Cluster } from '../cluster.ts';
import { entriesAt, listAt, numberAt, textAt, valueAt } from '../fields.ts';
import { findVolume } from './match-volume.ts';
import { bindsLate, claimsOf, classOf, hasEnded, isBound, labelsOf, requestOf, volumeOf } from './storage-objects.ts';

type Selector = Parameters<typeof matchesNodeSelector>[0];
type Tolerations = Parameters<typeof untoleratedTaints>[0];
type Taints = Parameters<typeof untoleratedTaints>[1];

/**
 * Why a node cannot take a pod, in the scheduler's words; undefined if it can. The filters run in the scheduler's
 * order.
 */
export function refusalOf(pod: RawObject, node: RawObject, cluster: Cluster): string | undefined {
  return (
    refusedByNode(pod, node) ??
    refusedByResources(pod, node, cluster) ??
    refusedByLimits(pod, node, cluster) ??
    refusedByVolumes(pod, node, cluster)
  );
}

function refusedByNode(pod: RawObject, node: RawObject): string | undefined {
  if (valueAt(node, 'spec', 'unschedulable') === true && !toleratesAll(pod)) return 'node(s) were unschedulable';
  const [taint] = untoleratedTaints(
    listAt(pod, 'spec', 'tolerations') as Tolerations,
    listAt(node, 'spec', 'taints') as Taints,
  );
  if (taint !== undefined) return `node(s) had untolerated taint {${taint.key ?? ''}: ${taint.value ?? ''}}`;
  const labels = labelsOf(node);
  const isSelected = entriesAt(pod, 'spec', 'nodeSelector').every(([key, value]) => labels[key] === value);
  const required = valueAt(
    pod,
    'spec',
    'affinity',
    'nodeAffinity',
    'requiredDuringSchedulingIgnoredDuringExecution',
  ) as Selector;
  return isSelected && matchesNodeSelector(required, labels, { 'metadata.name': node.metadata.name })
    ? undefined
    : "node(s) didn't match Pod's node affinity/selector";
}

function toleratesAll(pod: RawObject): boolean {
  return listAt(pod, 'spec', 'tolerations').some(
    (toleration) => textAt(toleration, 'operator') === 'Exists' && textAt(toleration, 'key') === '',
  );
}

function refusedByResources(pod: RawObject, node: RawObject, cluster: Cluster): string | undefined {
  const others = podsOn(node, cluster).filter((other) => other.metadata.uid !== pod.metadata.uid);
  if (others.length >= Number(textAt(node, 'status', 'allocatable', 'pods') || '110')) return 'Too many pods';
  for (const resource of ['cpu', 'memory']) {
    const used = addQuantities(...others.map((other) => requestedBy(other, resource)), requestedBy(pod, resource));
    if (compareQuantities(used, textAt(node, 'status', 'allocatable', resource)) > 0) return `Insufficient ${resource}`;
  }
  return undefined;
}

function requestedBy(pod: RawObject, resource: string): string {
  return addQuantities(
    ...listAt(pod, 'spec', 'containers').map((container) => textAt(container, 'resources', 'requests', resource)),
  );
}

/** CSINode holds the number of volumes of a driver that fit on a node. */
function refusedByLimits(pod: RawObject, node: RawObject, cluster: Cluster): string | undefined {
  const csiNode = cluster.get('CSINode', undefined, node.metadata.name);
  const held = volumesOn(node, cluster);
  const brought = claimsOf(pod, cluster).map((claim) => ({
    id: volumeOf(claim, cluster)?.metadata.name ?? `${claim.metadata.namespace}/${claim.metadata.name}`,
    driver: textAt(volumeOf(claim, cluster), 'spec', 'csi', 'driver') || textAt(classOf(claim, cluster), 'provisioner'),
  }));
  const isOver = listAt(csiNode, 'spec', 'drivers').some((entry) => {
    const name = textAt(entry, 'name');
    const limit = numberAt(entry, 'allocatable', 'count');
    const own = brought.filter(({ driver }) => driver === name).map(({ id }) => id);
    const all = new Set([...held.filter(({ driver }) => driver === name).map(({ id }) => id), ...own]);
    return limit > 0 && own.length > 0 && all.size > limit;
  });
  return isOver ? 'node(s) exceed max volume count' : undefined;
}

/** Volumes that are attached, and those of pods that are on the way to the node. */
function volumesOn(node: RawObject, cluster: Cluster): { readonly id: string; readonly driver: string }[] {
  const attached = cluster
    .list('VolumeAttachment')
    .filter((attachment) => textAt(attachment, 'spec', 'nodeName') === node.metadata.name)
    .map((attachment) => ({
      id: textAt(attachment, 'spec', 'source', 'persistentVolumeName'),
      driver: textAt(attachment, 'spec', 'attacher'),
    }));
  const mounted = podsOn(node, cluster)
    .flatMap((pod) => claimsOf(pod, cluster).flatMap((claim) => volumeOf(claim, cluster) ?? []))
    .map((volume) => ({ id: volume.metadata.name, driver: textAt(volume, 'spec', 'csi', 'driver') }));
  return [...attached, ...mounted];
}

function refusedByVolumes(pod: RawObject, node: RawObject, cluster: Cluster): string | undefined {
  const claims = claimsOf(pod, cluster);
  const isFar = claims.some((claim) => {
    const affinity = valueAt(volumeOf(claim, cluster), 'spec', 'nodeAffinity', 'required') as Selector;
    return isBound(claim) && !matchesNodeSelector(affinity, labelsOf(node));
  });
  if (isFar) return "node(s) didn't match PersistentVolume's node affinity";
  for (const claim of claims) {
    const storageClass = classOf(claim, cluster);
    if (isBound(claim) || !bindsLate(storageClass) || volumeAt(claim, node, cluster) !== undefined) continue;
    if (textAt(storageClass, 'provisioner') === 'kubernetes.io/no-provisioner')
      return "node(s) didn't find available persistent volumes to bind";
    if (!hasSpace(claim, node, cluster)) return 'node(s) did not have enough free storage';
  }
  return undefined;
}

/** An existing volume that a claim that binds late could take on the node. */
export function volumeAt(claim: RawObject, node: RawObject, cluster: Cluster): RawObject | undefined {
  return findVolume(claim, cluster, (volume) =>
    matchesNodeSelector(valueAt(volume, 'spec', 'nodeAffinity', 'required') as Selector, labelsOf(node)),
  );
}

/** A driver that publishes its capacity gets only claims for which it has room near the node. */
function hasSpace(claim: RawObject, node: RawObject, cluster: Cluster): boolean {
  const storageClass = classOf(claim, cluster);
  const driver = cluster.get('CSIDriver', undefined, textAt(storageClass, 'provisioner'));
  if (valueAt(driver, 'spec', 'storageCapacity') !== true) return true;
  return cluster.list('CSIStorageCapacity').some((capacity) => {
    const labels = entriesAt(capacity, 'nodeTopology', 'matchLabels');
    return (
      textAt(capacity, 'storageClassName') === storageClass?.metadata.name &&
      labels.every(([key, value]) => labelsOf(node)[key] === value) &&
      compareQuantities(textAt(capacity, 'capacity'), requestOf(claim)) >= 0
    );
  });
}

export function podsOn(node: RawObject, cluster: Cluster): RawObject[] {
  return cluster.list('Pod').filter((pod) => textAt(pod, 'spec', 'nodeName') === node.metadata.name && !hasEnded(pod));
}
