import { componentOf, lastSeen, newestMatch } from '../../graph/events.ts';
import type { EventMatch } from '../../graph/events.ts';
import { findController } from '../../facts/driver/drivers.ts';
import type { DriverController } from '../../facts/driver/drivers.ts';
import type { Listing } from '../../graph/inquiry.ts';
import type { Attachment, Volume } from '../../kube/kinds.ts';
import { attachmentName } from '../../kube/names.ts';
import { parseTime } from '../../kube/time.ts';
import { provisionedByAnnotation } from '../../facts/claim/claim-annotations.ts';
import type { ObjectCase } from '../../facts/object-case.ts';
import { driverOfInTree, inTreePrefix } from '../provision/in-tree.ts';
import { provisionerFinalizer } from './finalizers.ts';
import { policyOf } from './reclaim-policy.ts';
import { volumeController } from '../provision/provisioner.ts';
import { stillAttachedText } from '../lib/driver-error/sentences/provisioner.ts';

export type VolumeSubject = ObjectCase<'PersistentVolume'>;

const localStaticPrefix = 'local-volume-provisioner';

export function isLocalStatic(volume: Volume): boolean {
  return (volume.metadata.annotations?.[provisionedByAnnotation] ?? '').startsWith(localStaticPrefix);
}

/**
 * Which driver deletes the volume in the backend: the CSI driver, or the external provisioner that created it
 * (sig-storage-lib-external-provisioner isProvisionerForVolume). Undefined if the kube-controller-manager deletes it,
 * or nothing does.
 */
export function deleterOf(volume: Volume): string | undefined {
  const { annotations } = volume.metadata;
  const named = annotations?.['pv.kubernetes.io/migrated-to'] ?? volume.spec?.csi?.driver;
  if (named) return named;
  const provisioner = annotations?.[provisionedByAnnotation];
  if (!provisioner || isLocalStatic(volume)) return undefined;
  return provisioner.startsWith(inTreePrefix) ? driverOfInTree(provisioner) : provisioner;
}

/** It has policy Delete, and its claim is gone or the volume itself was deleted. */
export function isToBeDeleted(v: VolumeSubject): boolean {
  const { status } = v.object;
  if (policyOf(v.object) !== 'Delete' || status?.phase === 'Bound') return false;
  // The library's shouldDelete ignores a volume that is already being deleted, unless it has the provisioner's own
  // finalizer.
  return v.isTerminating ? v.finalizers.includes(provisionerFinalizer) : status?.phase === 'Released';
}

/** Seconds since the claim released it, or since it was deleted; infinite before 1.28, which does not record when. */
export function waitedSeconds(v: VolumeSubject): number {
  const released = v.object.status?.phase === 'Released' ? v.object.status.lastPhaseTransitionTime : undefined;
  return v.secondsSince(released ?? v.object.metadata.deletionTimestamp);
}

export function isHeldBy(v: VolumeSubject, finalizer: string): boolean {
  return v.isTerminating && v.finalizers.includes(finalizer);
}

export function secondsTerminating(v: VolumeSubject): number {
  return v.secondsSince(v.object.metadata.deletionTimestamp);
}

const controllers = new WeakMap<VolumeSubject, DriverController>();

/** The provisioner that must delete the volume; looked up once per case, since several rules need it. */
export function deletingController(v: VolumeSubject, deleter: string): DriverController {
  const known = controllers.get(v);
  if (known) return known;
  const found = findController(v.ask, deleter, 'provisioner');
  controllers.set(v, found);
  return found;
}

/** The latest event about a failed deletion, if its words match. */
export function deleteFailure(v: VolumeSubject, pattern: RegExp): EventMatch | undefined {
  const last = newestMatch(v.events.items, 'VolumeFailedDelete', /^/);
  const found = newestMatch(v.events.items, 'VolumeFailedDelete', pattern);
  return found && last && lastSeen(found.event) >= lastSeen(last.event) ? found : undefined;
}

/** When the external provisioner last gave a sign of life: an event on this volume, or a volume that it created. */
export function lastHeard(v: VolumeSubject, deleter: string): number | undefined {
  const reports = v.events.items
    .filter((event) => event.reason === 'VolumeFailedDelete' && componentOf(event) !== volumeController)
    .map(lastSeen);
  const creations = v.ask
    .seen('PersistentVolume')
    .filter(
      ({ spec, metadata }) =>
        spec?.csi?.driver === deleter && metadata.annotations?.[provisionedByAnnotation] !== undefined,
    )
    .map((volume) => parseTime(volume.metadata.creationTimestamp) ?? 0);
  const latest = Math.max(0, ...reports, ...creations);
  return latest > 0 ? latest : undefined;
}

/**
 * The attachments of the volume. If the provisioner names the node, one attachment is read by name; else all are
 * listed, since no selector finds them by volume.
 */
export function attachmentsOf(v: VolumeSubject): Listing<Attachment> {
  const { csi } = v.object.spec ?? {};
  const seen = attachmentsSeen(v);
  if (seen.length > 0) return { items: seen, complete: true };
  const node = deleteFailure(v, stillAttachedText)?.match[2];
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

function attachmentsSeen(v: VolumeSubject): readonly Attachment[] {
  const byVolume = v.ask.graph.group('VolumeAttachment', 'volume', ({ spec }) =>
    spec?.source?.persistentVolumeName ? [spec.source.persistentVolumeName] : [],
  );
  return byVolume.get(v.name) ?? [];
}
