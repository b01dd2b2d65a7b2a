import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { Explanation } from '../lib/rule.ts';
import type { SnapshotCase, SnapshotContent, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import { ruleForBoth } from './snapshot-rule.ts';

/** syncSnapshot and syncContent: exactly one source. The API itself refuses this since external-snapshotter 7. */
export const snapValidation = ruleForBoth({
  cause: 'snap-validation',
  severity: 'blocking',
  explain(s) {
    return (s.snapshot && judgeSnapshot(s, s.snapshot)) ?? (s.content && judgeContent(s.content));
  },
});

function judgeSnapshot(s: SnapshotCase, snapshot: VolumeSnapshot): Explanation | undefined {
  const { persistentVolumeClaimName: claim, volumeSnapshotContentName: content } = snapshot.spec?.source ?? {};
  const isEmpty = claim === '' || content === '';
  if (!isEmpty && (claim === undefined) !== (content === undefined)) return undefined;
  // A content that is bound shows that there was a source once.
  if (claim === undefined && content === undefined && s.content) return undefined;
  const { name, namespace } = snapshot.metadata;
  return {
    summary: `volumesnapshot/${name} names ${isEmpty ? 'its source by an empty name' : claim === undefined ? 'no source: neither a claim nor a content' : `two sources, claim ${claim} and content ${content ?? ''}, and may have one only`}`,
    evidence: [
      field(snapshot, 'spec.source.persistentVolumeClaimName'),
      field(snapshot, 'spec.source.volumeSnapshotContentName'),
    ],
    fix: [
      fix(
        'make the snapshot again with exactly one source: a claim to take it of, or a content that exists',
        `kubectl ${inNamespace(namespace)}get volumesnapshot ${shellWord(name)} -o yaml`,
        'disruptive',
      ),
    ],
  };
}

function judgeContent(content: SnapshotContent): Explanation | undefined {
  const { volumeHandle, snapshotHandle } = content.spec?.source ?? {};
  if ((volumeHandle === undefined) !== (snapshotHandle === undefined)) return undefined;
  const { name } = content.metadata;
  return {
    summary: `volumesnapshotcontent/${name} names ${volumeHandle === undefined ? 'neither a volume to take the snapshot of nor a snapshot that exists' : 'both a volume and a snapshot as its source, and may have one only'}`,
    evidence: [field(content, 'spec.source.volumeHandle'), field(content, 'spec.source.snapshotHandle')],
    fix: [
      fix(
        'make the content again with exactly one of the two handles',
        `kubectl get volumesnapshotcontent ${shellWord(name)} -o yaml`,
        'disruptive',
      ),
    ],
  };
}
