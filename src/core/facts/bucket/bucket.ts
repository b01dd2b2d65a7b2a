import type { Bucket, BucketAccess, BucketClaim, ObjectOf } from '../../kube/kinds.ts';
import { apiGroup } from './versions.ts';

/** An error that a controller or sidecar of v1alpha2 wrote to a status. */
export interface BucketError {
  readonly message: string;
  readonly time?: string;
  readonly object: BucketClaim | Bucket | BucketAccess;
}

/** v1alpha2 renamed fields and finalizers, and writes errors to the status. */
export function isSecondVersion({ apiVersion }: { readonly apiVersion?: string }): boolean {
  return apiVersion === `${apiGroup}/v1alpha2`;
}

/** The Bucket that the claim is bound to, by its status. */
export function boundBucketOf({ status }: BucketClaim): string | undefined {
  return status?.boundBucketName || status?.bucketName || undefined;
}

/** bucketReady without a name is not enough: the sidecar of v1alpha1 checks both before it grants access. */
export function isClaimReady(claim: BucketClaim): boolean {
  return claim.status?.readyToUse === true || (claim.status?.bucketReady === true && !!claim.status.bucketName);
}

export function isBucketReady({ status }: Bucket): boolean {
  return (status?.readyToUse === true || status?.bucketReady === true) && !!status.bucketID;
}

/** The claim that a Bucket names. */
export function claimRefOf({ spec }: Bucket): NonNullable<Bucket['spec']>['bucketClaim'] {
  return spec?.bucketClaimRef ?? spec?.bucketClaim;
}

export function isAccessGranted({ status }: BucketAccess): boolean {
  return (status?.readyToUse === true || status?.accessGranted === true) && !!status.accountID;
}

/** The claims whose buckets an access is for. */
export function claimNamesOfAccess({ spec }: BucketAccess): readonly string[] {
  const names = (spec?.bucketClaims ?? []).map(({ bucketClaimName }) => bucketClaimName ?? '');
  return [...new Set([...names, spec?.bucketClaimName ?? ''])].filter((name) => name !== '');
}

/** The Secrets to which the credentials of an access are written, one for each bucket. */
export function secretNamesOf({ spec }: BucketAccess): readonly string[] {
  const names = (spec?.bucketClaims ?? []).map(({ accessSecretName }) => accessSecretName ?? '');
  return [...names, spec?.credentialsSecretName ?? ''].filter((name) => name !== '');
}

export function driverOfClass(
  bucketClass: ObjectOf<'BucketClass'> | ObjectOf<'BucketAccessClass'> | undefined,
): string | undefined {
  return bucketClass?.spec?.driverName || bucketClass?.driverName || undefined;
}

export function errorOf(object: BucketClaim | Bucket | BucketAccess): BucketError | undefined {
  const { message, time } = object.status?.error ?? {};
  return message ? { message, object, ...(time !== undefined && { time }) } : undefined;
}

/** Whether deleting the Bucket deletes the data: what could not be read is taken to. */
export function losesData(bucket: Bucket | undefined): boolean {
  return bucket?.spec?.deletionPolicy !== 'Retain';
}
