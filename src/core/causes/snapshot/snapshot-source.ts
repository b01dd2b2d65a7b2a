import type { Evidence } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { Explanation } from '../lib/rule.ts';

export interface SnapshotSource {
  readonly snapshot: VolumeSnapshot;
  readonly claim: ClaimCase;
  /** The field that names the claim. */
  readonly named: Evidence;
}

/** The source claim, until the content is created: from then on the content holds the handle of the volume. */
export function sourceOf(s: SnapshotCase): SnapshotSource | undefined {
  const { snapshot, claim } = s;
  return snapshot && claim && s.awaitsContent
    ? { snapshot, claim, named: field(snapshot, 'spec.source.persistentVolumeClaimName') }
    : undefined;
}

/** The claim could not be read, and the controller reports what is wrong with it. */
export function explainUnreadClaim(
  { snapshot, claim, named }: SnapshotSource,
  words: string,
  said: Evidence,
): Explanation {
  return {
    confidence: 'likely',
    summary: `claim ${claim.name}, of which volumesnapshot/${snapshot.metadata.name} is to be taken, ${words}`,
    evidence: [named, said],
    fix: [
      fix(
        'look at the claim first',
        `kubectl csi why pvc/${shellWord(claim.name)} ${inNamespace(snapshot.metadata.namespace)}`.trim(),
      ),
    ],
  };
}
