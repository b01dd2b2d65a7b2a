import { logsFix } from '../../facts/driver/drivers.ts';
import type { Fix } from '../../report/report.ts';
import { field, fix, shellWord } from '../../facts/evidence.ts';
import { beingCreatedAnnotation } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, SnapshotContent } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { terminatingContent, wasNeverBound } from './content-deletion.ts';
import { snapshotterOf } from './sidecar-trouble.ts';
import { nameOf, ruleForBoth } from './snapshot-rule.ts';

/** shouldDelete: deleting while the creation may still be running could leave the snapshot on the storage behind. */
export const snapDeleteWaitsCreate = ruleForBoth({
  cause: 'snap-delete-waits-create',
  stage: 'delete',
  severity: 'blocking',
  explain(s) {
    const content = terminatingContent(s);
    const mark = content?.metadata.annotations?.[beingCreatedAnnotation];
    if (!content || mark === undefined || wasNeverBound(content)) return undefined;
    const driver = content.spec?.driver;
    return {
      ...(driver && { about: driver }),
      summary: `${nameOf(s)} is deleted only when it is known how its creation ended, and ${driver ?? 'the driver'} has not said so yet`,
      evidence: evidenceOf(content, mark),
      fix: adviceFor(s, content),
    };
  },
});

function evidenceOf(content: SnapshotContent, mark: string): EvidenceList {
  const error = content.status?.error;
  return [
    field(content, `metadata.annotations[${beingCreatedAnnotation}]`, mark),
    ...(error?.message ? [field(content, 'status.error.message', error.message, error.time)] : []),
  ];
}

function adviceFor(s: SnapshotCase, content: SnapshotContent): Fix[] {
  const driver = content.spec?.driver;
  return [
    fix(
      'let the driver finish: it is asked again by itself; mend what keeps it from answering',
      `kubectl describe volumesnapshotcontent ${shellWord(content.metadata.name)}`,
    ),
    ...(driver ? [logsFix(snapshotterOf(s, driver), 'driver')] : []),
  ];
}
