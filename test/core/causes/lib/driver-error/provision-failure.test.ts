import { describe, expect, it } from 'vitest';
import { classifyError } from '../../../../../src/core/causes/lib/driver-error/provision-failure.ts';

const rpc = (code: string, text: string): string => `rpc error: code = ${code} desc = ${text}`;
const kindOf = (
  message: string,
  circumstances: { hasSource?: boolean; modes?: string[]; reason?: string; isBlock?: boolean } = {},
): string =>
  classifyError(message, {
    hasSource: circumstances.hasSource ?? false,
    modes: circumstances.modes ?? ['ReadWriteOnce'],
    reason: circumstances.reason ?? 'ProvisioningFailed',
    isBlock: circumstances.isBlock ?? false,
  }).kind;

describe('what a provisioning error means', () => {
  it.each([
    ['DeadlineExceeded', 'background'],
    ['Unavailable', 'background'],
    ['Canceled', 'background'],
    ['Aborted', 'background'],
    ['InvalidArgument', 'invalidArgument'],
    ['ResourceExhausted', 'exhausted'],
    ['OutOfRange', 'outOfRange'],
    ['AlreadyExists', 'alreadyExists'],
    ['PermissionDenied', 'credentials'],
    ['Unauthenticated', 'credentials'],
    ['Unimplemented', 'unimplemented'],
    ['Internal', 'internal'],
    ['Unknown', 'internal'],
    ['FailedPrecondition', 'internal'],
    ['NotFound', 'internal'],
  ])('code %s is %s, with and without the prefix of old provisioners', (code, kind) => {
    expect(kindOf(rpc(code, 'no more is known'))).toBe(kind);
    expect(kindOf(`failed to provision volume with StorageClass "a b": ${rpc(code, 'no more is known')}`)).toBe(kind);
  });

  it.each([
    [rpc('Internal', rpc('InvalidArgument', 'bad pool')), 'invalidArgument', 'bad pool'],
    [rpc('Internal', `proxy: ${rpc('Internal', 'disk broke')}`), 'internal', 'disk broke'],
    [rpc('Unknown', `backend: ${rpc('ResourceExhausted', 'full')}`), 'exhausted', 'full'],
    ['DeadlineExceeded desc = context deadline exceeded', 'background', 'context deadline exceeded'],
  ])('the innermost code that tells something counts: %s', (message, kind, text) => {
    expect(classifyError(message, { hasSource: false, modes: [], reason: 'ProvisioningFailed' })).toMatchObject({
      kind,
      text,
    });
  });

  it.each([
    'AccessDenied: User arn:aws:sts::1:assumed-role/x is not authorized to perform: ec2:CreateVolume',
    'UnauthorizedOperation: You are not authorized to perform this operation.',
    'SDK.ServerError ErrorCode: Forbidden.RAM NoPermission',
    '{"error":{"code":"AuthorizationFailed","message":"The client does not have authorization to perform action"}}',
    'compute.DisksClient#CreateOrUpdate: StatusCode=403 -- Original Error: Code="LinkedAuthorizationFailed"',
    'AuthFailure: AWS was not able to validate the provided access credentials',
    'InvalidClientTokenId: The security token included in the request is invalid',
    'ExpiredToken: The security token included in the request is expired',
    "googleapi: Error 403: Required 'compute.disks.create' permission for 'projects/x', forbidden",
    'failed to refresh cached credentials, no EC2 IMDS role found',
    'Authentication failed: invalid username or password',
    'ServerFaultCode: Cannot complete login due to an incorrect user name or password.',
    'ServerFaultCode: Permission to perform this operation was denied.',
    'rados: ret=-1, Operation not permitted',
    'GET https://api.example.com/v2/volumes: 401 (request "x") Unable to authenticate you',
    'could not log in to the array',
    'the access key is not valid',
    'server answered 403 Forbidden',
    'Access is denied.',
  ])('credentials: %s', (text) => {
    expect(kindOf(rpc('Internal', text))).toBe('credentials');
  });

  it.each([
    'Aliyun API Error: Status Code: 403 Code: InvalidDataDiskCategory.NotSupported Message: the diskCategory is not supported',
    'CreateDisk: StatusCode=403 ErrorCode=InvalidPerformanceLevel.Malformed, the level is not valid',
  ])('a code that names a parameter outranks the number 403: %s', (text) => {
    expect(kindOf(rpc('Internal', text))).not.toBe('credentials');
  });

  it.each([
    'Aliyun API Error: Status Code: 403 Code: InvalidSecurityToken.Malformed Message: the token is malformed',
    'Aliyun API Error: Status Code: 403 Code: InvalidRoleName.NotFound',
    'Aliyun API Error: Status Code: 403 Code: Forbidden.Disk, for InvalidRequests of this kind',
    'Status Code: 403 Code: InvalidDataDiskCategory.NotSupported, AccessDenied',
  ])('the number counts where the code names the caller: %s', (text) => {
    expect(kindOf(rpc('Internal', text))).toBe('credentials');
  });

  it.each([
    "googleapi: Error 403: Quota 'SSD_TOTAL_GB' exceeded. Limit: 100.0 in region us-west1., quotaExceeded",
    'VolumeLimitExceeded: You have exceeded your maximum gp2 storage limit of 50 TiB in this region.',
    'MaxIOPSLimitExceeded: Maximum IOPS limit has been reached',
    'VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds allowed gigabytes quota.',
    'mkdir /data/pvc-1: no space left on device',
    'not enough free space in volume group vg0',
    'insufficient capacity: requested 10, available 3',
    'ZONE_RESOURCE_POOL_EXHAUSTED: the zone does not have enough resources',
    '[400] Account Limit reached. Please open a support ticket.',
    'volume limit (10) has been reached. Current number of volumes: 10.',
    'you have reached your account volume limit',
    "failed to create resources: Message: 'Not enough available nodes'",
    'could not find enough nodes to provision volume: 3 out of 3 pools could not be selected',
  ])('full, or a quota: %s', (text) => {
    expect(kindOf(rpc('Internal', text))).toBe('exhausted');
  });

  it.each([
    'RequestLimitExceeded: Request limit exceeded.',
    'Throttling: Rate exceeded',
    'googleapi: Error 403: Rate Limit Exceeded, rateLimitExceeded',
    'HTTPStatusCode: 429, RawError: TooManyRequests',
    'API rate limit reached, try again later',
  ])('throttled, and repeated: %s', (text) => {
    expect(kindOf(rpc('Internal', text))).toBe('background');
  });

  it.each([
    'volume vol-1: replica 2/2 healthy, engine starting',
    'disk resize: attempt 3 of 3 failed: backend returned unexpected status',
    'failed to create volume after 10/10 retries on volumes endpoint',
    'snapshot in progress: 2 of 2 volumes frozen',
    'pool tank: scrub 97% complete, try again later',
    'array rebuild at 98%, creation is blocked',
    'waiting for disk full sync',
    'only 3 GB left to copy, restore in progress',
    '12 GiB remaining to sync from snapshot',
    'failed to reserve space: operation already in progress',
    'cannot allocate memory for 20 GB buffer',
    'reached the maximum number of retries',
    'no more snapshots can be taken while the volume is migrating',
    'I/O burst credits are exhausted',
  ])('how far a job is, which is no lack of space: %s', (text) => {
    expect(kindOf(rpc('Internal', text))).toBe('internal');
    expect(kindOf(rpc('Aborted', text))).toBe('background');
  });

  it.each([
    'maximum number of volumes being created in parallel has been reached',
    'too many snapshots are being created right now',
    'concurrent operations limit reached, retry',
    'connection limit reached on server',
    'number of volumes being attached reached the maximum of concurrent requests',
  ])('too many calls at once, which no deleted volume helps: %s', (text) => {
    expect(kindOf(rpc('Internal', text))).toBe('background');
  });

  it.each([
    'failed to acquire delete lock on volume pvc-1',
    'error retrieving resource lock kube-system/ebs-csi: context canceled',
    'delete lock held by task 42 is still running',
    'volume requires role=worker on the node',
    'token endpoint: connection refused',
  ])('no refusal of the account: %s', (text) => {
    expect(kindOf(rpc('Internal', text))).toBe('internal');
  });

  it.each([
    'volumes: 50/50 in use',
    'all 16 of 16 slots are used',
    'pool p1 is at 98 %',
    'only 3 GiB left on pool p1',
    'lun limit 256 of 256 reached',
  ])('counted to the end: %s', (text) => {
    expect(kindOf(rpc('Internal', text))).toBe('exhausted');
  });

  it.each([
    'InvalidParameterCombination: The parameter iops must be specified for io1 volumes.',
    'InvalidParameterValue: Volume of 1GiB is too small for volume type st1',
    'Bad request with: [POST x], error message: {"badRequest": {"message": "Availability zone nova is invalid."}}',
  ])('a parameter: %s', (text) => {
    expect(kindOf(rpc('Internal', text))).toBe('invalidArgument');
  });

  it.each([
    rpc('InvalidArgument', 'Volume capabilities not supported. Only AccessModes[ReadWriteOnce] supported.'),
    rpc('InvalidArgument', 'Access mode MULTI_NODE_MULTI_WRITER is not supported'),
    rpc('InvalidArgument', 'multi node access modes are only supported on rbd `block` type volumes'),
    'invalid AccessModes [ReadWriteMany]: only AccessModes [ReadWriteOnce] are supported with maxShares(0) < 2',
    rpc('InvalidArgument', 'volume capability not supported'),
  ])('the access mode: %s', (message) => {
    expect(kindOf(message, { modes: ['ReadWriteMany'] })).toBe('accessMode');
  });

  it('does not blame the mode of a claim for one node when the driver speaks of capabilities in general', () => {
    expect(kindOf(rpc('InvalidArgument', 'volume capability not supported'))).toBe('invalidArgument');
  });

  it.each([
    'block volume capability not supported',
    'block volume not supported',
    'Volume capabilities not supported: Volume mode is block, only mount is supported',
    'block access type not supported',
    'only filesystem volumes are supported',
    'driver only supports mount access type volume capability',
  ])('leaves to the rule about block volumes what refuses them: %s', (text) => {
    expect(kindOf(rpc('InvalidArgument', text), { isBlock: true, modes: ['ReadWriteMany'] })).toBe('elsewhere');
    expect(kindOf(rpc('InvalidArgument', text))).toBe('invalidArgument');
  });

  it.each([
    'block volumes with access mode MULTI_NODE_MULTI_WRITER not supported',
    'ReadWriteMany block volume not supported',
  ])('blames the access mode of a block volume where the driver names it: %s', (text) => {
    expect(kindOf(rpc('InvalidArgument', text), { isBlock: true, modes: ['ReadWriteMany'] })).toBe('accessMode');
  });

  it('takes NotFound for the source only where there is one', () => {
    expect(kindOf(rpc('NotFound', 'snapshot snap-1 not found'), { hasSource: true })).toBe('sourceNotFound');
    expect(kindOf(rpc('NotFound', 'pool fast-pool not found'))).toBe('invalidArgument');
  });

  it.each([
    'error getting handle for DataSource Type VolumeSnapshot by Name x: snapshot x is not Ready',
    'failed to provision volume with StorageClass "s": error getting secret a in namespace b: secrets "a" not found',
    'failed to provision volume with StorageClass "s": error generating accessibility requirements: no available topology found',
    'claim Selector is not supported',
    'storageclass.storage.k8s.io "gold" not found',
    'persistentvolumes is forbidden: User "system:serviceaccount:a:b" cannot create resource "persistentvolumes"',
  ])('is none of the driver: %s', (message) => {
    expect(kindOf(message)).toBe('elsewhere');
  });

  it.each([
    [
      'error getting NFS server IP for volume: error getting service SERVICE_NAME=nfs-a in namespace POD_NAMESPACE=shop',
      'its own Service "nfs-a" in namespace shop, which its variable SERVICE_NAME names, does not exist, or it may not read it',
      'kubectl -n shop set env PLACEHOLDER_WORKLOAD SERVICE_NAME=PLACEHOLDER_SERVICE',
    ],
    [
      "error getting NFS server IP for volume: service SERVICE_NAME=nfs-a is not valid; check that it has for ports map[] exactly one endpoint, this pod's IP POD_IP=10.0.0.1",
      'its own Service "nfs-a", which its variable SERVICE_NAME names, does not lead to its pod alone',
      undefined,
    ],
  ])("does not look for the provisioner's own Service on the storage side: %s", (message, meaning, command) => {
    const { kind, sense } = classifyError(message, { hasSource: false, modes: [], reason: 'ProvisioningFailed' });
    expect({ kind, about: sense?.about, meaning: sense?.meaning, command: sense?.command }).toEqual({
      kind: 'internal',
      about: 'service',
      meaning,
      command,
    });
  });

  it('blames the directory, not the cloud, when a directory may not be made', () => {
    const { kind, sense } = classifyError(
      'unable to create directory to provision new pv: mkdir /persistentvolumes/shop-data: permission denied',
      { hasSource: false, modes: [], reason: 'ProvisioningFailed' },
    );
    expect(kind).toBe('credentials');
    expect(sense?.meaning).toContain('directory');
  });

  it.each([
    ['parameter', 'invalidArgument', "InvalidZone.NotFound: The zone 'us-east-1f' does not exist."],
    ['parameter', 'invalidArgument', "Availability zone 'nova' could not be found"],
    ['backend', 'internal', 'no available backends for storage class gold'],
    ['missing', 'internal', 'failed to get policy ID: no pbm profile found with name: "gold"'],
    ['missing', 'internal', 'no storage pools found'],
    [
      'shared',
      'internal',
      'Datastore: ds:///vmfs/volumes/5c9b/ specified in the storage class is not accessible to all nodes.',
    ],
    [
      'slow',
      'internal',
      'Could not create volume "pvc-1": timed out waiting for volume to create: context deadline exceeded',
    ],
    ['slow', 'internal', 'an error (timed out) occurred while running ceph osd pool'],
    ['network', 'internal', 'dial tcp 10.0.0.1:443: i/o timeout'],
    ['network', 'internal', 'connection timed out'],
  ])('has a sense (%s, %s): %s', (about, kind, text) => {
    expect(
      classifyError(rpc('Internal', text), {
        hasSource: false,
        modes: ['ReadWriteOnce'],
        reason: 'ProvisioningFailed',
      }),
    ).toMatchObject({ kind, sense: { about } });
  });

  it.each([
    [rpc('InvalidArgument', 'operation not permitted on volumes of this type'), 'invalidArgument'],
    [rpc('Internal', 'giving up: retry limit reached'), 'internal'],
    [rpc('OutOfRange', 'limit reached'), 'outOfRange'],
    [rpc('DeadlineExceeded', 'timed out'), 'background'],
    [rpc('AlreadyExists', 'not enough nodes'), 'alreadyExists'],
  ])('leaves a definite code and other words alone: %s', (message, kind) => {
    expect(kindOf(message)).toBe(kind);
  });

  it('tells a parameter that is missing from one that is refused', () => {
    const meaningOf = (text: string): string | undefined =>
      classifyError(rpc('Internal', text), { hasSource: false, modes: [], reason: 'ProvisioningFailed' }).sense
        ?.meaning;
    expect(meaningOf('InvalidParameterCombination: The parameter iops must be specified for io1 volumes.')).toContain(
      'is missing',
    );
    expect(meaningOf('The value of parameter sku.name is invalid')).toContain('refuses');
  });

  it('does not take numbers in names for an HTTP status', () => {
    expect(kindOf(rpc('Internal', 'volume pvc-403 of 401 MiB broke'))).toBe('internal');
  });
});
