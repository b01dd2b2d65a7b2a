import { isSecondVersion } from '../../facts/bucket/bucket.ts';
import type { BucketAccessCase, BucketAccessClass } from '../../facts/bucket/bucket-access-case.ts';
import { absent, field } from '../../facts/evidence.ts';
import { nearestName } from '../../kube/names.ts';
import type { Fix } from '../../report/report.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { applyCommand, patchCommand, steps } from '../lib/steps.ts';
import { nameOf, retryWords, ruleForAccess } from './bucket-rule.ts';

/** Without the class no driver is known: every sidecar of v1alpha1 passes the access over, and v1alpha2 waits. */
export const bucketaccessClassMissing = ruleForAccess({
  cause: 'bucketaccess-class-missing',
  stage: 'claim',
  severity: 'blocking',
  explain(a) {
    const { access, className } = a;
    if (a.classLookup.state !== 'missing') return undefined;
    const known = a.ask.list('BucketAccessClass', undefined, `which class was meant by ${className}`).items;
    const near = nearestName(
      className,
      known.map(({ metadata }) => metadata.name),
    );
    return {
      about: className,
      summary:
        `BucketAccessClass "${className}", which ${nameOf(access)} names, does not ` +
        `exist.${near === undefined ? '' : ` The closest match is "${near}".`}`,
      evidence: [
        field(access, 'spec.bucketAccessClassName'),
        absent('BucketAccessClass', className),
        ...known.slice(0, 5).map((other) => field(other, 'metadata.name')),
      ],
      fix: [...(near === undefined ? [] : [useClass(a, near)]), createClass(a, known, near !== undefined)],
    };
  },
});

function useClass({ access }: BucketAccessCase, near: string): Fix {
  const change = { spec: { bucketAccessClassName: near } };
  return isSecondVersion(access)
    ? steps(
        `If "${near}" was meant, recreate the access with that class: it cannot be changed in place, and no access has been granted yet.`,
        recreateCommands(access, change),
      )
    : steps(`If "${near}" was meant, set it in the access. ${retryWords(access)}`, [patchCommand(access, change)]);
}

function createClass(
  { access, className }: BucketAccessCase,
  known: readonly BucketAccessClass[],
  isSecond: boolean,
): Fix {
  const drivers = new Set(known.map((each) => each.spec?.driverName ?? each.driverName ?? ''));
  const [driver = ''] = drivers.size === 1 ? drivers : [];
  const rules = { driverName: driver || 'PLACEHOLDER_DRIVER', authenticationType: 'Key' };
  const manifest = {
    apiVersion: access.apiVersion,
    kind: 'BucketAccessClass',
    metadata: { name: className },
    ...(isSecondVersion(access) ? { spec: rules } : rules),
  };
  const blank = driver === '' ? ' PLACEHOLDER_DRIVER is the name of the COSI driver.' : '';
  return steps(
    `${isSecond ? 'Otherwise create' : 'Create'} BucketAccessClass "${className}", with the parameters that ` +
      `the driver needs, if any.${blank} ${retryWords(access)}`,
    [applyCommand(manifest)],
  );
}
