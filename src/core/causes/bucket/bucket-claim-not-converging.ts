import { findBucketController } from '../../facts/bucket/bucket-controllers.ts';
import { isBucketReady, isClaimReady, isSecondVersion } from '../../facts/bucket/bucket.ts';
import type { BucketClaimCase } from '../../facts/bucket/bucket-claim-case.ts';
import { longestRetrySeconds } from '../../facts/bucket/versions.ts';
import { field } from '../../facts/evidence.ts';
import { parseTime } from '../../kube/time.ts';
import type { Fix } from '../../report/report.ts';
import { kubectl, steps } from '../lib/steps.ts';
import { shellWord } from '../../kube/shell-word.ts';
import { nameOf, ruleForClaim } from './bucket-rule.ts';

const settleSeconds = 60;

/**
 * The controller of v1alpha1 writes bucketReady=false each time it sees an unready claim, also after the sidecar wrote
 * true, and the sidecar never looks at a ready Bucket again. v1alpha2 looks again in growing intervals.
 */
export const bucketClaimNotConverging = ruleForClaim({
  cause: 'bucket-claim-not-converging',
  stage: 'bind',
  severity: 'blocking',
  explain(c) {
    const { claim, bucket } = c;
    if (!bucket || !isBucketReady(bucket) || isClaimReady(claim)) return undefined;
    const isSecond = isSecondVersion(claim);
    const triedAt = parseTime(claim.status?.error?.time) ?? parseTime(claim.metadata.creationTimestamp) ?? 0;
    const quietSeconds = (c.ask.now - triedAt) / 1000;
    const isNameless = !isSecond && claim.status?.bucketReady === true;
    const ready = isSecond ? 'readyToUse' : 'bucketReady';
    const evidence = [
      field(bucket, `status.${ready}`),
      field(claim, isNameless ? 'status.bucketName' : `status.${ready}`),
    ] as const;
    if (quietSeconds < settleSeconds || (isSecond && quietSeconds < longestRetrySeconds))
      return {
        severity: 'info',
        summary:
          `The bucket of ${nameOf(claim)} is ready, and the claim follows ` +
          `${isSecond ? 'at the next retry of the controller, within 17 minutes' : 'in a moment'}.`,
        evidence,
        fix: isSecond ? [lookAgain(c)] : [],
      };
    const why = isNameless
      ? 'its status lacks the name of the Bucket, which v1alpha1 never adds later'
      : 'its status was overwritten, and v1alpha1 never corrects it';
    return {
      summary:
        `Bucket "${bucket.metadata.name}" is ready, but ${nameOf(claim)} stays unready: ` +
        `${isSecond ? 'the controller does not look again' : why}. No access to the bucket is granted until then.`,
      evidence,
      fix: isSecond ? [lookAgain(c)] : [writeStatus(c, bucket.metadata.name)],
    };
  },
});

/** What the controller should have written; it leaves a ready claim alone. */
function writeStatus({ claim }: BucketClaimCase, bucketName: string): Fix {
  const status = JSON.stringify({ status: { bucketReady: true, bucketName } });
  return steps(
    'Write the status that the controller should have written: ' +
      'it then leaves the claim alone, and waiting accesses are granted within 30 seconds.',
    [kubectl('patch', claim, `--subresource=status --type=merge -p ${shellWord(status)}`)],
  );
}

/** A controller that starts looks at every claim. */
function lookAgain({ ask }: BucketClaimCase): Fix {
  const { workload } = findBucketController(ask);
  const namespace = workload?.namespace ?? 'container-object-storage-system';
  const name = workload ? `${workload.kind.toLowerCase()} ${shellWord(workload.name)}` : 'deployment --all';
  return steps(
    'Restart the COSI controller: it looks at every claim when it starts.',
    [`kubectl -n ${shellWord(namespace)} rollout restart ${workload ? name : 'deployment'}`],
    'disruptive',
  );
}
