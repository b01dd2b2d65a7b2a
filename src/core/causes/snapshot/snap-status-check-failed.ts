import type { Evidence, Fix } from '../../report/report.ts';
import { field, fix } from '../../facts/evidence.ts';
import type { SnapshotCase, SnapshotError } from '../../facts/snapshot/snapshot-case.ts';
import { handleOf as handleOfContent } from '../lib/snapshot-content.ts';
import { driverWordsOf, tellWords } from './driver-words.ts';
import type { DriverWords } from './driver-words.ts';
import { importOther } from './import-snapshot.ts';
import { refusalFixes } from './refusal-fixes.ts';
import { driverLogFixes, orDriverLog } from './snapshot-progress.ts';
import { errorEvidence, matchError, ruleForBoth } from './snapshot-rule.ts';
import { checkFailedTexts, snapshotUnknownTexts, takeFailedText } from '../lib/driver-error/sentences/snapshots.ts';

/** The snapshot exists on the storage, and querying its status fails (checkandUpdateContentStatus). */
export const snapStatusCheckFailed = ruleForBoth({
  cause: 'snap-status-check-failed',
  severity: 'blocking',
  explain(s) {
    const error = findError(s);
    if (!error) return undefined;
    const driver = s.driver ?? 'The driver';
    const words = driverWordsOf(error.message);
    const handle = handleOf(s);
    const which = handle === undefined ? 'the snapshot' : `snapshot "${handle}"`;
    return {
      confidence: s.content ? 'certain' : 'likely',
      about: `${driver}/${words.skeleton}`,
      summary: tellWords(
        `${driver} ${isUnknownToDriver(words) ? `does not know ${which}` : `did not report the state of ${which}`}`,
        words,
      ),
      evidence: [errorEvidence(error), ...handleEvidence(s)],
      fix: adviceFor(s, words, which),
    };
  },
});

function findError(s: SnapshotCase): SnapshotError | undefined {
  const { error, content } = s;
  if (!error || handleOf(s) !== undefined) return error;
  // Without the content only the error shows that the snapshot exists and was queried.
  const isCheck = matchError(s, checkFailedTexts) !== undefined;
  const isCreation = takeFailedText.test(error.message);
  return content === undefined && isCheck && !isCreation ? error : undefined;
}

function handleOf({ content }: SnapshotCase): string | undefined {
  return content && handleOfContent(content);
}

function isUnknownToDriver({ code, text }: DriverWords): boolean {
  return code === 'NotFound' || snapshotUnknownTexts.test(text);
}

function handleEvidence(s: SnapshotCase): Evidence[] {
  const { content } = s;
  const handle = handleOf(s);
  if (!content || handle === undefined) return [];
  const path = content.status?.snapshotHandle === undefined ? 'spec.source.snapshotHandle' : 'status.snapshotHandle';
  return [field(content, path, handle)];
}

function adviceFor(s: SnapshotCase, words: DriverWords, which: string): Fix[] {
  if (!isUnknownToDriver(words)) return [...orDriverLog(s, [...refusalFixes(s, words), ...driverLogFixes(s)])];
  const ask = fix(
    `Ask the owner of the storage whether ${which} exists in the account and region that ` +
      `${s.driver ?? 'the driver'} uses. If it does, correct the settings of the driver; ` +
      'the query is repeated within 5 minutes.',
  );
  return [ask, ...importOther(s), ...driverLogFixes(s)];
}
