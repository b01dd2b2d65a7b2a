import type { Evidence, Severity } from '../../report/report.ts';
import { field } from '../../facts/evidence.ts';
import { snapshotCaseOf } from '../../facts/snapshot/snapshot-case.ts';
import type { SnapshotCase } from '../../facts/snapshot/snapshot-case.ts';
import { parseDriverError } from '../lib/driver-error/parse.ts';
import { objectRule } from '../lib/rule.ts';
import type { AnyObjectRule, Explanation } from '../lib/rule.ts';

/** The controller retries after five minutes at the latest (--retry-interval-max); twice that is allowed for. */
export const longestRetrySeconds = 600;

interface SnapshotRule {
  readonly cause: string;
  readonly severity: Severity;
  readonly stage?: 'snapshot' | 'delete';
  explain(s: SnapshotCase): Explanation | undefined;
}

/** The same rule whether the target is the snapshot or its content. */
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

interface ErrorMatch {
  readonly match: RegExpExecArray;
  readonly evidence: Evidence;
}

/** The error in the status of the content or the snapshot, if it matches. */
export function matchError(s: SnapshotCase, pattern: RegExp): ErrorMatch | undefined {
  const { error } = s;
  const match = error && pattern.exec(error.message);
  return match ? { match, evidence: errorEvidence(error) } : undefined;
}

export function errorEvidence({ object, message, time }: NonNullable<SnapshotCase['error']>): Evidence {
  return field(object, 'status.error.message', message, time);
}

/** The target in a sentence: `VolumeSnapshot "nightly" in namespace shop`. */
export function nameOf({ subject }: SnapshotCase): string {
  return objectText(subject);
}

interface Identified {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** `VolumeSnapshot "nightly" in namespace shop`, `VolumeSnapshotContent "brought"`. */
export function objectText({ kind, metadata: { name, namespace } }: Identified): string {
  return `${kind} "${name}"${namespace === undefined ? '' : ` in namespace ${namespace}`}`;
}

/**
 * The component that wrote the error. The snapshot controller copies the errors of the csi-snapshotter to the snapshot.
 */
export function speakerOf({ object, message }: NonNullable<SnapshotCase['error']>): string {
  const isSidecars = object.kind === 'VolumeSnapshotContent' || parseDriverError(message).caller === 'snapshotter';
  return isSidecars ? 'the csi-snapshotter' : 'the snapshot controller';
}
