import type { Stage } from '../report/report.ts';
import { disallowedFeatures } from '../facts/bucket/access-features.ts';
import { bucketAccessCaseOf } from '../facts/bucket/bucket-access-case.ts';
import { bucketClaimCaseOf } from '../facts/bucket/bucket-claim-case.ts';
import type { BucketClaimCase } from '../facts/bucket/bucket-claim-case.ts';
import { isAccessGranted, isBucketReady, isClaimReady, isSecondVersion } from '../facts/bucket/bucket.ts';
import { longestRetrySeconds } from '../facts/bucket/versions.ts';
import type { ObjectCase } from '../facts/object-case.ts';
import { open, passed, unknown } from './assessment.ts';
import type { Assessment } from './assessment.ts';

/** Controller and sidecar take turns: only after two minutes is silence more than slowness. */
const graceSeconds = 120;
const deletionSeconds = 60;

/** A claim gets a Bucket object, the driver creates the bucket, and the claim becomes ready. */
export const stagesOfBucketClaim: readonly Stage[] = ['claim', 'provision', 'bind'];
/** Class and claims of an access must be sound before the driver is asked to grant it. */
export const stagesOfBucketAccess: readonly Stage[] = ['claim', 'bind', 'provision'];

export function assessBucketClaim(subject: ObjectCase<'BucketClaim'>, stage: Stage): Assessment {
  if (stage === 'delete') return heldBy(subject);
  const c = bucketClaimCaseOf(subject);
  if (stage === 'claim') return assessOwnBucket(c);
  return stage === 'provision' ? assessProvision(c) : assessReadiness(c);
}

function assessOwnBucket(c: BucketClaimCase): Assessment {
  const { claim, bucket, bucketLookup } = c;
  const since = claim.metadata.creationTimestamp;
  const name = c.bucketName ?? '';
  if (name === '') return unknown('the claim could not be read', since);
  if (bucketLookup.state === 'unknown') return unknown(`whether Bucket "${name}" exists could not be read`, since);
  if (!bucket) {
    const wanted = c.existingName === undefined ? 'has no Bucket yet' : `Bucket "${name}" does not exist`;
    return open(
      isClaimReady(claim) ? `reported ready, but Bucket "${name}" does not exist` : wanted,
      since,
      graceSeconds,
    );
  }
  return c.holderOf(bucket) === 'other'
    ? open(`Bucket "${name}" belongs to another claim`, since, 0)
    : passed(`Bucket ${name}${c.className === undefined ? '' : `, class ${c.className}`}`);
}

function assessProvision({ bucket, claim }: BucketClaimCase): Assessment {
  if (!bucket) return unknown('the Bucket could not be read', claim.metadata.creationTimestamp);
  return assessBucketObject(
    bucket.metadata.name,
    isBucketReady(bucket),
    bucket.status?.bucketID,
    bucket.metadata.creationTimestamp,
  );
}

function assessBucketObject(
  name: string,
  isReady: boolean,
  id: string | undefined,
  since: string | undefined,
): Assessment {
  return isReady
    ? passed(`the driver reports bucket ${id ?? ''}`)
    : open(`the driver has not created the bucket of ${name} yet`, since, graceSeconds);
}

/** Until v1alpha2 follows its Buckets, its controller looks again in growing intervals. */
function assessReadiness({ claim }: BucketClaimCase): Assessment {
  if (isClaimReady(claim)) return passed('ready');
  const grace = isSecondVersion(claim) ? longestRetrySeconds : graceSeconds;
  const since = claim.status?.error?.time ?? claim.metadata.creationTimestamp;
  return open('the bucket exists, but the claim is not ready', since, grace);
}

export function assessBucket(subject: ObjectCase<'Bucket'>, stage: Stage): Assessment {
  if (stage === 'delete') return heldBy(subject);
  const { metadata, status } = subject.object;
  return assessBucketObject(metadata.name, isBucketReady(subject.object), status?.bucketID, metadata.creationTimestamp);
}

export function assessBucketAccess(subject: ObjectCase<'BucketAccess'>, stage: Stage): Assessment {
  if (stage === 'delete') return heldBy(subject);
  const a = bucketAccessCaseOf(subject);
  const since = subject.object.metadata.creationTimestamp;
  const isGranted = isAccessGranted(a.access);
  if (stage === 'provision') {
    if (isGranted && a.rival)
      return open('reported as granted, but another access writes to the same Secret', since, 0);
    return isGranted ? passed('access is granted') : open('access has not been granted yet', since, graceSeconds);
  }
  // Once the sidecar of v1alpha2 has taken over, class and claims do not matter any more.
  if (isGranted || (isSecondVersion(a.access) && a.isWithSidecar))
    return passed(isGranted ? 'access was granted' : 'handed over to the sidecar');
  if (stage === 'claim') {
    if (a.classLookup.state === 'missing') return open(`class "${a.className}" does not exist`, since, 0);
    const [refusal] = a.accessClass ? disallowedFeatures(a.access, a.accessClass) : [];
    if (refusal) return open(`class "${a.className}" does not allow what the access asks for`, since, 0);
    return a.classLookup.state === 'found'
      ? passed(`class ${a.className}`)
      : unknown('the class could not be read', since);
  }
  const waited = a.claims.find(({ lookup }) => lookup.state !== 'found' || !isClaimReady(lookup.object));
  if (waited?.lookup.state === 'unknown') return unknown(`bucketclaim/${waited.name} could not be read`, since);
  return waited
    ? open(
        `bucketclaim/${waited.name} ${waited.lookup.state === 'missing' ? 'does not exist' : 'is not ready'}`,
        since,
        0,
      )
    : passed(`${a.claims.map(({ name }) => name).join(', ')} ready`);
}

function heldBy(subject: ObjectCase<'BucketClaim'> | ObjectCase<'Bucket'> | ObjectCase<'BucketAccess'>): Assessment {
  const { finalizers, object } = subject;
  return open(`held by ${finalizers.join(', ') || 'no finalizer'}`, object.metadata.deletionTimestamp, deletionSeconds);
}
