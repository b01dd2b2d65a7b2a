import { claimRefOf, isSecondVersion } from '../../facts/bucket/bucket.ts';
import { field } from '../../facts/evidence.ts';
import type { BucketClaimCase } from '../../facts/bucket/bucket-claim-case.ts';
import type { Bucket } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { applyCommand, steps } from '../lib/steps.ts';
import { nameOf, ruleForClaim } from './bucket-rule.ts';

/** bucketIsBoundToClaim: a Bucket belongs to one claim permanently, identified by namespace, name and uid. */
export const bucketStaticClaimed = ruleForClaim({
  cause: 'bucket-static-claimed',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    const { claim, bucket } = c;
    if (!bucket || c.holderOf(bucket) !== 'other') return undefined;
    const reference = claimRefOf(bucket);
    const path = isSecondVersion(bucket) ? 'spec.bucketClaimRef' : 'spec.bucketClaim';
    const isFormer = reference?.name === claim.metadata.name && reference.namespace === claim.metadata.namespace;
    const owner = isFormer
      ? 'an earlier claim of the same name'
      : `BucketClaim "${reference?.name ?? ''}" in namespace ${reference?.namespace ?? ''}`;
    return {
      summary:
        `${nameOf(claim)} asks for Bucket "${bucket.metadata.name}", which belongs to ${owner}. ` +
        'A Bucket is never bound to a second claim.',
      evidence: [
        field(
          bucket,
          path,
          `${reference?.namespace ?? ''}/${reference?.name ?? ''}, uid ${reference?.uid ?? 'not set'}`,
        ),
        field(claim, 'metadata.uid'),
        ...(claim.status?.error?.message ? [field(claim, 'status.error.message')] : []),
      ],
      fix: [importAgain(c, bucket)],
    };
  },
});

/** The bucket on the storage may have several Bucket objects, one for each claim that uses it. */
function importAgain({ claim }: BucketClaimCase, bucket: Bucket): Fix {
  const { name, namespace } = claim.metadata;
  const second = `${bucket.metadata.name}-${name}`;
  const { driverName, bucketClassName, protocols, existingBucketID } = bucket.spec ?? {};
  const spec = {
    driverName,
    deletionPolicy: 'Retain',
    existingBucketID: existingBucketID ?? bucket.status?.bucketID ?? 'PLACEHOLDER_BUCKET_ID',
    ...(protocols && { protocols }),
    ...(isSecondVersion(bucket)
      ? { bucketClaimRef: { name, namespace } }
      : { bucketClassName, bucketClaim: { name, namespace } }),
  };
  const manifest = { apiVersion: bucket.apiVersion, kind: 'Bucket', metadata: { name: second }, spec };
  const blank =
    spec.existingBucketID === 'PLACEHOLDER_BUCKET_ID'
      ? ' PLACEHOLDER_BUCKET_ID is the id of the bucket on the storage.'
      : '';
  return steps(
    'Give the claim a Bucket of its own for the same bucket on the storage, and recreate it with that name: ' +
      'it cannot be bound to a Bucket of another claim. ' +
      `The policy Retain keeps the data when either claim is deleted.${blank}`,
    [applyCommand(manifest), ...recreateCommands(claim, { spec: { existingBucketName: second } })],
  );
}
