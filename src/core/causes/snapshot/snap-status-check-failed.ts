import type { Evidence, Fix } from '../../report/report.ts';
import { field, fix } from '../../facts/evidence.ts';
import type { SnapshotCase, SnapshotError } from '../../facts/snapshot/snapshot-case.ts';
import { driverWordsOf, quote } from './driver-words.ts';
import { describeCommand, driverLogFixes } from './snapshot-progress.ts';
import { errorEvidence, matchError, ruleForBoth } from './snapshot-rule.ts';

type DriverWords = ReturnType<typeof driverWordsOf>;

/** The snapshot exists on the storage, and querying its status fails (checkandUpdateContentStatus). */
export const snapStatusCheckFailed = ruleForBoth({
  cause: 'snap-status-check-failed',
  severity: 'blocking',
  explain(s) {
    const error = findError(s);
    if (!error) return undefined;
    const driver = s.driver ?? 'the driver';
    const words = driverWordsOf(error.message);
    return {
      confidence: s.content ? 'certain' : 'likely',
      about: `${driver}/${words.skeleton}`,
      summary: `${driver} was asked after snapshot ${handleOf(s) ?? ''} and ${answerText(words)}: ${quote(words.text)}`,
      evidence: [errorEvidence(error), ...handleEvidence(s)],
      fix: adviceFor(s, words),
    };
  },
});

function findError(s: SnapshotCase): SnapshotError | undefined {
  const { error, content } = s;
  if (!error || handleOf(s) !== undefined) return error;
  // Without the content only the error tells that the snapshot exists and was queried.
  const isCheck = matchError(s, /Failed to check and update snapshot content|failed to list snapshot/i) !== undefined;
  const isCreation = /failed to take snapshot of the volume/.test(error.message);
  return content === undefined && isCheck && !isCreation ? error : undefined;
}

function handleOf({ content }: SnapshotCase): string | undefined {
  return content?.status?.snapshotHandle ?? content?.spec?.source?.snapshotHandle;
}

function isUnknownToDriver({ code, text }: DriverWords): boolean {
  return code === 'NotFound' || /can not find snapshot|not found/i.test(text);
}

function answerText(words: DriverWords): string {
  const answer = isUnknownToDriver(words) ? 'does not know it' : 'did not say how it is';
  return `${answer}${words.meaning ? `, since ${words.meaning}` : ''}${words.code === undefined ? '' : ` (${words.code})`}`;
}

function handleEvidence(s: SnapshotCase): Evidence[] {
  const { content } = s;
  const handle = handleOf(s);
  if (!content || handle === undefined) return [];
  const path = content.status?.snapshotHandle === undefined ? 'spec.source.snapshotHandle' : 'status.snapshotHandle';
  return [field(content, path, handle)];
}

function adviceFor(s: SnapshotCase, words: DriverWords): Fix[] {
  const act = isUnknownToDriver(words)
    ? fix(
        'compare the handle with the snapshots on the storage; make content and snapshot again with the right one',
        describeCommand(s),
        'disruptive',
      )
    : fix('act on what the driver says: it is asked again by itself', describeCommand(s));
  return [...words.advice, act, ...driverLogFixes(s)];
}
