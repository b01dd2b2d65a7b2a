import type { Bucket, BucketAccess, BucketClaim } from '../../kube/kinds.ts';
import type { Inquiry } from '../../graph/inquiry.ts';
import { BucketAccessCase } from '../../facts/bucket/bucket-access-case.ts';
import { BucketClaimCase } from '../../facts/bucket/bucket-claim-case.ts';
import { boundBucketOf, isSecondVersion, losesData, secretNamesOf } from '../../facts/bucket/bucket.ts';
import { findBucketController, findBucketSidecar } from '../../facts/bucket/bucket-controllers.ts';
import { bucketFinalizers } from '../../facts/bucket/versions.ts';
import { absent, field } from '../../facts/evidence.ts';
import { parseTime } from '../../kube/time.ts';
import { commandsOf } from '../../report/fix-commands.ts';
import type { Evidence, Fix } from '../../report/report.ts';
import { objectRule } from '../lib/rule.ts';
import type { Explanation } from '../lib/rule.ts';
import { patchCommand, steps } from '../lib/steps.ts';
import { nameOf, retryWords, wordsAbout } from './bucket-rule.ts';
import { releaseFinalizers } from './bucket-release.ts';
import { provenTrouble } from './bucket-trouble.ts';
import type { BucketTrouble } from './bucket-trouble.ts';
import { quotable } from './bucket-words.ts';

const rule = { cause: 'bucket-delete-stuck', stage: 'delete', severity: 'blocking' } as const;
const settleSeconds = 30;

/**
 * A claim waits for its Bucket, a Bucket for the driver, an access for the driver, and all for the holder of their
 * finalizer.
 */
export const bucketDeleteStuck = [
  objectRule('BucketClaim', { ...rule, explain: ({ ask, object }) => explainIfHeld(ask, object, explainClaim) }),
  objectRule('Bucket', { ...rule, explain: ({ ask, object }) => explainIfHeld(ask, object, explainBucket) }),
  objectRule('BucketAccess', { ...rule, explain: ({ ask, object }) => explainIfHeld(ask, object, explainAccess) }),
];

function explainIfHeld<T extends BucketClaim | Bucket | BucketAccess>(
  ask: Inquiry,
  object: T,
  explain: (ask: Inquiry, object: T) => Explanation | undefined,
): Explanation | undefined {
  const since = parseTime(object.metadata.deletionTimestamp);
  const isSettling = since === undefined || (ask.now - since) / 1000 < settleSeconds;
  return isSettling || bucketFinalizers(object).length === 0 ? undefined : explain(ask, object);
}

function explainClaim(ask: Inquiry, claim: BucketClaim): Explanation | undefined {
  const { bucket, bucketLookup } = new BucketClaimCase(ask, claim);
  if (bucket?.metadata.deletionTimestamp !== undefined) return explainBucket(ask, bucket, claim);
  const down = provenTrouble(findBucketController(ask), 'COSI controller', ask.now);
  if (down) return waitsFor(claim, down, bucket);
  if (bucketLookup.state !== 'missing' || isSecondVersion(claim)) return undefined;
  const name = boundBucketOf(claim);
  // The sidecar removes the claim's finalizer while it deletes the Bucket: nothing does it afterwards.
  return {
    summary:
      `${nameOf(claim)} is being deleted, and its Bucket is gone already. ` +
      'The finalizer that remains is removed only together with the Bucket.',
    evidence: [finalizersOf(claim), ...(name === undefined ? [] : [absent('Bucket', name)])],
    fix: [
      releaseFinalizers(
        claim,
        'Remove the finalizer: nothing is left that it protects. The claim is then deleted at once.',
        'disruptive',
      ),
    ],
  };
}

function explainBucket(ask: Inquiry, bucket: Bucket, claim?: BucketClaim): Explanation | undefined {
  const driver = bucket.spec?.driverName ?? '';
  const target = claim ?? bucket;
  const down = provenTrouble(findBucketSidecar(ask, driver), `COSI sidecar of ${driver}`, ask.now);
  if (down) return waitsFor(target, down, bucket);
  const said = wordsAbout(ask, bucket, ['FailedDeleteBucket']);
  if (!said) return undefined;
  return {
    confidence: 'likely',
    about: `${driver} ${quotable(said.text)}`,
    summary: `The driver ${driver} cannot delete the bucket of ${nameOf(target)}: "${quotable(said.text)}".`,
    evidence: [said.evidence, finalizersOf(target), field(bucket, 'spec.deletionPolicy')],
    fix: [
      ...keepBucket(bucket),
      steps(
        'Correct what the message names: many storages delete a bucket only when it is empty. ' +
          `The deletion then finishes, and the bucket "${bucket.status?.bucketID ?? ''}" is removed from the ` +
          `storage. ${retryWords(bucket)}`,
        [],
        'data-loss',
      ),
    ],
  };
}

/**
 * The sidecar of v1alpha1 reads claim, Bucket and Secret of an access before it revokes it, and stops when one is
 * missing.
 */
function explainAccess(ask: Inquiry, access: BucketAccess): Explanation | undefined {
  const a = new BucketAccessCase(ask, access);
  const { driver } = a;
  const isControllers = isSecondVersion(access) && !access.status?.driverName;
  const down = isControllers
    ? provenTrouble(findBucketController(ask), 'COSI controller', ask.now)
    : driver && provenTrouble(findBucketSidecar(ask, driver), `COSI sidecar of ${driver}`, ask.now);
  if (down) return waitsFor(access, down, undefined);
  const gone = isSecondVersion(access) ? undefined : findMissingPart(a);
  if (gone)
    return {
      summary:
        `${nameOf(access)} is being deleted, but the sidecar cannot revoke it: ` +
        `${gone.kind} "${gone.name}", which it reads first, does not exist any more.`,
      evidence: [finalizersOf(access), gone.evidence],
      fix: [
        releaseFinalizers(
          access,
          'Revoke the account on the storage by hand if it still exists, then remove the finalizer: the access is deleted at once.',
          'disruptive',
        ),
      ],
    };
  const said = wordsAbout(ask, access, ['FailedRevokeAccess']);
  if (!said) return undefined;
  return {
    confidence: 'likely',
    about: `${driver ?? ''} ${quotable(said.text)}`,
    summary: `${nameOf(access)} cannot be revoked: "${quotable(said.text)}".`,
    evidence: [said.evidence, finalizersOf(access)],
    fix: [
      steps(
        `Correct what the message names. ${retryWords(access)} The account then goes, and its credentials stop working.`,
        [],
        'disruptive',
      ),
    ],
  };
}

function findMissingPart(a: BucketAccessCase): { kind: string; name: string; evidence: Evidence } | undefined {
  const claim = a.claims.find(({ lookup }) => lookup.state === 'missing');
  if (claim) return { kind: 'BucketClaim', name: claim.name, evidence: absent('BucketClaim', claim.name, a.namespace) };
  const secret = secretNamesOf(a.access).find(
    (name) => a.ask.get('Secret', a.namespace, name, `whether Secret ${name} still exists`).state === 'missing',
  );
  return secret === undefined
    ? undefined
    : { kind: 'Secret', name: secret, evidence: absent('Secret', secret, a.namespace) };
}

function waitsFor(
  target: BucketClaim | Bucket | BucketAccess,
  trouble: BucketTrouble,
  bucket: Bucket | undefined,
): Explanation {
  const isAccess = target.kind === 'BucketAccess';
  return {
    confidence: trouble.confidence,
    about: trouble.words,
    summary: `${trouble.words} The deletion of ${nameOf(target)} waits for it.`,
    evidence: [...trouble.evidence, finalizersOf(target)],
    fix: [
      ...trouble.fix.map((fix) => (isAccess ? fix : finishing(fix, bucket))),
      ...(isAccess ? [] : keepBucket(bucket)),
    ],
  };
}

const onlyLooks = /^kubectl (?:-n \S+ )?(?:logs|describe|get) [^|;&]*$/;

/** These fixes let a deletion finish that was asked for: what it destroys is their risk. */
function finishing(fix: Fix, bucket: Bucket | undefined): Fix {
  const commands = commandsOf(fix);
  if (!losesData(bucket) || (commands.length > 0 && commands.every((line) => onlyLooks.test(line)))) return fix;
  return {
    ...fix,
    text: `${fix.text} The deletion then finishes, and the bucket and its data are removed from the storage.`,
    risk: 'data-loss',
  };
}

/** A deletion cannot be taken back, but until it finishes the data on the storage can be kept. */
function keepBucket(bucket: Bucket | undefined): Fix[] {
  if (!bucket || !losesData(bucket)) return [];
  return [
    steps(
      'If the data is still needed, do this first: set the policy to Retain. ' +
        `The objects then go, and bucket "${bucket.status?.bucketID ?? bucket.metadata.name}" ` +
        'stays on the storage.',
      [patchCommand(bucket, { spec: { deletionPolicy: 'Retain' } })],
    ),
  ];
}

function finalizersOf(object: BucketClaim | Bucket | BucketAccess): Evidence {
  return field(object, 'metadata.finalizers', (object.metadata.finalizers ?? []).join(', '));
}
