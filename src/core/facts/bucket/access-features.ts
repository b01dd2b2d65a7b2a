import type { BucketAccess, ObjectOf } from '../../kube/kinds.ts';

/** What an access requests and its class does not allow. */
export interface DisallowedFeature {
  /** Completes "bucketaccess/x …". */
  readonly words: string;
  /** The field of the access, and the field of the class that forbids it. */
  readonly path: string;
  readonly classPath: string;
  readonly what: 'serviceAccount' | 'manyBuckets' | 'accessMode';
}

/** ValidateAccessAgainstClass of v1alpha2; the sidecar of v1alpha1 checks the service account alone. */
export function disallowedFeatures(
  { spec }: BucketAccess,
  accessClass: ObjectOf<'BucketAccessClass'>,
): readonly DisallowedFeature[] {
  const rules = accessClass.spec;
  const authentication = rules?.authenticationType ?? accessClass.authenticationType;
  const found: DisallowedFeature[] = [];
  if ((authentication === 'ServiceAccount' || authentication === 'IAM') && !spec?.serviceAccountName)
    found.push({
      words: `names no service account, which authentication type ${authentication} needs`,
      path: 'spec.serviceAccountName',
      classPath: rules ? 'spec.authenticationType' : 'authenticationType',
      what: 'serviceAccount',
    });
  const claims = spec?.bucketClaims ?? [];
  if (claims.length > 1 && rules?.multiBucketAccess !== 'MultipleBuckets')
    found.push({
      words: `names ${claims.length} bucket claims, and the class allows one`,
      path: 'spec.bucketClaims',
      classPath: 'spec.multiBucketAccess',
      what: 'manyBuckets',
    });
  const mode = claims.find(({ accessMode }) => rules?.disallowedBucketAccessModes?.includes(accessMode ?? ''));
  if (mode)
    found.push({
      words: `asks for access mode ${mode.accessMode ?? ''}, which the class does not allow`,
      path: 'spec.bucketClaims',
      classPath: 'spec.disallowedBucketAccessModes',
      what: 'accessMode',
    });
  return found;
}
