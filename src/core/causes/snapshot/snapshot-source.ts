import type { Evidence } from '../../report/report.ts';
import type { ClaimCase } from '../../facts/claim/claim-case.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { Explanation } from '../lib/rule.ts';
import { objectText } from './snapshot-rule.ts';

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

/** `pvc/data, the source of VolumeSnapshot "nightly" in namespace shop,` */
export function sourceText({ claim, snapshot }: Pick<SnapshotSource, 'claim' | 'snapshot'>): string {
  return `pvc/${claim.name}, the source of ${objectText(snapshot)},`;
}

/** The driver that the source volume belongs to: only that one can take the snapshot. */
export function sourceDriverOf(s: SnapshotCase): string | undefined {
  const volume = s.claim?.volume;
  return (volume?.state === 'found' ? volume.object.spec?.csi?.driver : undefined) ?? s.content?.spec?.driver;
}

/** The claim could not be read, and the controller reports what is wrong with it. */
export function explainUnreadClaim(source: SnapshotSource, words: string, said: Evidence): Explanation {
  const { snapshot, claim, named } = source;
  return {
    confidence: 'likely',
    summary: `${sourceText(source)} ${words}, as the snapshot controller reports. The claim itself could not be read.`,
    evidence: [named, said],
    fix: [
      fix(
        `Repair pvc/${claim.name}: this names what it needs, for someone who may read it. The snapshot is then taken within 5 minutes.`,
        `kubectl csi why pvc/${shellWord(claim.name)} ${inNamespace(snapshot.metadata.namespace)}`.trim(),
      ),
    ],
  };
}
