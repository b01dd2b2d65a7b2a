import { boolean, list, record, string } from '../shape.ts';
import { reference } from '../shared-shapes.ts';

/** The Container Object Storage Interface, v1alpha1 and v1alpha2. */
export const bucketShapes = {
  BucketClaim: {
    spec: record({ bucketClassName: string, existingBucketName: string, protocols: list(string) }),
    status: record({
      bucketReady: boolean,
      bucketName: string,
      readyToUse: boolean,
      boundBucketName: string,
      protocols: list(string),
      error: record({ message: string, time: string }),
    }),
  },
  Bucket: {
    spec: record({
      driverName: string,
      bucketClassName: string,
      bucketClaim: reference,
      bucketClaimRef: reference,
      protocols: list(string),
      deletionPolicy: string,
      existingBucketID: string,
    }),
    status: record({
      bucketReady: boolean,
      readyToUse: boolean,
      bucketID: string,
      protocols: list(string),
      error: record({ message: string, time: string }),
    }),
  },
  BucketClass: {
    driverName: string,
    deletionPolicy: string,
    spec: record({ driverName: string, deletionPolicy: string }),
  },
  BucketAccess: {
    spec: record({
      bucketClaimName: string,
      bucketClaims: list(record({ bucketClaimName: string, accessMode: string, accessSecretName: string })),
      bucketAccessClassName: string,
      credentialsSecretName: string,
      serviceAccountName: string,
      protocol: string,
    }),
    status: record({
      accessGranted: boolean,
      readyToUse: boolean,
      accountID: string,
      driverName: string,
      accessedBuckets: list(record({ bucketName: string, bucketClaimName: string })),
      error: record({ message: string, time: string }),
    }),
  },
  BucketAccessClass: {
    driverName: string,
    authenticationType: string,
    spec: record({
      driverName: string,
      authenticationType: string,
      disallowedBucketAccessModes: list(string),
      multiBucketAccess: string,
    }),
  },
} as const;
