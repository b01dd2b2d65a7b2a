import { isSecondVersion } from '../../facts/bucket/bucket.ts';
import { absent, field } from '../../facts/evidence.ts';
import type { BucketClaimCase, BucketClass } from '../../facts/bucket/bucket-claim-case.ts';
import { nearestName } from '../../kube/names.ts';
import type { Fix } from '../../report/report.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { applyCommand, patchCommand, steps } from '../lib/steps.ts';
import { nameOf, retryWords, ruleForClaim } from './bucket-rule.ts';

/** Controllers of both versions retry until the class exists, and v1alpha2 says so nowhere but in its log. */
export const bucketClassMissing = ruleForClaim({
  cause: 'bucket-class-missing',
  stage: 'claim',
  severity: 'blocking',
  explain(c) {
    const { claim, className, classLookup, existingName, bucketLookup } = c;
    if (className === undefined || existingName !== undefined || bucketLookup.state !== 'missing') return undefined;
    if (classLookup?.state !== 'missing') return undefined;
    const known = c.ask.list('BucketClass', undefined, `which class was meant by ${className}`).items;
    const near = nearestName(
      className,
      known.map(({ metadata }) => metadata.name),
    );
    return {
      about: className,
      summary:
        `BucketClass "${className}", which ${nameOf(claim)} names, does not ` +
        `exist.${near === undefined ? '' : ` The closest match is "${near}".`}`,
      evidence: [
        field(claim, 'spec.bucketClassName'),
        absent('BucketClass', className),
        ...known.slice(0, 5).map((other) => field(other, 'metadata.name')),
      ],
      fix: [...(near === undefined ? [] : [useClass(c, near)]), createClass(c, className, known, near !== undefined)],
    };
  },
});

function useClass({ claim }: BucketClaimCase, near: string): Fix {
  const change = { spec: { bucketClassName: near } };
  return isSecondVersion(claim)
    ? steps(
        `If "${near}" was meant, recreate the claim with that class: it cannot be changed in place, and the claim has no bucket yet.`,
        recreateCommands(claim, change),
      )
    : steps(`If "${near}" was meant, set it in the claim. ${retryWords(claim)}`, [patchCommand(claim, change)]);
}

function createClass({ claim }: BucketClaimCase, name: string, known: readonly BucketClass[], isSecond: boolean): Fix {
  const drivers = new Set(known.map((each) => each.spec?.driverName ?? each.driverName ?? ''));
  const [driver = ''] = drivers.size === 1 ? drivers : [];
  const rules = { driverName: driver || 'PLACEHOLDER_DRIVER', deletionPolicy: 'Retain' };
  const manifest = {
    apiVersion: claim.apiVersion,
    kind: 'BucketClass',
    metadata: { name },
    ...(isSecondVersion(claim) ? { spec: rules } : rules),
  };
  const blank = driver === '' ? ' PLACEHOLDER_DRIVER is the name of the COSI driver.' : '';
  return steps(
    `${isSecond ? 'Otherwise create' : 'Create'} BucketClass "${name}", with the parameters that the driver ` +
      `needs, if any.${blank} ${retryWords(claim)}`,
    [applyCommand(manifest)],
  );
}
