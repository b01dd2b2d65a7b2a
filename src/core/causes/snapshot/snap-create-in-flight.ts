import { ageText, parseTime } from '../../kube/time.ts';
import type { Fix } from '../../report/report.ts';
import { field, fix } from '../../facts/evidence.ts';
import { beingCreatedAnnotation } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase, SnapshotContent } from '../../facts/snapshot/snapshot-case.ts';
import type { EvidenceList, Explanation } from '../lib/rule.ts';
import { driverWordsOf, quote } from './driver-words.ts';
import { driverLogFixes, isInFlight, isSidecarHidden } from './snapshot-progress.ts';
import { nameOf, ruleForBoth } from './snapshot-rule.ts';

/** A call ends after a minute (--timeout of the sidecar) and is repeated: after ten of them it is no longer only slow. */
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
    summary: summarize(s, content, ''),
    evidence: evidenceOf(content),
    fix: [fix('wait: a slow storage needs its time')],
  };
}

function explainLong(s: SnapshotCase, content: SnapshotContent): Explanation {
  return {
    severity: 'blocking',
    about: content.spec?.driver ?? 'the driver',
    summary: summarize(s, content, ` ${ageText(parseTime(content.metadata.creationTimestamp) ?? 0, s.now)} ago`),
    evidence: evidenceOf(content),
    fix: [...knownAdvice(content), ...driverLogFixes(s)],
  };
}

function summarize(s: SnapshotCase, content: SnapshotContent, when: string): string {
  const driver = content.spec?.driver ?? 'the driver';
  return `${driver} was asked to take ${nameOf(s)}${when}, and how that ends is not known yet${lastAnswer(content)}: the call is repeated until it does`;
}

function lastAnswer({ status }: SnapshotContent): string {
  const message = status?.error?.message;
  if (message === undefined) return '';
  const { code, text } = driverWordsOf(message);
  return ` (${code ?? 'no code'}: ${quote(text)})`;
}

function evidenceOf(content: SnapshotContent): EvidenceList {
  const { message, time } = content.status?.error ?? {};
  const mark = content.metadata.annotations?.[beingCreatedAnnotation];
  return [
    field(content, `metadata.annotations[${beingCreatedAnnotation}]`, mark),
    ...(message === undefined ? [] : [field(content, 'status.error.message', message, time)]),
  ];
}

function knownAdvice({ status }: SnapshotContent): readonly Fix[] {
  const message = status?.error?.message;
  return message === undefined ? [] : driverWordsOf(message).advice;
}
