import type { Listing } from '../../graph/inquiry.ts';
import type { Claim } from '../../kube/kinds.ts';
import type { Evidence } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import type { SnapshotCase, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';

/** Finalizers of a snapshot, by what has to happen before they are removed. */
export const finalizers = {
  asSource: 'snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection',
  bound: 'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection',
  inGroup: 'snapshot.storage.kubernetes.io/volumesnapshot-in-group-protection',
  /** Set by external-provisioner when a restore begins. */
  restoreBegun: 'provisioner.storage.kubernetes.io/volumesnapshot-as-source-protection',
} as const;

/** Within this time after the deletion the controllers are only on their way. */
export const settleSeconds = 60;

export function finalizersOf({ metadata }: VolumeSnapshot): readonly string[] {
  return metadata.finalizers ?? [];
}

export function hasFinalizer(snapshot: VolumeSnapshot, ...wanted: readonly string[]): boolean {
  return finalizersOf(snapshot).some((finalizer) => wanted.includes(finalizer));
}

export function finalizersEvidence(snapshot: VolumeSnapshot): Evidence {
  return field(snapshot, 'metadata.finalizers', finalizersOf(snapshot).join(', '));
}

/** The snapshot, if it is the target and is being deleted. */
export function terminatingSnapshot({ subject }: SnapshotCase): VolumeSnapshot | undefined {
  return subject.kind === 'VolumeSnapshot' && subject.metadata.deletionTimestamp !== undefined ? subject : undefined;
}

/** isVolumeBeingCreatedFromSnapshot: Pending claims of the namespace that name the snapshot as their source. */
export function restoringClaims(s: SnapshotCase, { metadata }: VolumeSnapshot): Listing<Claim> {
  const { items, complete } = s.ask.list(
    'PersistentVolumeClaim',
    metadata.namespace ?? '',
    `which claims are being restored from volumesnapshot/${metadata.name}`,
  );
  const claims = items.filter(
    ({ spec, status }) =>
      status?.phase === 'Pending' &&
      [spec?.dataSource, spec?.dataSourceRef].some(
        (source) =>
          source?.kind === 'VolumeSnapshot' &&
          source.name === metadata.name &&
          (source.namespace ?? metadata.namespace) === metadata.namespace,
      ),
  );
  return { items: claims, complete };
}
