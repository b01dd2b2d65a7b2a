import { claimRefOf, isSecondVersion } from '../../facts/bucket/bucket.ts';
import { field } from '../../facts/evidence.ts';
import type { Bucket, BucketClaim } from '../../kube/kinds.ts';
import type { Fix } from '../../report/report.ts';
import type { BucketAccessCase } from '../../facts/bucket/bucket-access-case.ts';
import { recreateCommands } from '../lib/recreate.ts';
import type { Explanation } from '../lib/rule.ts';
import { steps } from '../lib/steps.ts';
import { nameOf, ruleForAccess, ruleForClaim, rulesForBucket, wordsAbout } from './bucket-rule.ts';
import { protocolRefusedTexts } from '../lib/driver-error/sentences/bucket-sidecar.ts';

const cause = 'bucket-protocol-unsupported';

export const bucketProtocolUnsupported = [
  ...rulesForBucket({
    cause,
    severity: 'blocking',
    explain: (bucket, ask) => explainBucket(bucket, wordsAbout(ask, bucket, [], protocolRefusedTexts)),
  }),
  ruleForClaim({
    cause,
    stage: 'bind',
    severity: 'blocking',
    explain: ({ bucket, claim, ask }) =>
      bucket && explainBucket(bucket, wordsAbout(ask, claim, [], protocolRefusedTexts)),
  }),
  ruleForAccess({ cause, stage: 'provision', severity: 'blocking', explain: explainAccess }),
];

function explainBucket(bucket: Bucket, said: ReturnType<typeof wordsAbout>): Explanation | undefined {
  if (!said) return undefined;
  const match = protocolRefusedTexts.exec(said.text);
  const wanted = match?.[2] ?? match?.[3] ?? '';
  const driver = bucket.spec?.driverName ?? match?.[1] ?? '';
  return {
    about: `${driver} ${wanted}`,
    summary:
      wanted === ''
        ? `The driver ${driver} reports no protocol for the bucket of ${nameOf(bucket)}, so no access to it can be ` +
          'granted. It is not retried.'
        : `The driver ${driver} does not support protocol ${wanted}, which the claim of ${nameOf(bucket)} requires. It is not retried.`,
    evidence: [said.evidence, field(bucket, 'spec.protocols', (bucket.spec?.protocols ?? []).join(', '))],
    fix: [withoutProtocol(bucket)],
  };
}

/** Its protocols and its class are immutable in v1alpha2, and an unready claim holds no data. */
function withoutProtocol(bucket: Bucket): Fix {
  const { name = 'PLACEHOLDER_CLAIM', namespace = 'PLACEHOLDER_NAMESPACE' } = claimRefOf(bucket) ?? {};
  const claim = { kind: 'BucketClaim', metadata: { name, namespace } } as const;
  return steps(
    'Recreate the claim without the protocol, or edit the file in between to name a BucketClass whose driver ' +
      'supports it: neither can be changed in place, and the claim has no data yet.',
    recreateCommands(claim, { spec: { protocols: null } }),
    'disruptive',
  );
}

/** cannotAccessBucketClaims: each claim reports the protocols of its bucket. */
function explainAccess(a: BucketAccessCase): Explanation | undefined {
  const { access } = a;
  const protocol = access.spec?.protocol;
  if (!isSecondVersion(access) || a.isWithSidecar || !protocol) return undefined;
  for (const { lookup } of a.claims) {
    const offered = lookup.state === 'found' ? (lookup.object.status?.protocols ?? []) : [];
    if (lookup.state !== 'found' || offered.length === 0 || offered.includes(protocol)) continue;
    return {
      about: `${lookup.object.metadata.name} ${protocol}`,
      summary:
        `${nameOf(access)} asks for protocol ${protocol}, and the bucket of ` +
        `bucketclaim/${lookup.object.metadata.name} offers ${offered.join(', ')}. It is not retried.`,
      evidence: [field(access, 'spec.protocol'), field(lookup.object, 'status.protocols', offered.join(', '))],
      fix: [useProtocol(a, lookup.object, offered[0] ?? '')],
    };
  }
  return undefined;
}

function useProtocol({ access }: BucketAccessCase, claim: BucketClaim, protocol: string): Fix {
  return steps(
    `If the application can use ${protocol}, recreate the access with it: ` +
      'the protocol cannot be changed in place, and no access has been granted yet. ' +
      `Otherwise use a bucket whose driver offers the protocol; bucketclaim/${claim.metadata.name} does not.`,
    recreateCommands(access, { spec: { protocol } }),
  );
}
