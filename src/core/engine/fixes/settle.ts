import type { StorageClass } from '../../kube/kinds.ts';
import { mergeObjects } from '../../kube/merge-objects.ts';
import type { RawObject, Snapshot } from '../../kube/snapshot.ts';
import { graphOf } from '../../graph/cluster-graph.ts';
import { Inquiry } from '../../graph/inquiry.ts';
import { defaultClassOf } from '../../facts/class/storage-class.ts';
import { withDefaultClass } from '../rehearse/defaults.ts';
import { listOf, member, recordOf } from '../rehearse/templates.ts';
import { World } from '../rehearse/world.ts';

const histories = new WeakMap<Snapshot, Snapshot>();

/**
 * The snapshot without what was reported before a change: events, the scheduler's last message, refused attachments.
 */
export function withoutHistory(snapshot: Snapshot): Snapshot {
  const known = histories.get(snapshot);
  if (known) return known;
  const world = new World(snapshot);
  forgetHistory(world);
  histories.set(snapshot, world.snapshot);
  return world.snapshot;
}

/** What controllers do on their own after a change, before anything is scheduled, provisioned or bound again. */
export function settle(world: World, before: Snapshot): void {
  forgetPendingChanges(world);
  renewLeases(world, before);
  adoptQuotas(world);
  fillInDefaultClass(world);
  freeVolumes(world);
  findLostVolumes(world);
  detachUnused(world, before);
  forgetDetached(world);
}

/** Their controllers write why the last attempt failed to the status, and try again. */
const kindsWithErrors = [
  'VolumeAttachment',
  'VolumeSnapshot',
  'VolumeSnapshotContent',
  'VolumeGroupSnapshot',
  'VolumeGroupSnapshotContent',
  'BucketClaim',
  'Bucket',
  'BucketAccess',
];

function forgetHistory(world: World): void {
  for (const event of world.ofKind('Event')) world.remove('Event', event.metadata.namespace, event.metadata.name);
  for (const pod of world.ofKind('Pod')) {
    const conditions = listOf(member(pod, 'status', 'conditions'));
    const kept = conditions.filter(
      (condition) => member(condition, 'type') !== 'PodScheduled' || member(condition, 'status') === 'True',
    );
    if (kept.length < conditions.length) world.put(mergeObjects(pod, { status: { conditions: kept } }) as RawObject);
  }
  for (const kind of kindsWithErrors)
    for (const object of world.ofKind(kind).filter(hasError))
      world.put(mergeObjects(object, { status: { attachError: null, detachError: null, error: null } }) as RawObject);
}

function hasError(object: RawObject): boolean {
  return ['attachError', 'detachError', 'error'].some((field) => member(object, 'status', field) !== undefined);
}

/** The quota controller copies the limits of the spec to the status, by which admission goes. */
function adoptQuotas(world: World): void {
  for (const quota of world.ofKind('ResourceQuota')) {
    const hard = member(quota, 'spec', 'hard');
    if (hard !== undefined) world.put(mergeObjects(quota, { status: { hard } }) as RawObject);
  }
}

/** The resizer checks a claim again that names another class, so what it did not find before no longer matters. */
function forgetPendingChanges(world: World): void {
  for (const claim of world.ofKind('PersistentVolumeClaim'))
    if (member(claim, 'status', 'modifyVolumeStatus', 'status') === 'Pending')
      world.put(mergeObjects(claim, { status: { modifyVolumeStatus: null } }) as RawObject);
}

/**
 * The volume controller makes a volume available that is kept for no claim, or for a claim that has not bound it yet.
 */
function freeVolumes(world: World): void {
  for (const volume of world.ofKind('PersistentVolume')) {
    const isLeft = ['Released', 'Failed'].includes(String(member(volume, 'status', 'phase')));
    if (isLeft && member(volume, 'spec', 'claimRef', 'uid') === undefined && !isBeingDeleted(volume))
      world.put(mergeObjects(volume, { status: { phase: 'Available' } }) as RawObject);
  }
}

/**
 * A Lost claim is bound at the next sync when the volume it names exists and is its own (pv_controller syncBoundClaim).
 */
function findLostVolumes(world: World): void {
  for (const claim of world.ofKind('PersistentVolumeClaim')) {
    if (member(claim, 'status', 'phase') !== 'Lost') continue;
    const name = member(claim, 'spec', 'volumeName');
    const volume = typeof name === 'string' ? world.get('PersistentVolume', undefined, name) : undefined;
    const reference = member(volume, 'spec', 'claimRef');
    const uid = member(reference, 'uid');
    const isOwn =
      member(reference, 'name') === claim.metadata.name &&
      member(reference, 'namespace') === claim.metadata.namespace &&
      (uid === undefined || uid === claim.metadata.uid);
    if (!volume || !isOwn) continue;
    world.put(mergeObjects(claim, { status: { phase: 'Bound' } }) as RawObject);
    world.put(
      mergeObjects(volume, {
        spec: { claimRef: { uid: claim.metadata.uid } },
        status: { phase: 'Bound' },
      }) as RawObject,
    );
  }
}

function isBeingDeleted(object: RawObject): boolean {
  return member(object, 'metadata', 'deletionTimestamp') !== undefined;
}

/** A controller that was started again leads again. */
function renewLeases(world: World, before: Snapshot): void {
  const leases = world.ofKind('Lease');
  if (leases.length === 0) return;
  const earlier = new World(before);
  const isNew = ({ metadata: { namespace, name } }: RawObject): boolean =>
    earlier.get('Pod', namespace, name) === undefined;
  const started = world.ofKind('Pod').filter((pod) => member(pod, 'status', 'phase') === 'Running' && isNew(pod));
  for (const lease of leases) {
    const holder = started.find((pod) => pod.metadata.namespace === lease.metadata.namespace);
    const spec = { holderIdentity: holder?.metadata.name, renewTime: before.takenAt };
    if (holder) world.put(mergeObjects(lease, { spec }) as RawObject);
  }
}

/**
 * The volume controller gives a claim without a class the default one, also later (KEP-3333, on by default from 1.26),
 * unless the claim names its volume (pv_controller syncUnboundClaim).
 */
function fillInDefaultClass(world: World): void {
  const classes = world.ofKind('StorageClass') as unknown as StorageClass[];
  if (defaultClassOf(classes) === undefined) return;
  for (const claim of world.ofKind('PersistentVolumeClaim'))
    if (member(claim, 'status', 'phase') === 'Pending' && !member(claim, 'spec', 'volumeName'))
      world.put(withDefaultClass(claim, classes));
}

/**
 * The attach-detach controller detaches what no pod on the node uses any more. Pods that were not read may use it: then
 * it stays attached.
 */
function detachUnused(world: World, before: Snapshot): void {
  const attachments = world.ofKind('VolumeAttachment');
  if (attachments.length === 0) return;
  const ask = new Inquiry(graphOf(before));
  const used = new Set(
    world
      .ofKind('Pod')
      .filter((pod) => !['Succeeded', 'Failed'].includes(String(member(pod, 'status', 'phase'))))
      .flatMap((pod) => volumesOf(world, pod).map((volume) => `${String(member(pod, 'spec', 'nodeName'))}|${volume}`)),
  );
  // A node has many attachments.
  const healthy = new Map<unknown, boolean>();
  const isHealthy = (node: unknown): boolean => {
    const known = healthy.get(node) ?? (isReady(world, node) || isOutOfService(world, node));
    healthy.set(node, known);
    return known;
  };
  for (const attachment of attachments) {
    const volume = member(attachment, 'spec', 'source', 'persistentVolumeName');
    const node = member(attachment, 'spec', 'nodeName');
    if (typeof volume !== 'string' || typeof node !== 'string' || isBeingDeleted(attachment)) continue;
    const claim = claimOf(world, volume);
    const isIdle = !used.has(`${node}|${volume}`) && !(claim && used.has(`${node}|${keyOfUnread(claim)}`));
    // An out-of-service node loses its volumes whoever uses them.
    if (isIdle && isHealthy(node) && (isOutOfService(world, node) || areUsersKnown(ask, node, claim)))
      world.remove('VolumeAttachment', undefined, attachment.metadata.name);
  }
}

interface ClaimName {
  readonly namespace: string;
  readonly name: string;
}

function claimOf(world: World, volume: string): ClaimName | undefined {
  const { namespace, name } = recordOf(member(world.get('PersistentVolume', undefined, volume), 'spec', 'claimRef'));
  return typeof namespace === 'string' && typeof name === 'string' ? { namespace, name } : undefined;
}

function areUsersKnown(ask: Inquiry, node: string, claim: ClaimName | undefined): boolean {
  return (
    ask.graph.coverage.isWhole('Pod') ||
    ask.podsOnNode(node).complete ||
    (claim !== undefined && ask.podsUsing(claim).complete)
  );
}

/** The attach-detach controller lists only volumes with an attachment in the status of a node. */
function forgetDetached(world: World): void {
  const attached = new Set(
    world.ofKind('VolumeAttachment').flatMap((attachment) => {
      const name = member(attachment, 'spec', 'source', 'persistentVolumeName');
      const csi = typeof name === 'string' ? member(world.get('PersistentVolume', undefined, name), 'spec', 'csi') : {};
      const unique = `kubernetes.io/csi/${String(member(csi, 'driver'))}^${String(member(csi, 'volumeHandle'))}`;
      return [`${String(member(attachment, 'spec', 'nodeName'))}|${unique}`];
    }),
  );
  for (const node of world.ofKind('Node')) {
    const listed = listOf(member(node, 'status', 'volumesAttached'));
    const kept = listed.filter((volume) => {
      const name = String(member(volume, 'name'));
      return !name.startsWith('kubernetes.io/csi/') || attached.has(`${node.metadata.name}|${name}`);
    });
    if (kept.length < listed.length) world.put(mergeObjects(node, { status: { volumesAttached: kept } }) as RawObject);
  }
}

/** What a pod uses: volumes, and by name the claims that were not read, whose volume only the volume itself names. */
function volumesOf(world: World, pod: RawObject): string[] {
  const { namespace = '' } = pod.metadata;
  return listOf(member(pod, 'spec', 'volumes')).flatMap((volume) => {
    const isEphemeral = member(volume, 'ephemeral') !== undefined;
    const name = isEphemeral
      ? `${pod.metadata.name}-${String(member(volume, 'name'))}`
      : member(volume, 'persistentVolumeClaim', 'claimName');
    if (typeof name !== 'string') return [];
    const claim = world.get('PersistentVolumeClaim', namespace, name);
    if (claim === undefined) return [keyOfUnread({ namespace, name })];
    const bound = member(claim, 'spec', 'volumeName');
    return typeof bound === 'string' ? [bound] : [];
  });
}

/** A blank keeps it apart from every name of a volume. */
function keyOfUnread({ namespace, name }: ClaimName): string {
  return `claim ${namespace}/${name}`;
}

/** The volumes of a node with this taint are detached at once (KEP-2268). */
function isOutOfService(world: World, name: unknown): boolean {
  const node = typeof name === 'string' ? world.get('Node', undefined, name) : undefined;
  return listOf(member(node, 'spec', 'taints')).some(
    (taint) => member(taint, 'key') === 'node.kubernetes.io/out-of-service',
  );
}

function isReady(world: World, name: unknown): boolean {
  const node = typeof name === 'string' ? world.get('Node', undefined, name) : undefined;
  const conditions = listOf(member(node, 'status', 'conditions'));
  return conditions.some(
    (condition) => member(condition, 'type') === 'Ready' && member(condition, 'status') === 'True',
  );
}
