import type { Evidence, Severity } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { objectRule } from '../lib/rule.ts';
import type { AnyObjectRule, Explanation } from '../lib/rule.ts';
import { snapshotCaseOf } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';

interface SnapshotRule {
  readonly cause: string;
  readonly severity: Severity;
  readonly stage?: 'snapshot' | 'delete';
  explain(s: SnapshotCase): Explanation | undefined;
}

/** The same rule for whoever asks about the snapshot and whoever asks about its content. */
export function ruleForBoth(rule: SnapshotRule): AnyObjectRule[] {
  return [ruleForSnapshot(rule), ruleForContent(rule)];
}

export function ruleForSnapshot({ cause, severity, stage = 'snapshot', explain }: SnapshotRule): AnyObjectRule {
  return objectRule('VolumeSnapshot', {
    cause,
    stage,
    severity,
    explain: (subject) => explain(snapshotCaseOf(subject)),
  });
}

export function ruleForContent({ cause, severity, stage = 'snapshot', explain }: SnapshotRule): AnyObjectRule {
  return objectRule('VolumeSnapshotContent', {
    cause,
    stage,
    severity,
    explain: (subject) => explain(snapshotCaseOf(subject)),
  });
}

/** What the controller or the sidecar wrote into the status, word by word, if it fits. */
export function errorSaid(
  s: SnapshotCase,
  pattern: RegExp,
): { readonly match: RegExpExecArray; readonly evidence: Evidence; readonly time: string | undefined } | undefined {
  const { error } = s;
  const match = error && pattern.exec(error.message);
  return error && match
    ? { match, evidence: field(error.object, 'status.error.message', error.message, error.time), time: error.time }
    : undefined;
}

/** Named in the way of the one who asked. */
export function nameOf(s: SnapshotCase): string {
  return `${s.subject.kind.toLowerCase()}/${s.subject.metadata.name}`;
}
