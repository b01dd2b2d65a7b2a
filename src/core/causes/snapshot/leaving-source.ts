import { field } from '../../facts/evidence.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import type { Claim, Volume } from '../../kube/kinds.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { patchCommand, steps } from '../lib/steps.ts';

export const sourceFinalizer = 'snapshot.storage.kubernetes.io/pvc-as-source-protection';

interface LeavingSource {
  /** Follows another sentence. */
  readonly text: string;
  readonly evidence: readonly Evidence[];
  readonly fix: readonly Fix[];
}

/** Whether the deletion of the source claim waits for the snapshot. */
export function holdsSource(s: SnapshotCase): boolean {
  const { deletionTimestamp, finalizers = [] } = s.claim?.claim?.metadata ?? {};
  return deletionTimestamp !== undefined && finalizers.includes(sourceFinalizer);
}

/**
 * The source claim is being deleted and held by the snapshot: when the snapshot ends, one way or the other, the claim
 * goes.
 */
export function leavingSourceOf(s: SnapshotCase): LeavingSource | undefined {
  const claim = s.claim?.claim;
  if (!claim || !holdsSource(s)) return undefined;
  const volume = s.claim?.volume?.state === 'found' ? s.claim.volume.object : undefined;
  return {
    text: ` pvc/${claim.metadata.name} is being deleted and waits for this snapshot${policyText(volume)}.`,
    evidence: [
      field(claim, 'metadata.deletionTimestamp'),
      ...(volume ? [field(volume, 'spec.persistentVolumeReclaimPolicy')] : []),
    ],
    fix: retainSource(claim, volume),
  };
}

function policyText(volume: Volume | undefined): string {
  return volume?.spec?.persistentVolumeReclaimPolicy === 'Delete'
    ? '; its volume, with policy Delete, goes with it'
    : '';
}

/** Without the snapshot the volume is the only copy. */
function retainSource({ metadata, spec }: Claim, volume: Volume | undefined): Fix[] {
  const name = spec?.volumeName;
  if (!name || volume?.spec?.persistentVolumeReclaimPolicy === 'Retain') return [];
  return [
    steps(
      `Set pv/${name} to Retain before you give the snapshot up: ` +
        `deleting it lets the deletion of pvc/${metadata.name} finish, and the data would go with the claim.`,
      [
        patchCommand(volume ?? { kind: 'PersistentVolume', metadata: { name } }, {
          spec: { persistentVolumeReclaimPolicy: 'Retain' },
        }),
      ],
    ),
  ];
}
