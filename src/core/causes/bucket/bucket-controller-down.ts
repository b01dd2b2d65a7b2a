import type { BucketAccess, BucketClaim } from '../../kube/kinds.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { findBucketController } from '../../facts/bucket/bucket-controllers.ts';
import { isSecondVersion } from '../../facts/bucket/bucket.ts';
import { bucketFinalizers } from '../../facts/bucket/versions.ts';
import { absent, field } from '../../facts/evidence.ts';
import { parseTime } from '../../kube/time.ts';
import type { Explanation } from '../lib/rule.ts';
import { installBucketApi } from './bucket-install.ts';
import { nameOf, ruleForAccess, ruleForClaim, wordsAbout } from './bucket-rule.ts';
import { provenTrouble, startUnseen } from './bucket-trouble.ts';

const cause = 'bucket-controller-down';
const startSeconds = 20;
const silenceSeconds = 120;
const aboutController = 'bucket-controller';

/** The controller creates the Bucket of a claim, and in v1alpha2 prepares an access for the sidecar. */
export const bucketControllerDown = [
  ruleForClaim({
    cause,
    stage: 'claim',
    severity: 'blocking',
    explain: (c) => (c.bucketLookup.state === 'missing' ? explainController(c.ask, c.claim) : undefined),
  }),
  ruleForAccess({
    cause,
    stage: 'provision',
    severity: 'blocking',
    explain: (a) => (a.isWithSidecar ? undefined : explainController(a.ask, a.access)),
  }),
];

function explainController(ask: Inquiry, object: BucketClaim | BucketAccess): Explanation | undefined {
  const age = (ask.now - (parseTime(object.metadata.creationTimestamp) ?? 0)) / 1000;
  if (age < startSeconds) return undefined;
  const controller = findBucketController(ask);
  const waits = `${nameOf(object)} ${bucketFinalizers(object).length > 0 ? 'waits for its next step' : 'has not been picked up'}.`;
  const trouble = provenTrouble(controller, 'COSI controller', ask.now);
  if (trouble)
    return {
      confidence: trouble.confidence,
      about: aboutController,
      summary: `${trouble.words} ${waits}`,
      evidence: [...trouble.evidence, field(object, 'metadata.finalizers', object.metadata.finalizers?.join(', '))],
      fix: trouble.fix,
    };
  const { lease, isNowhere } = controller;
  // It writes the finalizer first: with it, or with an error, the controller has been there.
  const isTouched =
    bucketFinalizers(object).length > 0 || wordsAbout(ask, object, ['FailedCreateBucket']) !== undefined;
  if (age < silenceSeconds || isTouched || lease.state === 'fresh' || controller.pods.items.length > 0)
    return undefined;
  if (!isNowhere) return undefined;
  // Without its lease no controller of v1alpha1 works.
  return {
    confidence: isSecondVersion(object) ? 'likely' : 'certain',
    about: aboutController,
    summary: `No COSI controller is installed: neither its lease nor a workload of it was found. ${waits}`,
    evidence: [absent('Lease', lease.name), field(object, 'metadata.finalizers', 'not set')],
    fix: [installBucketApi(object, 'the controller'), startUnseen('COSI controller')],
  };
}
