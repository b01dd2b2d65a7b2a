import { componentOf, lastSeen, newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import { findController } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import type { Listing } from '../../graph/inquiry.ts';
import type { Attachment, Volume } from '../../kube/kinds.ts';
import { attachmentName } from '../../kube/names.ts';
import { parseTime } from '../../kube/time.ts';
import { provisionedByAnnotation } from '../../facts/claim/claim-case.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import { driverOfInTree, inTreePrefix } from '../provision/in-tree.ts';
import { provisionerFinalizer } from './finalizers.ts';
import { volumeController } from '../provision/provisioner.ts';

export type VolumeSubject = ObjectCase<'PersistentVolume'>;

const localStaticPrefix = 'local-volume-provisioner';

export function policyOf({ spec }: Volume): string {
  return spec?.persistentVolumeReclaimPolicy ?? 'Retain';
}

export function isLocalStatic(volume: Volume): boolean {
  return (volume.metadata.annotations?.[provisionedByAnnotation] ?? '').startsWith(localStaticPrefix);
}

/**
 * Who deletes the volume in the backend: the CSI driver, or the external provisioner that made it (lib
 * isProvisionerForVolume). Undefined for what the kube-controller-manager deletes itself, or nobody.
 */
export function deleterOf(volume: Volume): string | undefined {
  const { annotations } = volume.metadata;
  const named = annotations?.['pv.kubernetes.io/migrated-to'] ?? volume.spec?.csi?.driver;
  if (named) return named;
  const maker = annotations?.[provisionedByAnnotation];
  if (!maker || isLocalStatic(volume)) return undefined;
  return maker.startsWith(inTreePrefix) ? driverOfInTree(maker) : maker;
}

/** Somebody wants it gone: its claim is gone under policy Delete, or it was deleted by name. */
export function isToBeDeleted(v: VolumeSubject): boolean {
  const { status } = v.object;
  if (policyOf(v.object) !== 'Delete' || status?.phase === 'Bound') return false;
  // shouldDelete takes a volume that is already being deleted for done, unless the provisioner's own finalizer says otherwise.
  return v.isTerminating ? v.finalizers.includes(provisionerFinalizer) : status?.phase === 'Released';
}

/** Seconds since the claim let go of it, or since it was deleted; before 1.28 nothing tells when, and it is taken for long ago. */
export function waitedSeconds(v: VolumeSubject): number {
  const released = v.object.status?.phase === 'Released' ? v.object.status.lastPhaseTransitionTime : undefined;
  return v.secondsSince(released ?? v.object.metadata.deletionTimestamp);
}

const controllers = new WeakMap<VolumeSubject, DriverController>();

/** The provisioner that must delete the volume; found once for each case, since several rules look at it. */
export function deletingController(v: VolumeSubject, deleter: string): DriverController {
  const known = controllers.get(v);
  if (known) return known;
  const found = findController(v.ask, deleter, 'provisioner');
  controllers.set(v, found);
  return found;
}

/** What whoever deletes said last of its failure, if the words fit. */
export function deleteFailure(v: VolumeSubject, pattern: RegExp): EventMatch | undefined {
  const last = newestMatch(v.events.items, 'VolumeFailedDelete', /^/);
  const found = newestMatch(v.events.items, 'VolumeFailedDelete', pattern);
  return found && last && lastSeen(found.event) >= lastSeen(last.event) ? found : undefined;
}

/** When the external provisioner was last heard, here or in the volumes that it has made since. */
export function lastHeard(v: VolumeSubject, deleter: string): number | undefined {
  const spoken = v.events.items
    .filter((event) => event.reason === 'VolumeFailedDelete' && componentOf(event) !== volumeController)
    .map(lastSeen);
  const made = v.ask
    .seen('PersistentVolume')
    .filter(
      ({ spec, metadata }) =>
        spec?.csi?.driver === deleter && metadata.annotations?.[provisionedByAnnotation] !== undefined,
    )
    .map((volume) => parseTime(volume.metadata.creationTimestamp) ?? 0);
  const latest = Math.max(0, ...spoken, ...made);
  return latest > 0 ? latest : undefined;
}

/**
 * The attachments of the volume. The provisioner says on which node it found one; else all must be read, since nothing
 * selects them by volume.
 */
export function attachmentsOf(v: VolumeSubject): Listing<Attachment> {
  const { csi } = v.object.spec ?? {};
  const seen = attachmentsAtHand(v);
  if (seen.length > 0) return { items: seen, complete: true };
  const node = deleteFailure(v, stillAttached)?.match[2];
  if (node !== undefined && csi?.driver && csi.volumeHandle) {
    const found = v.ask.get(
      'VolumeAttachment',
      undefined,
      attachmentName(csi.volumeHandle, csi.driver, node),
      `whether pv/${v.name} is still attached to ${node}`,
    );
    if (found.state === 'found') return { items: [found.object], complete: true };
  }
  const { complete } = v.ask.list('VolumeAttachment', undefined, `whether pv/${v.name} is still attached to a node`);
  return { items: [], complete };
}

function attachmentsAtHand(v: VolumeSubject): readonly Attachment[] {
  const byVolume = v.ask.graph.group('VolumeAttachment', 'volume', ({ spec }) =>
    spec?.source?.persistentVolumeName ? [spec.source.persistentVolumeName] : [],
  );
  return byVolume.get(v.name) ?? [];
}

/** external-provisioner canDeleteVolume. */
export const stillAttached = /persistentvolume (\S+) is still attached to node ([^\s,;]+)/i;
