import { boundBucketOf, isClaimReady, isSecondVersion } from '../../facts/bucket/bucket.ts';
import type { BucketClaimCase } from '../../facts/bucket/bucket-claim-case.ts';
import { absent, field } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { applyCommand, steps } from '../lib/steps.ts';
import { nameOf, ruleForClaim } from './bucket-rule.ts';

/**
 * v1alpha2 ends with an "unrecoverable degradation": a new Bucket might not be the one with the data. v1alpha1 creates
 * the Bucket again as long as the claim is not ready, and never looks at a claim that is.
 */
export const bucketBoundMissing = ruleForClaim({
  cause: 'bucket-bound-missing',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    const { claim, bucketLookup } = c;
    const name = boundBucketOf(claim);
    if (bucketLookup.state !== 'missing' || name === undefined) return undefined;
    if (!isSecondVersion(claim) && !isClaimReady(claim)) return undefined;
    return {
      summary:
        `${nameOf(claim)} is bound to Bucket "${name}", which does not exist any more. ` +
        'The Bucket is not created again, because a new one might not hold the same data.',
      evidence: [
        field(claim, isSecondVersion(claim) ? 'status.boundBucketName' : 'status.bucketName', name),
        absent('Bucket', name),
        ...(claim.status?.error?.message ? [field(claim, 'status.error.message')] : []),
      ],
      fix: [adopt(c, name), ...(c.className === undefined ? [] : [startOver(c)])],
    };
  },
});

/** A Bucket object with existingBucketID takes over what the backend still has. */
function adopt({ claim, driver, className }: BucketClaimCase, name: string): Fix {
  const { name: claimName, namespace } = claim.metadata;
  const spec = isSecondVersion(claim)
    ? { bucketClaimRef: { name: claimName, namespace } }
    : {
        bucketClaim: { name: claimName, namespace },
        bucketClassName: className ?? '',
        protocols: claim.spec?.protocols ?? [],
      };
  const manifest = {
    apiVersion: claim.apiVersion,
    kind: 'Bucket',
    metadata: { name },
    spec: {
      driverName: driver ?? 'PLACEHOLDER_DRIVER',
      deletionPolicy: 'Retain',
      existingBucketID: 'PLACEHOLDER_BUCKET_ID',
      ...spec,
    },
  };
  return steps(
    'If the bucket still exists on the storage, import it again under the same name. ' +
      'PLACEHOLDER_BUCKET_ID is its id in the words of the ' +
      `driver${driver === undefined ? ', PLACEHOLDER_DRIVER the name of the driver' : ''}: ` +
      'the storage lists it. The claim then finds its Bucket.',
    [applyCommand(manifest)],
  );
}

function startOver({ claim }: BucketClaimCase): Fix {
  return steps(
    'If its data is not needed any more, recreate the claim: it gets a new, empty bucket.',
    recreateCommands(claim, {}),
    'data-loss',
  );
}
