import { isSecondVersion } from '../../facts/bucket/bucket.ts';
import { field } from '../../facts/evidence.ts';
import type { BucketClaimCase } from '../../facts/bucket/bucket-claim-case.ts';
import type { Fix } from '../../report/report.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { nameOf, retryWords, ruleForClaim } from './bucket-rule.ts';

/** A StorageClass can be a default, a BucketClass cannot: a claim has to name its class or an existing Bucket. */
export const bucketClassEmpty = ruleForClaim({
  cause: 'bucket-class-empty',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    const { claim, className, existingName, bucketLookup } = c;
    if (className !== undefined || existingName !== undefined || bucketLookup.state !== 'missing') return undefined;
    const classes = c.ask.list('BucketClass', undefined, 'which bucket classes there are').items;
    const names = classes.map(({ metadata }) => metadata.name);
    const hint = names.length === 1 ? ` The only class is "${names[0] ?? ''}".` : '';
    return {
      summary: `${nameOf(claim)} names no BucketClass, and no existing Bucket. There is no default for bucket classes.${hint}`,
      evidence: [
        field(claim, 'spec.bucketClassName'),
        ...classes.slice(0, 5).map((each) => field(each, 'metadata.name')),
      ],
      fix: [setClass(c, names.length === 1 ? names[0] : undefined)],
    };
  },
});

function setClass({ claim }: BucketClaimCase, only: string | undefined): Fix {
  const name = only ?? 'PLACEHOLDER_CLASS';
  const blank = only === undefined ? ' PLACEHOLDER_CLASS is a class of kubectl get bucketclass.' : '';
  const change = { spec: { bucketClassName: name } };
  return isSecondVersion(claim)
    ? steps(
        `Recreate the claim with bucketClassName "${name}": a class cannot be added later, and the claim has no bucket yet.${blank}`,
        recreateCommands(claim, change),
      )
    : steps(`Set bucketClassName "${name}" in the claim.${blank} ${retryWords(claim)}`, [patchCommand(claim, change)]);
}
