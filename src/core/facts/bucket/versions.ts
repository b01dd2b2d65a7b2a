/** The API group of all kinds of the Container Object Storage Interface, in both versions. */
export const apiGroup = 'objectstorage.k8s.io';

/** The finalizers of v1alpha1; v1alpha2 has one for all kinds. */
const finalizers = {
  claim: 'cosi.objectstorage.k8s.io/bucketclaim-protection',
  bucket: 'cosi.objectstorage.k8s.io/bucket-protection',
  accessOnBucket: 'cosi.objectstorage.k8s.io/bucketaccess-bucket-protection',
  access: 'cosi.objectstorage.k8s.io/bucketaccess-protection',
  secret: 'cosi.objectstorage.k8s.io/secret-protection',
  second: 'objectstorage.k8s.io/protection',
} as const;

const known: ReadonlySet<string> = new Set(Object.values(finalizers));

/** The finalizers that the controller or a sidecar of COSI removes. */
export function bucketFinalizers({ metadata }: { readonly metadata: { readonly finalizers?: readonly string[] } }) {
  return (metadata.finalizers ?? []).filter((name) => known.has(name));
}

/** Controller-runtime, on which v1alpha2 is built, retries after 1000 s at the latest. */
export const longestRetrySeconds = 1000;
