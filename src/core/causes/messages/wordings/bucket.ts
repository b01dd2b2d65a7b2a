import { alone, only, shared } from '../wording.ts';
import type { Wording } from '../wording.ts';

/** What the controller and the sidecar of object storage (COSI) say. */
export const bucketWordings: readonly Wording[] = [
  ...only('bucket-bound-missing', /is bound to Bucket \S+ that no longer exists/),
  ...only('bucket-claim-not-converging', /can't be granted to Bucket not in Ready state/),
  ...only('bucket-class-empty', /cannot find bucket class with the name specified in the bucket claim/),
  ...only('bucket-class-missing', /bucketclass(?:es)?(?:\.objectstorage\.k8s\.io)? "[^"]+" not found/),
  ...only('bucketaccess-class-missing', /bucketaccessclass(?:es)?(?:\.objectstorage\.k8s\.io)? "[^"]+" not found/),
  ...only('bucket-crds-missing', /resource type "bucket(?:claims|accesses|s|classes)"|no matches for kind "Bucket/),
  ...only(
    'bucketaccess-feature-disallowed',
    /disallowed by the BucketAccessClass|multi-bucket access is disallowed|accessMode \S+ is disallowed|serviceAccountName must be specified/,
  ),
  ...only('bucket-protocol-unsupported', /does not support protocols?\b/),
  ...only('bucket-static-claimed', /bound Bucket does not match BucketClaim|Bucket claim ref UID \S+ does not match/),
  ...only('bucket-static-waiting', /waiting for statically-provisioned Bucket/),
  ...only(
    'bucketaccess-secret-conflict',
    /existing access Secret \S+ does not belong to BucketAccess|multiple referenced BucketClaims use the same accessSecretName/,
  ),
  ...only('bucketaccess-waits-claim', /waiting for prerequisites before provisioning access/),
  ...only('bucket-create-failed', /\bFailedCreateBucket\b[^]*code = |failed to create bucket/),
  ...only('bucket-delete-stuck', /\bFailedDeleteBucket\b|failed to delete bucket/),
  ...only(
    'bucketaccess-grant-failed',
    /\bFailedGrantAccess\b[^]*code = |failed to grant bucket access|COSI Sidecar error/,
  ),
  shared(/\bFailedCreateBucket\b[^]*not found/, {
    'bucket-class-missing': 'the class of the claim does not exist',
    'bucket-static-waiting': 'the claim names a Bucket that does not exist yet',
  }),
  ...only('bucketaccess-class-missing', /\bFailedGrantAccess\b[^]*not found/),
];

/** Volumes that are at fault after they were mounted. */
export const runningWordings: readonly Wording[] = [
  alone(/no space left on device|\bENOSPC\b|disk quota exceeded|error(?: number)? 28\b|disk full/i, {
    'volume-full': 'the file is on a volume of the pod, and df shows that it is full',
    'volume-inodes-full': 'the volume has free space, and df -i shows that it has no free inode',
    'ephemeral-storage-evicted': 'the file is not on a volume: the disk of the node is full',
  }),
  alone(/read-only file ?system|remounting file ?system read-only|\bEROFS\b/i, {
    'volume-remounted-readonly': 'the file is on a volume that the pod mounts for writing',
    'resize-readonly': 'the volume should grow, and every pod mounts it read-only',
  }),
  ...only('emptydir-limit-evicted', /Usage of EmptyDir volume \S+ exceeds the limit/),
  ...only(
    'ephemeral-storage-evicted',
    /exceeded its local ephemeral storage limit|ephemeral local storage usage exceeds|low on resource: ephemeral-storage/,
  ),
  ...only('mount-recursive-readonly', /failed to resolve recursive read-only mode/),
  ...only(
    'mount-idmap-unsupported',
    /doesn't support idmap mounts|MOUNT_ATTR_IDMAP|mount_setattr `?\S+`? \(maybe the file system/,
  ),
  ...only('mount-token-in-secrets', /serviceAccount\.tokens is missing/),
  ...only('snapmeta-service-missing', /failed to find the SnapshotMetadataService CR/),
  ...only('groupsnap-default-class-none', /cannot find default group snapshot class/),
  ...only('groupsnap-member-not-csi', /non-CSI volumes is not supported, group snapshot/),
  ...only('groupsnap-selector-unmatched', /for group snapshot not applied to any PVC/),
];
