import type { Fix } from '../../report/report.ts';
import { absent, field } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { claimText } from '../lib/sentence.ts';
import { createClassCommand } from '../lib/snapshot-class.ts';
import { steps } from '../lib/steps.ts';
import { explainTold, sourceEvidence } from './data-source.ts';
import type { DataSource } from './data-source.ts';
import { provisionerOf } from './provisioner.ts';
import { repairSnapshot, restoreFailureOf, restoreRefusal, secondsSinceCreation } from './restore-source.ts';
import type { Snapshot } from './restore-source.ts';
import { obstacleOf } from './snapshot-obstacle.ts';
import { snapshotClassMissingText } from '../lib/driver-error/sentences/snapshots.ts';

const freshSeconds = 60;

/** The snapshot controller has bound no VolumeSnapshotContent to the snapshot yet. */
export const restoreSnapshotUnbound = claimRule({
  cause: 'restore-snapshot-unbound',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = restoreFailureOf(c);
    if (failure?.check !== 'unbound') return undefined;
    const { source } = failure;
    if (failure.by === 'objects') return explainObjects(c, source, failure.snapshot);
    return explainTold(c, failure, { summary: `${summaryOf(c, source)}.`, fix: [repairSnapshot(source)] });
  },
});

function summaryOf(c: PresentClaim, source: DataSource): string {
  return `VolumeSnapshot "${source.name}", from which ${claimText(c)} is to be restored, has no content yet`;
}

function explainObjects(c: PresentClaim, source: DataSource, snapshot: Snapshot): Explanation {
  const missingClass = missingClassOf(c, snapshot);
  const error = snapshot.status?.error?.message;
  const isFresh = !error && missingClass === undefined && secondsSinceCreation(c, snapshot) < freshSeconds;
  return {
    severity: isFresh ? 'info' : 'blocking',
    summary: `${summaryOf(c, source)}${whyText(snapshot, missingClass)}.`,
    evidence: [
      sourceEvidence(c, source),
      field(snapshot, 'status.boundVolumeSnapshotContentName'),
      ...(missingClass === undefined || error ? [] : [absent('VolumeSnapshotClass', missingClass)]),
      ...(error ? [field(snapshot, 'status.error.message')] : []),
      ...restoreRefusal(c, 'unbound'),
    ],
    fix: isFresh ? [] : advise(c, source, snapshot, missingClass),
  };
}

function missingClassOf(c: PresentClaim, snapshot: Snapshot): string | undefined {
  const name = snapshot.spec?.volumeSnapshotClassName;
  if (name === undefined) return undefined;
  const why = `whether volumesnapshotclass/${name} exists`;
  const { state } = c.ask.get('VolumeSnapshotClass', undefined, name, why);
  // The snapshot controller has looked where this reader could not.
  const isToldMissing =
    state === 'unknown' && snapshotClassMissingText.exec(snapshot.status?.error?.message ?? '')?.[1] === name;
  return state === 'missing' || isToldMissing ? name : undefined;
}

function whyText(snapshot: Snapshot, missingClass: string | undefined): string {
  if (missingClass !== undefined) return `: VolumeSnapshotClass "${missingClass}" does not exist`;
  const error = snapshot.status?.error?.message;
  if (error) return `: its status reports "${error}"`;
  return snapshot.status ? '' : ': no snapshot controller has acted on it';
}

/** What blocks the snapshot is what has to be repaired; the claim only follows. */
function advise(c: PresentClaim, source: DataSource, snapshot: Snapshot, missingClass: string | undefined): Fix[] {
  if (missingClass !== undefined) return [createClass(c, missingClass)];
  const obstacle = obstacleOf(c.ask, snapshot)?.fix ?? [];
  return obstacle.length > 0 ? [...obstacle] : [repairSnapshot(source)];
}

function createClass(c: PresentClaim, name: string): Fix {
  const driver = provisionerOf(c)?.name ?? 'PLACEHOLDER_DRIVER';
  return steps(
    `Create VolumeSnapshotClass "${name}" (add the parameters that ${driver} needs for snapshots, if any). ` +
      'The snapshot is then taken within 5 minutes, with the data of that moment, and the claim ' +
      'is restored from it.',
    [createClassCommand(name, driver)],
  );
}
