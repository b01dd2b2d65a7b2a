import type { Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { beingCreatedAnnotation } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, SnapshotContent } from '../../facts/snapshot/snapshot-case.ts';
import { restartDriverPod } from '../lib/restart-driver.ts';
import type { EvidenceList } from '../lib/rule.ts';
import { terminatingContent, wasNeverBound } from './content-deletion.ts';
import { driverWordsOf, quoteOf, senseFixes } from './driver-words.ts';
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
      summary:
        `${nameOf(s)} is deleted only once it is known how its creation ended, and ${driver ?? 'the driver'} has ` +
        `not finished the call${lastAnswer(content)}. ` +
        'Deleting it earlier could leave a snapshot behind on the storage.',
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

function lastAnswer({ status }: SnapshotContent): string {
  const message = status?.error?.message;
  return message === undefined ? '' : `; the last one ended with ${quoteOf(driverWordsOf(message))}`;
}

/** The call is repeated, although the objects are to go: when it ends, the deletion follows. */
function adviceFor(s: SnapshotCase, { spec, status }: SnapshotContent): Fix[] {
  const words = status?.error?.message === undefined ? undefined : driverWordsOf(status.error.message);
  return [
    ...(words ? senseFixes(words) : []),
    ...(spec?.driver ? [restartDriverPod(snapshotterOf(s, spec.driver))] : []),
  ];
}
