import type { Evidence } from '../../report/report.ts';
import { field, fix } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { explainTold, sourceEvidence } from './data-source.ts';
import type { DataSource } from './data-source.ts';
import {
  describeSnapshot,
  explainSnapshotCommand,
  restoreFailureOf,
  restoreRefusal,
  secondsSinceCreation,
} from './restore-source.ts';
import type { Snapshot, SnapshotContent } from './restore-source.ts';

const freshSeconds = 60;
const longestUploadSeconds = 3600;

/** external-provisioner getSnapshotSource waits for status.readyToUse. */
export const restoreSnapshotNotReady = claimRule({
  cause: 'restore-snapshot-not-ready',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = restoreFailureOf(c);
    if (failure?.check !== 'notReady') return undefined;
    if (failure.by === 'objects') return explainObjects(c, failure.source, failure.snapshot, failure.content);
    return explainTold(c, failure, { summary: summaryOf(failure.source), fix: [describeSnapshot(failure.source)] });
  },
});

function summaryOf(source: DataSource): string {
  return `volumesnapshot/${source.name}, from which the claim is to be restored, is not ready to use`;
}

function explainObjects(
  c: PresentClaim,
  source: DataSource,
  snapshot: Snapshot,
  content: SnapshotContent | undefined,
): Explanation {
  const error = errorEvidence(snapshot, content);
  const isStoring = isBeingStored(c, snapshot, content);
  const isExpected = error.length === 0 && (isStoring || secondsSinceCreation(c, snapshot) < freshSeconds);
  return {
    severity: isExpected ? 'info' : 'blocking',
    summary: `${summaryOf(source)}${whyText(error.length > 0, isStoring)}`,
    evidence: [
      sourceEvidence(c, source),
      field(snapshot, 'status.readyToUse'),
      ...error,
      ...restoreRefusal(c, 'notReady'),
    ],
    fix: [
      fix(
        isExpected
          ? 'look how far the snapshot is: the claim goes on by itself when it is ready'
          : 'see what ails the snapshot, and mend it first: the claim then goes on by itself',
        explainSnapshotCommand(source),
      ),
    ],
  };
}

/** The driver has cut the snapshot and uploads it, which takes its time by design. */
function isBeingStored(c: PresentClaim, snapshot: Snapshot, content: SnapshotContent | undefined): boolean {
  return content?.status?.snapshotHandle !== undefined && secondsSinceCreation(c, snapshot) < longestUploadSeconds;
}

function errorEvidence(snapshot: Snapshot, content: SnapshotContent | undefined): Evidence[] {
  if (snapshot.status?.error?.message) return [field(snapshot, 'status.error.message')];
  return content?.status?.error?.message ? [field(content, 'status.error.message')] : [];
}

function whyText(hasError: boolean, isStoring: boolean): string {
  if (hasError) return ', and reports an error';
  return isStoring ? ': the driver still stores it away' : '';
}
