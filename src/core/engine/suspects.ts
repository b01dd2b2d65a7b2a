import type { AnyObject, Attachment, BucketAccess, BucketClaim, Claim, Node, ObjectOf, Volume } from '../kube/kinds.ts';
import type { TargetRef } from '../kube/selection.ts';
import type { ClusterGraph } from '../graph/cluster-graph.ts';
import type { Inquiry } from '../graph/inquiry.ts';
import { conditionOf, isTerminated } from '../facts/pod/pod-state.ts';
import { boundBucketOf, isClaimReady, secretNamesOf } from '../facts/bucket/bucket.ts';
import { uniqueNameOf } from '../facts/volume/volume-use.ts';
import { targetOf } from './stuck-objects.ts';
import type { Selectable } from './stuck-objects.ts';

/**
 * Objects that look healthy and that another object contradicts. Only what was read anyway is compared: in a large
 * cluster that is what a search has kept, in a small one and in a dump everything.
 */
export function findSuspects(
  graph: ClusterGraph,
  isSelected: (object: Selectable) => boolean,
  isEverywhere: boolean,
): TargetRef[] {
  const isGone = absenceIn(graph);
  const objects: AnyObject[] = [
    ...graph.all('PersistentVolumeClaim').filter((claim) => isSelected(claim) && lacksVolume(claim, isGone)),
    ...graph.all('VolumeSnapshot').filter((snapshot) => isSelected(snapshot) && lacksContent(snapshot, isGone)),
    ...graph.all('BucketClaim').filter((claim) => isSelected(claim) && lacksBucket(claim, isGone)),
    ...graph.all('BucketAccess').filter((access) => isSelected(access) && hasRival(graph, access)),
    ...(isEverywhere ? suspectClusterObjects(graph, isGone) : []),
  ];
  return objects.map(targetOf);
}

/**
 * Drivers and classes are few; of the nodes only those are judged that have no CSINode, or a volume of a driver that is
 * not there.
 */
export function surroundingsOf(ask: Inquiry): TargetRef[] {
  const drivers = ask.list('CSIDriver', undefined, 'which drivers are installed').items;
  const classes = ask.list('StorageClass', undefined, 'which classes there are').items;
  const isGone = absenceIn(ask.graph);
  const unserved = unservedNodes(ask.graph);
  const usesDrivers =
    drivers.length > 0 || ask.graph.all('CSINode').some(({ spec }) => (spec?.drivers ?? []).length > 0);
  const nodes = ask.graph
    .all('Node')
    .filter(
      (node) =>
        isReady(node) && ((usesDrivers && isGone('CSINode', node.metadata.name)) || unserved.has(node.metadata.name)),
    );
  return [...drivers, ...classes, ...nodes].map(targetOf);
}

/** The nodes to which a volume is attached whose driver is not registered there. */
function unservedNodes(graph: ClusterGraph): ReadonlySet<string> {
  const nodes = graph.all('VolumeAttachment').flatMap(({ metadata, spec }) => {
    const csiNode = spec?.nodeName === undefined ? undefined : graph.find('CSINode', undefined, spec.nodeName);
    if (!csiNode || metadata.deletionTimestamp !== undefined || spec?.attacher === undefined) return [];
    return csiNode.spec?.drivers?.some(({ name }) => name === spec.attacher) ? [] : [csiNode.metadata.name];
  });
  return new Set(nodes);
}

type Absence = (
  kind: 'PersistentVolume' | 'Bucket' | 'VolumeSnapshotContent' | 'CSIDriver' | 'CSINode',
  name: string,
) => boolean;

/** Whether an object is known not to exist, without asking for it. */
function absenceIn(graph: ClusterGraph): Absence {
  return (kind, name) => graph.find(kind, undefined, name) === undefined && graph.coverage.answers(kind, { name });
}

function lacksVolume({ metadata, spec, status }: Claim, isGone: Absence): boolean {
  return (
    status?.phase === 'Bound' &&
    metadata.deletionTimestamp === undefined &&
    spec?.volumeName !== undefined &&
    isGone('PersistentVolume', spec.volumeName)
  );
}

function lacksContent({ status }: ObjectOf<'VolumeSnapshot'>, isGone: Absence): boolean {
  const name = status?.boundVolumeSnapshotContentName;
  return status?.readyToUse === true && name !== undefined && isGone('VolumeSnapshotContent', name);
}

function lacksBucket(claim: BucketClaim, isGone: Absence): boolean {
  const name = boundBucketOf(claim);
  return isClaimReady(claim) && name !== undefined && (isGone('Bucket', name) || claim.status?.error !== undefined);
}

/** Two accesses that write to the same Secret: at most one of them can have written it. */
function hasRival(graph: ClusterGraph, access: BucketAccess): boolean {
  const writers = graph.group('BucketAccess', 'secret', (each) =>
    secretNamesOf(each).map((name) => `${each.metadata.namespace ?? ''}/${name}`),
  );
  return secretNamesOf(access).some(
    (name) => (writers.get(`${access.metadata.namespace ?? ''}/${name}`) ?? []).length > 1,
  );
}

function suspectClusterObjects(graph: ClusterGraph, isGone: Absence): AnyObject[] {
  return [
    ...graph.all('PersistentVolume').filter(isUnseen),
    ...graph.all('VolumeAttachment').filter((attachment) => isLeftOver(graph, attachment, isGone)),
    ...graph.all('VolumeSnapshotContent').filter(({ status }) => status?.readyToUse !== true),
  ];
}

/** The volume controller has not processed it yet. */
function isUnseen({ metadata, status }: Volume): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase === 'Pending';
}

/** Attached, although its volume or driver is gone, the driver attaches nothing, or no pod on the node needs it. */
function isLeftOver(graph: ClusterGraph, { metadata, spec, status }: Attachment, isGone: Absence): boolean {
  if (metadata.deletionTimestamp !== undefined || status?.attached !== true) return false;
  const { attacher, nodeName, source } = spec ?? {};
  const name = source?.persistentVolumeName;
  if (name !== undefined && isGone('PersistentVolume', name)) return true;
  if (attacher !== undefined && isGone('CSIDriver', attacher)) return true;
  const driver = attacher === undefined ? undefined : graph.find('CSIDriver', undefined, attacher);
  if (driver?.spec?.attachRequired === false) return true;
  const volume = name === undefined ? undefined : graph.find('PersistentVolume', undefined, name);
  const node = nodeName === undefined ? undefined : graph.find('Node', undefined, nodeName);
  return volume !== undefined && node !== undefined && isHeldForNothing(graph, volume, node);
}

function isHeldForNothing(graph: ClusterGraph, volume: Volume, node: Node): boolean {
  const claim = volume.spec?.claimRef;
  if (!claim?.name || claim.namespace === undefined || !graph.coverage.isWhole('Pod')) return false;
  const inUse = uniqueNameOf(volume);
  if (isReady(node) && (inUse === undefined || node.status?.volumesInUse?.includes(inUse) !== true)) return false;
  return !graph
    .podsUsing({ namespace: claim.namespace, name: claim.name })
    .some(
      (pod) =>
        pod.spec?.nodeName === node.metadata.name && pod.metadata.deletionTimestamp === undefined && !isTerminated(pod),
    );
}

function isReady({ status }: Node): boolean {
  return conditionOf(status?.conditions, 'Ready')?.status === 'True';
}
