import { isSecondVersion } from '../../facts/bucket/bucket.ts';
import { field } from '../../facts/evidence.ts';
import { quotable } from './bucket-words.ts';
import type { Bucket } from '../../kube/kinds.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { parseDriverError } from '../lib/driver-error/parse.ts';
import type { Explanation } from '../lib/rule.ts';
import { rulesForBucket, nameOf, wordsAbout } from './bucket-rule.ts';
import { answerFixes } from './bucket-answer-fixes.ts';

/**
 * The driver was asked to create the bucket and refused. v1alpha2 keeps its answer in the status, v1alpha1 in an event.
 */
export const bucketCreateFailed = rulesForBucket({ cause: 'bucket-create-failed', severity: 'blocking', explain });

function explain(bucket: Bucket, ask: Inquiry): Explanation | undefined {
  const said = wordsAbout(ask, bucket, ['FailedCreateBucket']);
  if (!said) return undefined;
  const { code, speaker } = parseDriverError(said.text);
  const driver = bucket.spec?.driverName ?? '';
  const who = speaker === 'driver' ? `The driver ${driver}` : `The COSI sidecar of ${driver}`;
  const isStatic = !!bucket.spec?.existingBucketID;
  return {
    confidence: isSecondVersion(bucket) ? 'certain' : 'likely',
    about: `${driver} ${code ?? ''} ${quotable(said.text)}`,
    summary:
      `${who} cannot ${isStatic ? 'find the existing bucket' : 'create the bucket'} of ` +
      `${nameOf(bucket)}${code === undefined ? '' : ` (${code})`}: "${quotable(said.text)}".`,
    evidence: [said.evidence, field(bucket, 'spec.driverName')],
    fix: answerFixes({ ask, object: bucket, driver, code, className: bucket.spec?.bucketClassName }),
  };
}
