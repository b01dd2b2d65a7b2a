import { isSecondVersion } from '../../facts/bucket/bucket.ts';
import type { Fix } from '../../report/report.ts';
import { steps } from '../lib/steps.ts';

const source = 'https://github.com/kubernetes-sigs/container-object-storage-interface';
/** The last release of v1alpha1; v1alpha2 has none yet. */
const lastRelease = 'v0.2.2';

/** The manifests hold the definitions of the kinds and the controller, in namespace container-object-storage-system. */
export function installBucketApi(object: { readonly apiVersion?: string }, what: string): Fix {
  const ref = isSecondVersion(object) ? 'main' : lastRelease;
  return steps(
    `Install ${what} of the Container Object Storage Interface, in the version that your drivers are written ` +
      `for (${isSecondVersion(object) ? 'main holds v1alpha2' : `${lastRelease} holds v1alpha1`}). ` +
      `Where a distribution or the driver's chart brings them, switch that on instead. ` +
      'What waits then continues automatically.',
    [`kubectl apply -k '${source}?ref=${ref}'`],
  );
}
