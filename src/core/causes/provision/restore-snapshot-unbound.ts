import { absent, field, fix } from '../../facts/evidence.ts';
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
import type { Snapshot } from './restore-source.ts';

const freshSeconds = 60;

/** The snapshot controller has bound no VolumeSnapshotContent to the snapshot yet. */
export const restoreSnapshotUnbound = claimRule({
  cause: 'restore-snapshot-unbound',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = restoreFailureOf(c);
    if (failure?.check !== 'unbound') return undefined;
    if (failure.by === 'objects') return explainObjects(c, failure.source, failure.snapshot);
    return explainTold(c, failure, { summary: summaryOf(failure.source), fix: [describeSnapshot(failure.source)] });
  },
});

function summaryOf(source: DataSource): string {
  return `volumesnapshot/${source.name}, from which the claim is to be restored, has no content yet`;
}

function explainObjects(c: PresentClaim, source: DataSource, snapshot: Snapshot): Explanation {
  const missingClass = missingClassOf(c, snapshot);
  const hasError = Boolean(snapshot.status?.error?.message);
  const isFresh = !hasError && missingClass === undefined && secondsSinceCreation(c, snapshot) < freshSeconds;
  return {
    severity: isFresh ? 'info' : 'blocking',
    summary: `${summaryOf(source)}${whyText(snapshot, missingClass)}`,
    evidence: [
      sourceEvidence(c, source),
      field(snapshot, 'status.boundVolumeSnapshotContentName'),
      ...(missingClass === undefined ? [] : [absent('VolumeSnapshotClass', missingClass)]),
      ...(hasError ? [field(snapshot, 'status.error.message')] : []),
      ...restoreRefusal(c, 'unbound'),
    ],
    fix: [
      fix(
        'see what the snapshot waits for, and mend it first: the claim then goes on by itself',
        explainSnapshotCommand(source),
      ),
    ],
  };
}

function missingClassOf(c: PresentClaim, snapshot: Snapshot): string | undefined {
  const name = snapshot.spec?.volumeSnapshotClassName;
  if (name === undefined) return undefined;
  const why = `whether volumesnapshotclass/${name} exists`;
  return c.ask.get('VolumeSnapshotClass', undefined, name, why).state === 'missing' ? name : undefined;
}

function whyText(snapshot: Snapshot, missingClass: string | undefined): string {
  if (missingClass !== undefined) return `: its class ${missingClass} does not exist`;
  if (snapshot.status?.error?.message) return ', and the snapshot itself reports an error';
  return snapshot.status ? '' : ': no snapshot controller has taken it up';
}
