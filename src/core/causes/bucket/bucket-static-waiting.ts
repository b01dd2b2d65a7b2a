import { boundBucketOf, isSecondVersion } from '../../facts/bucket/bucket.ts';
import { absent, field } from '../../facts/evidence.ts';
import { nearestName } from '../../kube/names.ts';
import type { Fix } from '../../report/report.ts';
import type { BucketClaimCase } from '../../facts/bucket/bucket-claim-case.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { applyCommand, patchCommand, steps } from '../lib/steps.ts';
import { nameOf, retryWords, ruleForClaim } from './bucket-rule.ts';

/** A claim with existingBucketName waits for a Bucket object that an administrator creates. */
export const bucketStaticWaiting = ruleForClaim({
  cause: 'bucket-static-waiting',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    const { claim, existingName, bucketLookup } = c;
    if (existingName === undefined || bucketLookup.state !== 'missing' || boundBucketOf(claim)) return undefined;
    const known = c.ask.list('Bucket', undefined, `which Bucket was meant by ${existingName}`).items;
    const near = nearestName(
      existingName,
      known.map(({ metadata }) => metadata.name),
    );
    return {
      about: existingName,
      summary:
        `${nameOf(claim)} asks for the existing Bucket "${existingName}", which does not ` +
        `exist.${near === undefined ? '' : ` The closest match is "${near}".`}`,
      evidence: [field(claim, 'spec.existingBucketName'), absent('Bucket', existingName)],
      fix: [...(near === undefined ? [] : [rename(c, near)]), createBucket(c, existingName, near !== undefined)],
    };
  },
});

/** Only v1alpha2 forbids changes of the name. */
function rename({ claim }: BucketClaimCase, near: string): Fix {
  const change = { spec: { existingBucketName: near } };
  return isSecondVersion(claim)
    ? steps(
        `If "${near}" was meant, recreate the claim with that name: it cannot be changed in place, and the claim holds no data of its own.`,
        recreateCommands(claim, change),
      )
    : steps(`If "${near}" was meant, correct the name in the claim. ${retryWords(claim)}`, [
        patchCommand(claim, change),
      ]);
}

function createBucket({ claim, className }: BucketClaimCase, name: string, isSecond: boolean): Fix {
  const { name: claimName, namespace } = claim.metadata;
  const spec = {
    driverName: 'PLACEHOLDER_DRIVER',
    deletionPolicy: 'Retain',
    existingBucketID: 'PLACEHOLDER_BUCKET_ID',
    ...(isSecondVersion(claim)
      ? { bucketClaimRef: { name: claimName, namespace } }
      : {
          bucketClassName: className ?? 'PLACEHOLDER_CLASS',
          bucketClaim: { name: claimName, namespace },
          protocols: claim.spec?.protocols ?? ['S3'],
        }),
  };
  const blank =
    isSecondVersion(claim) || className !== undefined ? '' : ', PLACEHOLDER_CLASS a BucketClass of that driver';
  return steps(
    `${isSecond ? 'Otherwise create' : 'Create'} Bucket "${name}" for the bucket on the storage. ` +
      `PLACEHOLDER_DRIVER is the driver's name, PLACEHOLDER_BUCKET_ID the bucket's id in the words of the ` +
      `driver${blank}. ${retryWords(claim)}`,
    [applyCommand({ apiVersion: claim.apiVersion, kind: 'Bucket', metadata: { name }, spec })],
  );
}
