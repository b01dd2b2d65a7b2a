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
      summary:
        `BucketAccessClass "${name}" does not allow what ${nameOf(access)} asks for: ` +
        `the access ${[first, ...others].map(({ words }) => words).join('; it ')}.`,
      evidence: [
        ...([first, ...others].map(({ path }) => field(access, path)) as [ReturnType<typeof field>]),
        field(accessClass, first.classPath),
      ],
      fix: [adviceFor(a, first)],
    };
  },
});

function adviceFor({ access, accessClass }: BucketAccessCase, { what }: DisallowedFeature): Fix {
  const { namespace, name } = access.metadata;
  const disallowed = accessClass?.spec?.disallowedBucketAccessModes ?? [];
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
  const claims = access.spec?.bucketClaims ?? [];
  const change =
    what === 'manyBuckets' ? claims.slice(0, 1) : claims.map((claim) => withAllowedMode(claim, disallowed));
  const instead =
    what === 'manyBuckets'
      ? 'one bucket claim, and create an access of its own for each of the others; ' +
        'or use a BucketAccessClass with multiBucketAccess MultipleBuckets'
      : 'an access mode that the class allows; or use another BucketAccessClass';
  return steps(
    `Recreate bucketaccess/${name} in namespace ${namespace ?? ''} with ${instead}. ` +
      'Neither the access nor the class can be changed in place, and no access has been granted yet.',
    recreateCommands(access, { spec: { bucketClaims: change } }),
  );
}

type ClaimAccess = NonNullable<NonNullable<BucketAccessCase['access']['spec']>['bucketClaims']>[number];

function withAllowedMode(claim: ClaimAccess, disallowed: readonly string[]): ClaimAccess {
  if (!disallowed.includes(claim.accessMode ?? '')) return claim;
  const accessMode = ['ReadOnly', 'WriteOnly', 'ReadWrite'].find((mode) => !disallowed.includes(mode));
  return { ...claim, accessMode: accessMode ?? 'PLACEHOLDER_MODE' };
}
