import { disallowedFeatures } from '../../facts/bucket/access-features.ts';
import type { DisallowedFeature } from '../../facts/bucket/access-features.ts';
import type { BucketAccessCase } from '../../facts/bucket/bucket-access-case.ts';
import { isSecondVersion } from '../../facts/bucket/bucket.ts';
import { field } from '../../facts/evidence.ts';
import type { Fix } from '../../report/report.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { nameOf, retryWords, ruleForAccess } from './bucket-rule.ts';

/** ValidateAccessAgainstClass: v1alpha2 does not retry after it. */
export const bucketaccessFeatureDisallowed = ruleForAccess({
  cause: 'bucketaccess-feature-disallowed',
  stage: 'claim',
  severity: 'blocking',
  explain(a) {
    const { access, accessClass } = a;
    const [first, ...others] = accessClass ? disallowedFeatures(access, accessClass) : [];
    if (!first || !accessClass) return undefined;
    const { name } = accessClass.metadata;
    return {
      about: `${name} ${first.what}`,
      summary: `BucketAccessClass "${name}" does not allow what ${nameOf(access)} asks for: the access ${[first, ...others].map(({ words }) => words).join('; it ')}.`,
      evidence: [
        ...([first, ...others].map(({ path }) => field(access, path)) as [ReturnType<typeof field>]),
        field(accessClass, first.classPath),
      ],
      fix: [adviceFor(a, first)],
    };
  },
});

function adviceFor({ access }: BucketAccessCase, { what }: DisallowedFeature): Fix {
  const { namespace, name } = access.metadata;
  if (what === 'serviceAccount') {
    const change = { spec: { serviceAccountName: 'PLACEHOLDER_SERVICE_ACCOUNT' } };
    const text = 'Name the service account of the pods that use the bucket: PLACEHOLDER_SERVICE_ACCOUNT.';
    return isSecondVersion(access)
      ? steps(
          `${text} It cannot be added in place, so recreate the access: none has been granted yet.`,
          recreateCommands(access, change),
        )
      : steps(`${text} ${retryWords(access)}`, [patchCommand(access, change)]);
  }
  const instead =
    what === 'manyBuckets'
      ? `one access for each bucket claim, or use a BucketAccessClass with multiBucketAccess MultipleBuckets`
      : `an access mode that the class allows, or use another BucketAccessClass`;
  return steps(
    `Recreate bucketaccess/${name} in namespace ${namespace ?? ''} with ${instead}: edit the saved file before the last line. Neither the access nor the class can be changed in place, and no access has been granted yet.`,
    recreateCommands(access, {}),
  );
}
