import type { Fix } from '../../report/report.ts';
import { field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { SnapshotCase, SnapshotContent, VolumeSnapshot } from '../../facts/snapshot/snapshot-case.ts';
import type { Explanation } from '../lib/rule.ts';
import { ruleForBoth } from './snapshot-rule.ts';

/** syncSnapshot and syncContent want exactly one source. The API itself refuses anything else since external-snapshotter 7. */
export const snapValidation = ruleForBoth({
  cause: 'snap-validation',
  severity: 'blocking',
  explain(s) {
    return (s.snapshot && explainSnapshot(s, s.snapshot)) ?? (s.content && explainContent(s.content));
  },
});

function explainSnapshot(s: SnapshotCase, snapshot: VolumeSnapshot): Explanation | undefined {
  const fault = sourceFault(s, snapshot);
  if (fault === undefined) return undefined;
  return {
    summary: `volumesnapshot/${snapshot.metadata.name} names ${fault}`,
    evidence: [
      field(snapshot, 'spec.source.persistentVolumeClaimName'),
      field(snapshot, 'spec.source.volumeSnapshotContentName'),
    ],
    fix: [remakeSnapshot(snapshot)],
  };
}

function sourceFault(s: SnapshotCase, { spec }: VolumeSnapshot): string | undefined {
  const { persistentVolumeClaimName: claim, volumeSnapshotContentName: content } = spec?.source ?? {};
  if (claim === '' || content === '') return 'its source by an empty name';
  // A bound content shows that there was a source when it was created.
  if (claim === undefined && content === undefined)
    return s.content ? undefined : 'no source: neither a claim nor a content';
  if (claim !== undefined && content !== undefined)
    return `two sources, claim ${claim} and content ${content}, and may have one only`;
  return undefined;
}

function remakeSnapshot({ metadata }: VolumeSnapshot): Fix {
  return fix(
    'make the snapshot again with exactly one source: a claim to take it of, or a content that exists',
    `kubectl ${inNamespace(metadata.namespace)}get volumesnapshot ${shellWord(metadata.name)} -o yaml`,
    'disruptive',
  );
}

function explainContent(content: SnapshotContent): Explanation | undefined {
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
