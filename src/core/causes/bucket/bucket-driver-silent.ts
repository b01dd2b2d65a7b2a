import { findBucketSidecar } from '../../facts/bucket/bucket-controllers.ts';
import type { BucketController } from '../../facts/bucket/bucket-controllers.ts';
import { isAccessGranted, isSecondVersion } from '../../facts/bucket/bucket.ts';
import { bucketFinalizers } from '../../facts/bucket/versions.ts';
import { field, inNamespace, note, shellWord } from '../../facts/evidence.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import type { Bucket, BucketAccess } from '../../kube/kinds.ts';
import { ageText, parseTime } from '../../kube/time.ts';
import type { Fix } from '../../report/report.ts';
import { steps } from '../lib/steps.ts';
import type { Explanation } from '../lib/rule.ts';
import { nameOf, ruleForAccess, rulesForBucket, wordsAbout } from './bucket-rule.ts';

const cause = 'bucket-driver-silent';
const silenceSeconds = 300;

/** The sidecar lives, and neither a result nor an error came back: the call to the driver hangs, or was never made. */
export const bucketDriverSilent = [
  ...rulesForBucket({
    cause,
    severity: 'blocking',
    explain: (bucket, ask) => explainSilence(ask, bucket, bucket.spec?.driverName),
  }),
  ruleForAccess({
    cause,
    stage: 'provision',
    severity: 'blocking',
    explain: (a) =>
      a.isWithSidecar && !isAccessGranted(a.access) ? explainSilence(a.ask, a.access, a.driver) : undefined,
  }),
];

function explainSilence(
  ask: Inquiry,
  object: Bucket | BucketAccess,
  driver: string | undefined,
): Explanation | undefined {
  const since = parseTime(object.metadata.creationTimestamp);
  if (!driver || since === undefined || (ask.now - since) / 1000 < silenceSeconds) return undefined;
  if (wordsAbout(ask, object, ['FailedCreateBucket', 'FailedGrantAccess', 'WaitingForBucket'])) return undefined;
  const controller = findBucketSidecar(ask, driver);
  const isHeld = isSecondVersion(object) && bucketFinalizers(object).length > 0;
  const isAlive = controller.lease.state === 'fresh' || controller.pods.items.length > 0;
  if (!isAlive && !isHeld) return undefined;
  const { lease } = controller;
  const wanted = object.kind === 'Bucket' ? 'to create the bucket' : 'to grant the access';
  return {
    confidence: 'likely',
    about: driver,
    summary:
      `The driver ${driver} was asked ${wanted} of ${nameOf(object)} ${ageText(since, ask.now)} ago, and has ` +
      'not answered: there is neither a result nor an error.',
    evidence: [
      field(object, object.kind === 'Bucket' ? 'status.bucketID' : 'status.accountID'),
      ...(lease.object ? [field(lease.object, 'spec.renewTime')] : []),
      ...(isHeld ? [note(object, 'has the finalizer of the sidecar')] : []),
    ],
    fix: [probeDriver(controller, driver)],
  };
}

/** A fresh sidecar calls for all objects again. The log goes with the pod, so it is saved first. */
function probeDriver({ workload, lease }: BucketController, driver: string): Fix {
  const namespace = workload?.namespace ?? lease.object?.metadata.namespace ?? 'PLACEHOLDER_NAMESPACE';
  const target = workload ? `${workload.kind.toLowerCase()}/${shellWord(workload.name)}` : 'PLACEHOLDER_WORKLOAD';
  const blank = workload ? '' : ' PLACEHOLDER_WORKLOAD (TYPE/NAME) is the workload of the driver in that namespace.';
  return steps(
    `Save the log of ${driver} and its sidecar, which shows the call that hangs, and restart them: the sidecar then calls again.${blank}`,
    [
      `kubectl ${inNamespace(namespace)}logs ${target} --all-containers --since=30m > driver.log`,
      `kubectl ${inNamespace(namespace)}rollout restart ${target}`,
    ],
    'disruptive',
  );
}
