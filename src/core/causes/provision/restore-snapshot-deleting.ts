import type { Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { steps } from '../lib/steps.ts';
import { explainTold, sourceEvidence } from './data-source.ts';
import type { DataSource } from './data-source.ts';
import { retainContent } from '../lib/snapshot-content.ts';
import { useOtherSnapshot } from './other-snapshot.ts';
import { restoreFailureOf, restoreRefusal } from './restore-source.ts';
import type { Snapshot, SnapshotContent } from './restore-source.ts';

/**
 * external-provisioner getSnapshotSource refuses a snapshot with a deletionTimestamp, unless the restore began before.
 */
export const restoreSnapshotDeleting = claimRule({
  cause: 'restore-snapshot-deleting',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = restoreFailureOf(c);
    if (failure?.check !== 'deleting') return undefined;
    const { source } = failure;
    if (failure.by === 'objects') return explainObjects(c, source, failure.snapshot);
    return explainTold(c, failure, { summary: summaryOf(c, source), fix: [useOtherSnapshot(c, source)] });
  },
});

function summaryOf(c: PresentClaim, source: DataSource): string {
  return `VolumeSnapshot "${source.name}", from which ${claimText(c)} is to be restored, is being deleted.`;
}

function explainObjects(c: PresentClaim, source: DataSource, snapshot: Snapshot): Explanation {
  const content = contentOf(c, snapshot);
  return {
    summary: summaryOf(c, source),
    evidence: [
      sourceEvidence(c, source),
      field(snapshot, 'metadata.deletionTimestamp'),
      ...(content ? [field(content, 'spec.deletionPolicy')] : []),
      ...restoreRefusal(c, 'deleting'),
    ],
    fix: [useOtherSnapshot(c, source), ...keepData(content)],
  };
}

function contentOf(c: PresentClaim, snapshot: Snapshot): SnapshotContent | undefined {
  const name = snapshot.status?.boundVolumeSnapshotContentName;
  return c.ask.seen('VolumeSnapshotContent').find(({ metadata }) => metadata.name === name);
}

/** A deletion cannot be taken back, but what is on the storage can be kept while the content is there. */
function keepData(content: SnapshotContent | undefined): Fix[] {
  if (!content || content.metadata.deletionTimestamp !== undefined || content.spec?.deletionPolicy === 'Retain')
    return [];
  return [
    steps(
      'If the data of this very snapshot is needed, keep it on the storage now: ' +
        `set VolumeSnapshotContent "${content.metadata.name}" to Retain. ` +
        'A new VolumeSnapshot can be bound to it later.',
      [retainContent(content)],
    ),
  ];
}
