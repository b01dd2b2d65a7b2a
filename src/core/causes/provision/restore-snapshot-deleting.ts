import type { Fix } from '../../report/report.ts';
import { field, fix, inNamespace } from '../../facts/evidence.ts';
import type { PresentClaim } from '../../facts/claim/claim-case.ts';
import { claimRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { explainTold, sourceEvidence } from './data-source.ts';
import type { DataSource } from './data-source.ts';
import { remakeClaim } from './remake-claim.ts';
import { restoreFailureOf, restoreRefusal } from './restore-source.ts';
import type { Snapshot } from './restore-source.ts';

/** external-provisioner getSnapshotSource refuses a snapshot with a deletionTimestamp, unless the restore began before. */
export const restoreSnapshotDeleting = claimRule({
  cause: 'restore-snapshot-deleting',
  stage: 'provision',
  severity: 'blocking',
  explain(c) {
    const failure = restoreFailureOf(c);
    if (failure?.check !== 'deleting') return undefined;
    if (failure.by === 'objects') return explainObjects(c, failure.source, failure.snapshot);
    return explainTold(c, failure, { summary: summaryOf(failure.source), fix: [useOther(c)] });
  },
});

function summaryOf(source: DataSource): string {
  return `volumesnapshot/${source.name}, from which the claim is to be restored, is being deleted`;
}

function explainObjects(c: PresentClaim, source: DataSource, snapshot: Snapshot): Explanation {
  return {
    summary: summaryOf(source),
    evidence: [
      sourceEvidence(c, source),
      field(snapshot, 'metadata.deletionTimestamp'),
      ...restoreRefusal(c, 'deleting'),
    ],
    fix: [fix('look for another snapshot', `kubectl ${inNamespace(source.namespace)}get volumesnapshot`), useOther(c)],
  };
}

function useOther(c: PresentClaim): Fix {
  return remakeClaim(c, 'with a snapshot that stays');
}
