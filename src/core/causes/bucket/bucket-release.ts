import type { BucketAccess, BucketClaim } from '../../kube/kinds.ts';
import { bucketFinalizers } from '../../facts/bucket/versions.ts';
import type { Fix, Risk } from '../../report/report.ts';
import { releaseCommand } from '../lib/release-finalizers.ts';
import { steps } from '../lib/steps.ts';

/** Removes the finalizers of COSI and no other; the patch fails if the list has changed meanwhile. */
export function releaseFinalizers(object: BucketClaim | BucketAccess, text: string, risk: Risk): Fix {
  return steps(text, [releaseCommand(object, bucketFinalizers(object))], risk);
}
