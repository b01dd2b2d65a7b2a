import type { Bucket, BucketAccess, BucketClaim } from '../../kube/kinds.ts';
import type { Evidence, Severity, Stage } from '../../report/report.ts';
import { eventSaid, field } from '../../facts/evidence.ts';
import { bucketAccessCaseOf } from '../../facts/bucket/bucket-access-case.ts';
import type { BucketAccessCase } from '../../facts/bucket/bucket-access-case.ts';
import { bucketClaimCaseOf } from '../../facts/bucket/bucket-claim-case.ts';
import type { BucketClaimCase } from '../../facts/bucket/bucket-claim-case.ts';
import { errorOf, isSecondVersion } from '../../facts/bucket/bucket.ts';
import type { BucketError } from '../../facts/bucket/bucket.ts';
import { lastSeenText, messageOf, newestMatch } from '../../graph/events.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { parseTime } from '../../kube/time.ts';
import { objectRule } from '../lib/rule.ts';
import type { AnyObjectRule, Explanation } from '../lib/rule.ts';

interface Named {
  readonly cause: string;
  readonly severity: Severity;
}

export function ruleForClaim(
  rule: Named & { readonly stage: Stage; explain(c: BucketClaimCase): Explanation | undefined },
): AnyObjectRule {
  return objectRule('BucketClaim', { ...rule, explain: (subject) => rule.explain(bucketClaimCaseOf(subject)) });
}

export function ruleForAccess(
  rule: Named & { readonly stage: Stage; explain(a: BucketAccessCase): Explanation | undefined },
): AnyObjectRule {
  return objectRule('BucketAccess', { ...rule, explain: (subject) => rule.explain(bucketAccessCaseOf(subject)) });
}

/** The same rule whether the target is a Bucket that the driver has not created yet, or the claim it is for. */
export function rulesForBucket(
  rule: Named & { explain(bucket: Bucket, ask: Inquiry): Explanation | undefined },
): AnyObjectRule[] {
  const { cause, severity } = rule;
  return [
    ruleForClaim({
      cause,
      severity,
      stage: 'provision',
      explain: ({ bucket, ask }) => bucket && rule.explain(bucket, ask),
    }),
    objectRule('Bucket', {
      cause,
      severity,
      stage: 'provision',
      explain: ({ object, ask }) => rule.explain(object, ask),
    }),
  ];
}

/** `BucketClaim "photos" in namespace shop`, `Bucket "bc-1"`. */
export function nameOf({ kind, metadata: { name, namespace } }: BucketClaim | Bucket | BucketAccess): string {
  return `${kind} "${name}"${namespace === undefined ? '' : ` in namespace ${namespace}`}`;
}

/** What follows a repair. The queue of v1alpha1 retries after 30 s at the latest, that of v1alpha2 after 1000 s. */
export function retryWords(object: BucketClaim | Bucket | BucketAccess): string {
  return isSecondVersion(object)
    ? 'It is retried automatically, within 17 minutes at the latest.'
    : 'It is retried automatically within 30 seconds.';
}

/** What a controller or sidecar said about an object: in its status in v1alpha2, in an event before. */
export interface BucketWords {
  readonly text: string;
  readonly evidence: Evidence;
  readonly atMs: number;
}

export function wordsAbout(
  ask: Inquiry,
  object: BucketClaim | Bucket | BucketAccess,
  reasons: readonly string[],
  pattern = /(?:)/,
): BucketWords | undefined {
  const error = errorOf(object);
  if (error) return pattern.test(error.message) ? wordsOfError(error) : undefined;
  if (isSecondVersion(object)) return undefined;
  const found = newestMatch(ask.eventsOf(object).items, reasons, pattern);
  return (
    found && {
      text: messageOf(found.event),
      evidence: eventSaid(object, found.event),
      atMs: parseTime(lastSeenText(found.event)) ?? 0,
    }
  );
}

function wordsOfError({ object, message, time }: BucketError): BucketWords {
  return {
    text: message,
    evidence: field(object, 'status.error.message', message, time),
    atMs: parseTime(time) ?? 0,
  };
}
