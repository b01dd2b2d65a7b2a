import type { BucketAccess, BucketClaim } from '../../kube/kinds.ts';
import { bucketFinalizers } from '../../facts/bucket/versions.ts';
import { shellWord } from '../../kube/shell-word.ts';
import type { Fix, Risk } from '../../report/report.ts';
import { kubectl, steps } from '../lib/steps.ts';

/** Removes the finalizers of COSI and no other; the patch fails if the list has changed meanwhile. */
export function releaseFinalizers(object: BucketClaim | BucketAccess, text: string, risk: Risk): Fix {
  const present = object.metadata.finalizers ?? [];
  const patch = bucketFinalizers(object)
    .map((finalizer) => present.indexOf(finalizer))
    // From the end, so that the places of the others stay as they are.
    .toSorted((a, b) => b - a)
    .flatMap((index) => {
      const path = `/metadata/finalizers/${index}`;
      return [
        { op: 'test', path, value: present[index] },
        { op: 'remove', path },
      ];
    });
  return steps(text, [kubectl('patch', object, `--type=json -p ${shellWord(JSON.stringify(patch))}`)], risk);
}
