import { bucketFinalizers } from '../../facts/bucket/versions.ts';
import { BucketClaimCase } from '../../facts/bucket/bucket-claim-case.ts';
import {
  claimNamesOfAccess,
  claimRefOf,
  isAccessGranted,
  isBucketReady,
  isClaimReady,
} from '../../facts/bucket/bucket.ts';
import type { Bucket, BucketClaim } from '../../kube/kinds.ts';
import type { BucketClaimRow, BucketRow, RowAccess } from '../../report/rows.ts';
import type { TargetRef } from '../../kube/selection.ts';
import { rowBase } from './row-base.ts';
import type { RowDesk } from './row-base.ts';

/** A claim with its Bucket and the accesses to it. */
export function bucketClaimRow({ ask, suspect }: RowDesk, claim: BucketClaim): BucketClaimRow {
  const c = new BucketClaimCase(ask, claim);
  const namespace = claim.metadata.namespace ?? '';
  const { accesses, complete } = accessesOf({ ask, namespace, name: claim.metadata.name });
  const { bucket, bucketLookup, className, driver } = c;
  const isHidden = bucketLookup.state === 'unknown';
  const unknown = [...(isHidden ? ['bucket', 'driver'] : []), ...(complete ? [] : ['accesses'])];
  const isLeaving = claim.metadata.deletionTimestamp !== undefined;
  if (!isClaimReady(claim) || isLeaving || bucketLookup.state === 'missing') suspect(refTo(claim));
  return {
    ...rowBase(claim, unknown),
    status: statusOf(isLeaving, isClaimReady(claim)),
    ...(bucket && { bucket: bucket.metadata.name }),
    ...(className !== undefined && { bucketClass: className }),
    ...(driver !== undefined && { driver }),
    protocols: claim.status?.protocols ?? claim.spec?.protocols ?? [],
    accesses,
  };
}

/** A Bucket with its claim and the accesses to it. */
export function bucketRow({ ask, suspect }: RowDesk, bucket: Bucket): BucketRow {
  const { spec, status, metadata } = bucket;
  const reference = claimRefOf(bucket);
  const { name, namespace } = reference ?? {};
  const isClaimed = name !== undefined && namespace !== undefined;
  const { accesses, complete } = isClaimed ? accessesOf({ ask, namespace, name }) : { accesses: [], complete: true };
  const isLeaving = metadata.deletionTimestamp !== undefined;
  if (isLeaving ? bucketFinalizers(bucket).length > 0 : !isBucketReady(bucket)) suspect(refTo(bucket));
  return {
    ...rowBase(bucket, complete ? [] : ['accesses']),
    status: statusOf(isLeaving, isBucketReady(bucket)),
    ...(isClaimed && { claim: { namespace, name } }),
    ...(spec?.bucketClassName && { bucketClass: spec.bucketClassName }),
    ...(spec?.driverName && { driver: spec.driverName }),
    ...(spec?.deletionPolicy && { deletionPolicy: spec.deletionPolicy }),
    ...(status?.bucketID && { bucketId: status.bucketID }),
    protocols: status?.protocols ?? spec?.protocols ?? [],
    accesses,
  };
}

function statusOf(isLeaving: boolean, isReady: boolean): string {
  if (isLeaving) return 'Terminating';
  return isReady ? 'Ready' : 'Pending';
}

function refTo({ kind, metadata: { namespace, name } }: Bucket | BucketClaim): TargetRef {
  return { kind, name, ...(namespace !== undefined && { namespace }) };
}

/** The accesses of a namespace that name the claim. */
function accessesOf({
  ask,
  namespace,
  name,
}: {
  readonly ask: RowDesk['ask'];
  readonly namespace: string;
  readonly name: string;
}): { readonly accesses: readonly RowAccess[]; readonly complete: boolean } {
  const { items, complete } = ask.list('BucketAccess', namespace, 'who has access to which bucket');
  return {
    accesses: items
      .filter((access) => claimNamesOfAccess(access).includes(name))
      .map((access) => ({ name: access.metadata.name, isGranted: isAccessGranted(access) })),
    complete,
  };
}
