import { driversWithLease, findBucketSidecar, sidecarLeases } from '../../facts/bucket/bucket-controllers.ts';
import { claimRefOf, isAccessGranted, isSecondVersion } from '../../facts/bucket/bucket.ts';
import type { BucketClass } from '../../facts/bucket/bucket-claim-case.ts';
import { bucketFinalizers } from '../../facts/bucket/versions.ts';
import { absent, field } from '../../facts/evidence.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Bucket, BucketAccess } from '../../kube/kinds.ts';
import { nearestName } from '../../kube/names.ts';
import { parseTime } from '../../kube/time.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import type { BucketAccessCase } from '../../facts/bucket/bucket-access-case.ts';
import { recreateCommands } from '../lib/recreate.ts';
import { steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { nameOf, ruleForAccess, rulesForBucket, wordsAbout } from './bucket-rule.ts';
import { provenTrouble, startUnseen } from './bucket-trouble.ts';

const cause = 'bucket-driver-not-running';
const startSeconds = 20;
const silenceSeconds = 120;

/** The sidecar runs next to the driver, and is its only caller. */
export const bucketDriverNotRunning = [
  ...rulesForBucket({
    cause,
    severity: 'blocking',
    explain: (bucket, ask) => explainSidecar(ask, bucket, bucket.spec?.driverName, field(bucket, 'spec.driverName')),
  }),
  ruleForAccess({
    cause,
    stage: 'provision',
    severity: 'blocking',
    explain: (a) =>
      a.isWithSidecar && !isAccessGranted(a.access) ? explainSidecar(a.ask, a.access, a.driver, namedBy(a)) : undefined,
  }),
];

/** Where the driver of an access is named: v1alpha2 copies it from the class to the status. */
function namedBy({ access, accessClass }: BucketAccessCase): Evidence {
  return access.status?.driverName || !accessClass
    ? field(access, 'status.driverName')
    : field(accessClass, accessClass.spec ? 'spec.driverName' : 'driverName');
}

function explainSidecar(
  ask: Inquiry,
  object: Bucket | BucketAccess,
  driver: string | undefined,
  naming: Evidence,
): Explanation | undefined {
  const age = (ask.now - (parseTime(object.metadata.creationTimestamp) ?? 0)) / 1000;
  if (!driver || age < startSeconds) return undefined;
  const controller = findBucketSidecar(ask, driver);
  const trouble = provenTrouble(controller, `COSI sidecar of ${driver}`, ask.now);
  const waits = `${nameOf(object)} waits for it.`;
  if (trouble)
    return {
      confidence: trouble.confidence,
      about: driver,
      summary: `${trouble.words} ${waits}`,
      evidence: [...trouble.evidence, naming],
      fix: trouble.fix,
    };
  const { lease, isNowhere, pods } = controller;
  if (age < silenceSeconds || lease.state !== 'missing' || pods.items.length > 0) return undefined;
  const hasSpoken = wordsAbout(ask, object, ['FailedCreateBucket', 'FailedGrantAccess']) !== undefined;
  if (hasSpoken || (isSecondVersion(object) && bucketFinalizers(object).length > 0)) return undefined;
  // No sidecar of v1alpha1 works without its lease; in v1alpha2 leader election is off unless it is asked for.
  if (!isNowhere && isSecondVersion(object)) return undefined;
  const near = nearestName(driver, driversNear(ask));
  return {
    confidence: isNowhere && !isSecondVersion(object) ? 'certain' : 'likely',
    about: driver,
    summary:
      `No COSI sidecar serves driver "${driver}": ` +
      `${isNowhere ? 'neither its lease nor a workload of it was found' : 'it has no lease'}.${near === undefined ? '' : ` The closest driver with a sidecar is "${near}".`} ${waits}`,
    evidence: [naming, absent('Lease', lease.name)],
    fix: [...(near === undefined ? [] : correctDriver(ask, object, driver, near)), installDriver(driver)],
  };
}

/** Names as classes write them, of which a sidecar has left a lease; the lease of v1alpha1 has dashes for dots. */
function driversNear(ask: Inquiry): string[] {
  const served = new Set(driversWithLease(ask));
  return classesOf(ask)
    .map(nameOfDriver)
    .filter((name) => served.has(name) || sidecarLeases(name).some((lease) => served.has(lease.replace(/-cosi$/, ''))));
}

function classesOf(ask: Inquiry): readonly BucketClass[] {
  return ask.list('BucketClass', undefined, 'which drivers the bucket classes name').items;
}

function nameOfDriver(each: BucketClass): string {
  return each.spec?.driverName ?? each.driverName ?? '';
}

/** A Bucket has a copy of the name, so class and claim are both recreated. */
function correctDriver(ask: Inquiry, object: Bucket | BucketAccess, driver: string, near: string): Fix[] {
  const [wrong] = classesOf(ask).filter((each) => nameOfDriver(each) === driver);
  const reference = object.kind === 'Bucket' ? claimRefOf(object) : undefined;
  if (!wrong || !reference?.name || reference.namespace === undefined) return [];
  const claim = {
    kind: 'BucketClaim',
    metadata: { name: reference.name, namespace: reference.namespace },
  } as const;
  return [
    steps(
      `If "${near}" was meant, correct BucketClass "${wrong.metadata.name}" and recreate the claim, which has ` +
        `no data yet: the driver's name is copied when the Bucket is created.`,
      [
        ...recreateCommands(wrong, isSecondVersion(wrong) ? { spec: { driverName: near } } : { driverName: near }),
        ...recreateCommands(claim, { metadata: { finalizers: null } }),
      ],
      'disruptive',
    ),
  ];
}

function installDriver(driver: string): Fix {
  const start = startUnseen(`COSI sidecar of ${driver}`);
  return {
    ...start,
    text: `Install the COSI driver ${driver} with its sidecar, or start them. ${start.text.slice(start.text.indexOf('PLACEHOLDER'))}`,
  };
}
