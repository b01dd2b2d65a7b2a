import type { Evidence, Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText, sentence } from '../lib/sentence.ts';
import { parseDriverError } from '../lib/driver-error/parse.ts';
import { quoteWords } from '../lib/driver-error/quote.ts';
import { explainTold, sourceEvidence } from './data-source.ts';
import type { DataSource } from './data-source.ts';
import { readySnapshots, useOtherSnapshot } from './other-snapshot.ts';
import { repairSnapshot, restoreFailureOf, restoreRefusal, secondsSinceCreation } from './restore-source.ts';
import type { Snapshot, SnapshotContent } from './restore-source.ts';
import { obstacleOf } from './snapshot-obstacle.ts';

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
    const { source } = failure;
    if (failure.by === 'objects') return explainObjects(c, source, failure.snapshot, failure.content);
    return explainTold(c, failure, { summary: `${summaryOf(c, source)}.`, fix: [repairSnapshot(source)] });
  },
});

function summaryOf(c: PresentClaim, source: DataSource): string {
  return `VolumeSnapshot "${source.name}", from which ${claimText(c)} is to be restored, is not ready to use`;
}

function explainObjects(
  c: PresentClaim,
  source: DataSource,
  snapshot: Snapshot,
  content: SnapshotContent | undefined,
): Explanation {
  const error = errorOf(snapshot, content);
  const isStoring = isBeingStored(c, snapshot, content);
  const isExpected = error === undefined && (isStoring || secondsSinceCreation(c, snapshot) < freshSeconds);
  return {
    severity: isExpected ? 'info' : 'blocking',
    summary: `${summaryOf(c, source)}${whyText(error, isStoring)}`,
    evidence: [
      sourceEvidence(c, source),
      field(snapshot, 'status.readyToUse'),
      ...(error ? [error.evidence] : []),
      ...restoreRefusal(c, 'notReady'),
    ],
    fix: isExpected ? [] : advise(c, source, snapshot),
  };
}

/** The driver has cut the snapshot and uploads it, which takes its time by design. */
function isBeingStored(c: PresentClaim, snapshot: Snapshot, content: SnapshotContent | undefined): boolean {
  return content?.status?.snapshotHandle !== undefined && secondsSinceCreation(c, snapshot) < longestUploadSeconds;
}

interface SnapshotError {
  readonly message: string;
  readonly evidence: Evidence;
}

function errorOf(snapshot: Snapshot, content: SnapshotContent | undefined): SnapshotError | undefined {
  for (const object of [snapshot, content]) {
    const message = object?.status?.error?.message;
    if (object && message) return { message, evidence: field(object, 'status.error.message') };
  }
  return undefined;
}

function whyText(error: SnapshotError | undefined, isStoring: boolean): string {
  if (error) return sentence(`: its status reports ${quoteWords(parseDriverError(error.message).words)}`);
  return isStoring
    ? '. The driver has taken it and is still storing it; this is expected, and the claim continues automatically.'
    : '.';
}

/** What blocks the snapshot is what has to be repaired; another snapshot is the shorter way, where there is one. */
function advise(c: PresentClaim, source: DataSource, snapshot: Snapshot): Fix[] {
  const obstacle = obstacleOf(c.ask, snapshot)?.fix ?? [];
  return [
    ...(obstacle.length > 0 ? obstacle : [repairSnapshot(source)]),
    ...(readySnapshots(c, source).length > 0 ? [useOtherSnapshot(c, source)] : []),
  ];
}
