import type { Resource } from './resource.ts';

/** Container Object Storage Interface (COSI). v1alpha1 is what drivers use; v1alpha2 is its successor. */
const objectStorage = {
  group: 'objectstorage.k8s.io',
  versions: ['v1alpha1', 'v1alpha2'],
  isOptional: true,
  isRare: true,
} as const;

/** The Container Object Storage Interface. */
export const bucketResources: readonly Resource[] = [
  {
    kind: 'BucketClaim',
    name: 'bucketclaims',
    ...objectStorage,
    namespaced: true,
    aliases: ['bucketclaim'],
    tells: 'which bucket claims exist and whether they are ready',
  },
  {
    kind: 'Bucket',
    name: 'buckets',
    ...objectStorage,
    namespaced: false,
    aliases: ['bucket'],
    tells: 'whether the Bucket exists and is ready',
  },
  {
    kind: 'BucketClass',
    name: 'bucketclasses',
    ...objectStorage,
    namespaced: false,
    aliases: ['bucketclass'],
    tells: 'whether the bucket class exists',
  },
  {
    kind: 'BucketAccess',
    name: 'bucketaccesses',
    ...objectStorage,
    namespaced: true,
    aliases: ['bucketaccess'],
    tells: 'which accesses to buckets exist and whether they are granted',
  },
  {
    kind: 'BucketAccessClass',
    name: 'bucketaccessclasses',
    ...objectStorage,
    namespaced: false,
    aliases: ['bucketaccessclass'],
    tells: 'whether the class of an access to a bucket exists',
  },
];
