import type { Fix } from '../../report/report.ts';
import { absent, field, fix, inNamespace, shellWord } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { explainTold, sourceEvidence } from './data-source.ts';
import type { DataSource } from './data-source.ts';
import { describeSnapshot, restoreFailureOf, restoreRefusal } from './restore-source.ts';
import type { ContentFailure, Snapshot, SnapshotContent } from './restore-source.ts';

/** external-provisioner getSnapshotSource: snapshot and content must name each other, and the content needs a handle. */
export const restoreContentInvalid = claimRule({
  cause: 'restore-content-invalid',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = restoreFailureOf(c);
    if (failure?.check !== 'content') return undefined;
    if (failure.by === 'objects') return explainObjects(c, failure);
    return explainTold(c, failure, {
      summary: `the content of volumesnapshot/${failure.source.name} is missing, belongs to another snapshot, or has no handle`,
      fix: [describeSnapshot(failure.source)],
    });
  },
});

function explainObjects(c: PresentClaim, failure: ContentFailure): Explanation {
  const { source } = failure;
  switch (failure.fault) {
    case 'missing':
      return explainMissing(c, source, failure.snapshot, failure.contentName);
    case 'unseen':
      return explainUnseen(c, source, failure.snapshot, failure.contentName);
    case 'misbound':
      return explainMisbound(c, source, failure.snapshot, failure.content);
    case 'noHandle':
      return explainNoHandle(c, source, failure.content);
  }
}

function explainMissing(c: PresentClaim, source: DataSource, snapshot: Snapshot, contentName: string): Explanation {
  return {
    summary: `volumesnapshot/${source.name} points to volumesnapshotcontent/${contentName}, which does not exist`,
    evidence: [
      sourceEvidence(c, source),
      field(snapshot, 'status.boundVolumeSnapshotContentName'),
      absent('VolumeSnapshotContent', contentName),
      ...restoreRefusal(c, 'content'),
    ],
    fix: [useOtherSnapshot(source)],
  };
}

function explainUnseen(c: PresentClaim, source: DataSource, snapshot: Snapshot, contentName: string): Explanation {
  return {
    confidence: 'possible',
    summary: `volumesnapshot/${source.name} points to volumesnapshotcontent/${contentName}, of which nothing is to be seen`,
    evidence: [sourceEvidence(c, source), field(snapshot, 'status.boundVolumeSnapshotContentName')],
    fix: [useOtherSnapshot(source)],
  };
}

function useOtherSnapshot(source: DataSource): Fix {
  return fix(
    'look which snapshots there are, and restore from another one, or bring the content back from a backup of the objects',
    `kubectl ${inNamespace(source.namespace)}get volumesnapshot`,
  );
}

function explainMisbound(
  c: PresentClaim,
  source: DataSource,
  snapshot: Snapshot,
  content: SnapshotContent,
): Explanation {
  return {
    summary: `volumesnapshotcontent/${content.metadata.name} does not belong to volumesnapshot/${source.name}${ownerText(source, content)}`,
    evidence: [
      field(snapshot, 'status.boundVolumeSnapshotContentName'),
      field(snapshot, 'metadata.uid'),
      field(content, 'spec.volumeSnapshotRef'),
      ...restoreRefusal(c, 'content'),
    ],
    fix: [
      fix(
        'look at the content, and let it and the snapshot name each other, or restore from another snapshot',
        `kubectl get volumesnapshotcontent ${shellWord(content.metadata.name)} -o yaml`,
      ),
    ],
  };
}

function ownerText(source: DataSource, content: SnapshotContent): string {
  const { name, namespace } = content.spec?.volumeSnapshotRef ?? {};
  if (name === source.name && namespace === source.namespace) return ' but to an earlier snapshot of the same name';
  return name ? ` but to ${namespace ?? ''}/${name}` : '';
}

function explainNoHandle(c: PresentClaim, source: DataSource, content: SnapshotContent): Explanation {
  return {
    summary: `volumesnapshotcontent/${content.metadata.name} has no snapshot handle, so the driver cannot find snapshot ${source.name}`,
    evidence: [field(content, 'status.snapshotHandle'), ...restoreRefusal(c, 'content')],
    fix: [
      fix(
        'look at the content, and restore from another snapshot, or let the snapshotter set the handle again',
        `kubectl describe volumesnapshotcontent ${shellWord(content.metadata.name)}`,
      ),
    ],
  };
}
