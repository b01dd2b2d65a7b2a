import { isClaimReady } from '../../facts/bucket/bucket.ts';
import { absent, field } from '../../facts/evidence.ts';
import type { BucketAccessCase } from '../../facts/bucket/bucket-access-case.ts';
import { nearestName } from '../../kube/names.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { isSecondVersion } from '../../facts/bucket/bucket.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { nameOf, retryWords, ruleForAccess } from './bucket-rule.ts';

/**
 * Access is granted to buckets that are ready. What keeps a claim that exists is the verdict of the claim's own
 * journey.
 */
export const bucketaccessWaitsClaim = ruleForAccess({
  cause: 'bucketaccess-waits-claim',
  stage: 'bind',
  severity: 'blocking',
  explain(a) {
    const missing = a.claims.find(({ lookup }) => lookup.state === 'missing');
    if (missing) return explainMissing(a, missing.name);
    for (const { lookup } of a.claims) {
      if (lookup.state !== 'found' || isClaimReady(lookup.object)) continue;
      const evidence: Evidence = field(
        lookup.object,
        isSecondVersion(lookup.object) ? 'status.readyToUse' : 'status.bucketReady',
      );
      return {
        severity: 'info',
        summary: `${nameOf(a.access)} waits for bucketclaim/${lookup.object.metadata.name}, which is not ready.`,
        evidence: [evidence],
        fix: [],
      };
    }
    return undefined;
  },
});

function explainMissing(a: BucketAccessCase, name: string): Explanation {
  const { access, namespace } = a;
  const known = a.ask.list('BucketClaim', namespace, `which bucket claim was meant by ${name}`).items;
  const near = nearestName(
    name,
    known.map(({ metadata }) => metadata.name),
  );
  return {
    summary:
      `BucketClaim "${name}", which ${nameOf(access)} names, does not exist in that ` +
      `namespace.${near === undefined ? '' : ` The closest match is "${near}".`}`,
    evidence: [
      field(access, access.spec?.bucketClaimName ? 'spec.bucketClaimName' : 'spec.bucketClaims'),
      absent('BucketClaim', name, namespace),
    ],
    fix: [...(near === undefined ? [] : [useClaim(a, near)]), createClaim(a, name, near !== undefined)],
  };
}

function useClaim({ access }: BucketAccessCase, near: string): Fix {
  if (!isSecondVersion(access))
    return steps(`If "${near}" was meant, set it in the access. ${retryWords(access)}`, [
      patchCommand(access, { spec: { bucketClaimName: near } }),
    ]);
  const [only, ...others] = access.spec?.bucketClaims ?? [];
  return steps(
    `If "${near}" was meant, recreate the access with that claim: it cannot be changed in place, and no access has been granted yet.`,
    recreateCommands(
      access,
      others.length === 0 ? { spec: { bucketClaims: [{ ...only, bucketClaimName: near }] } } : {},
    ),
  );
}

function createClaim({ access, namespace }: BucketAccessCase, name: string, isSecond: boolean): Fix {
  return steps(
    `${isSecond ? 'Otherwise create' : 'Create'} BucketClaim "${name}" in namespace ${namespace} ` +
      `(PLACEHOLDER_CLAIM is its manifest). ${retryWords(access)}`,
    ['kubectl create -f PLACEHOLDER_CLAIM'],
  );
}
