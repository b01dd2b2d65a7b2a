import { ageText, parseTime } from '../../kube/time.ts';
import type { Fix } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { beingCreatedAnnotation } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, SnapshotContent } from '../../facts/snapshot/snapshot-case.ts';
import { restartDriverPod } from '../lib/restart-driver.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';
import { driverWordsOf, quoteOf, senseFixes } from './driver-words.ts';
import type { DriverWords } from './driver-words.ts';
import { leavingSourceOf } from './leaving-source.ts';
import { snapshotterOf } from './sidecar-trouble.ts';
import { isInFlight, isSidecarHidden } from './snapshot-progress.ts';
import { nameOf, ruleForBoth } from './snapshot-rule.ts';

/**
 * A call ends after a minute (--timeout of the sidecar) and is repeated: after ten of them it is no longer only slow.
 */
const patienceSeconds = 600;

/** By design: the driver has been called, and until it answers the call is repeated. */
export const snapCreateInFlight = ruleForBoth({
  cause: 'snap-create-in-flight',
  severity: 'info',
  explain(s) {
    const { content } = s;
    if (!content || !isInFlight(s)) return undefined;
    if (s.secondsSince(content.metadata.creationTimestamp) > patienceSeconds) return explainLong(s, content);
    return isSidecarHidden(s) ? undefined : explainShort(s, content);
  },
});

function explainShort(s: SnapshotCase, content: SnapshotContent): Explanation {
  return {
    summary:
      `${driverOf(content)} has been called to take ${nameOf(s)} and has not finished${lastAnswer(content)}. ` +
      'The call is repeated until it has; this is expected.',
    evidence: evidenceOf(content),
    fix: [],
  };
}

function explainLong(s: SnapshotCase, content: SnapshotContent): Explanation {
  const since = ageText(parseTime(content.metadata.creationTimestamp) ?? 0, s.now);
  const leaving = leavingSourceOf(s);
  return {
    severity: 'blocking',
    about: driverOf(content),
    summary:
      `${driverOf(content)} was first called ${since} ago to take ${nameOf(s)} and has not ` +
      `finished${lastAnswer(content)}. Whether a snapshot exists on the storage is not known ` +
      `yet.${leaving?.text ?? ''}`,
    evidence: [...evidenceOf(content), ...(leaving?.evidence ?? [])],
    fix: [...adviceFor(s, content), ...(leaving?.fix ?? [])],
  };
}

function driverOf({ spec }: SnapshotContent): string {
  return spec?.driver ?? 'The driver';
}

function lastWords({ status }: SnapshotContent): DriverWords | undefined {
  const message = status?.error?.message;
  return message === undefined ? undefined : driverWordsOf(message);
}

/** A timeout is what the caller reports: the driver itself has not answered. */
function lastAnswer(content: SnapshotContent): string {
  const words = lastWords(content);
  if (!words) return '';
  return words.speaker === 'driver'
    ? `; it last answered ${quoteOf(words)}`
    : `; the last call ended with ${quoteOf(words)}`;
}

function evidenceOf(content: SnapshotContent): EvidenceList {
  const { message, time } = content.status?.error ?? {};
  const mark = content.metadata.annotations?.[beingCreatedAnnotation];
  return [
    field(content, `metadata.annotations[${beingCreatedAnnotation}]`, mark),
    ...(message === undefined ? [] : [field(content, 'status.error.message', message, time)]),
  ];
}

/** Deleting the snapshot would not help: its deletion waits for the same call. */
function adviceFor(s: SnapshotCase, content: SnapshotContent): Fix[] {
  const words = lastWords(content);
  const driver = content.spec?.driver;
  return [
    ...(words ? senseFixes(words) : []),
    ...(driver === undefined ? [] : [restartDriverPod(snapshotterOf(s, driver))]),
  ];
}
