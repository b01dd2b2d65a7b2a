import type { Case } from './score.ts';

/**
 * Messages that operators meet, with the causes that were decided before the matcher saw them. The names in them are invented. Where a
 * message has several causes, each of them is right, as objects decide: `a|b`.
 */
export const knownMessages: readonly Case[] = Object.entries({
  scheduler: [
    [
      'pod-pvc-unbound-immediate',
      '0/6 nodes are available: 6 pod has unbound immediate PersistentVolumeClaims. preemption: 0/6 nodes are available: 6 Preemption is not helpful for scheduling.',
    ],
    [
      'pod-pvc-unbound-immediate',
      'Warning  FailedScheduling  2m  default-scheduler  0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found',
    ],
    [
      'sched-volume-node-affinity',
      "0/5 nodes are available: 2 node(s) didn't match PersistentVolume's node affinity, 3 node(s) had untolerated taint(s). no new claims to deallocate, preemption: 0/5 nodes are available: 5 Preemption is not helpful for scheduling.",
    ],
    [
      'sched-volume-node-affinity',
      '0/9 nodes are available: 3 node(s) had volume node affinity conflict, 6 Insufficient memory. preemption: 0/9 nodes are available: 3 Preemption is not helpful for scheduling, 6 No preemption victims found for incoming pod.',
    ],
    [
      'sched-volume-node-affinity',
      "pod didn't trigger scale-up: 2 node(s) had volume node affinity conflict, 1 max node group size reached",
    ],
    [
      'sched-max-volume-count',
      '0/4 nodes are available: 4 node(s) exceed max volume count. preemption: 0/4 nodes are available: 4 No preemption victims found for incoming pod.',
    ],
    ['sched-volume-zone', '0/3 nodes are available: 3 node(s) had no available volume zone.'],
    [
      'pod-pvc-missing',
      '0/3 nodes are available: persistentvolumeclaim "kafka-data" not found. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
    ],
    [
      'ephemeral-pvc-pending',
      '0/2 nodes are available: waiting for ephemeral volume controller to create the persistentvolumeclaim "batch-scratch". not found',
    ],
    ['wffc-bind-timeout', 'running PreBind plugin "VolumeBinding": binding volumes: context deadline exceeded'],
    [
      'wffc-bind-timeout',
      'running PreBind plugin "VolumeBinding": binding volumes: timed out waiting for the condition',
    ],
    [
      'wffc-no-provisioner-no-pv',
      "0/7 nodes are available: 4 node(s) didn't find available persistent volumes to bind, 3 node(s) didn't match Pod's node affinity/selector. preemption: 0/7 nodes are available: 7 Preemption is not helpful for scheduling.",
    ],
    ['wffc-capacity-insufficient', '0/2 nodes are available: 2 node(s) did not have enough free storage.'],
    [
      'pod-bound-pv-missing',
      '0/3 nodes are available: 3 node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s).',
    ],
    [
      'sched-rwop-conflict',
      '0/3 nodes are available: 1 node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode, 2 node(s) had untolerated taint {dedicated: db}.',
    ],
    ['pod-pvc-terminating', '0/3 nodes are available: persistentvolumeclaim "uploads" is being deleted.'],
    [
      'wffc-provision-rescheduled',
      'running PreBind plugin "VolumeBinding": binding volumes: provisioning failed for PVC "uploads"',
    ],
    ['sched-disk-conflict', '0/3 nodes are available: 3 node(s) had no available disk.'],
    [
      'sched-driver-not-installed',
      '0/4 nodes are available: 4 ebs.csi.aws.com CSI driver is not installed on the node. preemption: 0/4 nodes are available: 4 Preemption is not helpful for scheduling.',
    ],
    [
      'sc-missing',
      'ignoring pod, getting persistent volume claim "cache", storageclass.storage.k8s.io "gp3-fast" not found',
    ],
    [
      'wffc-pod-unschedulable-other',
      '0/3 nodes are available: 3 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.',
    ],
  ],
  'claims and admission': [
    [
      'class-nil-no-default',
      'Normal  FailedBinding  6s (x5 over 66s)  persistentvolume-controller  no persistent volumes available for this claim and no storage class is set',
    ],
    [
      'sc-missing',
      'Warning  ProvisioningFailed  8s (x2 over 20s)  persistentvolume-controller  storageclass.storage.k8s.io "managed-premuim" not found',
    ],
    [
      'wffc-no-consumer',
      'Normal  WaitForFirstConsumer  11s  persistentvolume-controller  waiting for first consumer to be created before binding',
    ],
    [
      'wffc-pod-unschedulable-other',
      'Normal  WaitForPodScheduled  4s  persistentvolume-controller  waiting for pod search-0 to be scheduled',
    ],
    [
      'provisioner-not-running',
      "Waiting for a volume to be created either by the external provisioner 'efs.csi.aws.com' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.",
    ],
    [
      'resize-denied-class',
      'error: persistentvolumeclaims "uploads" could not be patched: persistentvolumeclaims "uploads" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    ],
    [
      'resize-denied-shrink',
      'The PersistentVolumeClaim "uploads" is invalid: spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ],
    ['resize-denied-shrink', '* spec.resources.requests.storage: Forbidden: field can not be less than previous value'],
    [
      'pvc-create-denied-limitrange',
      'persistentvolumeclaims "uploads" is forbidden: minimum storage usage per PersistentVolumeClaim is 5Gi, but request is 1Gi',
    ],
    [
      'pvc-create-denied-quota',
      'create Pod search-0 in StatefulSet search failed error: failed to create PVC data-search-0: persistentvolumeclaims "data-search-0" is forbidden: exceeded quota: team-storage, requested: persistentvolumeclaims=1, used: persistentvolumeclaims=5, limited: persistentvolumeclaims=5',
    ],
    [
      'pvc-create-denied-quota',
      'persistentvolumeclaims "uploads" is forbidden: exceeded quota: gold, requested: gold.storageclass.storage.k8s.io/requests.storage=100Gi, used: gold.storageclass.storage.k8s.io/requests.storage=950Gi, limited: gold.storageclass.storage.k8s.io/requests.storage=1Ti',
    ],
    [
      'pvc-create-denied-webhook',
      'Error from server: error when creating "claim.yaml": admission webhook "validate.kyverno.svc-fail" denied the request: resource PersistentVolumeClaim/shop/uploads was blocked due to the following policies: allowed-classes',
    ],
    [
      'pvc-create-denied-validation',
      'The PersistentVolumeClaim "uploads" is invalid: spec.accessModes: Required value: at least 1 access mode is required',
    ],
    ['pod-pvc-missing', 'persistentvolumeclaim "uploads" not found'],
    ['ephemeral-pvc-conflict', 'PVC "web-scratch" was not created for pod "web" (pod is not owner)'],
    ['pvc-volumename-mismatch', 'Cannot bind to requested volume "nfs-archive": requested PV is too small'],
    ['pvc-volumename-mismatch', 'Cannot bind to requested volume "nfs-archive": incompatible accessMode'],
    [
      'pvc-volumename-mismatch',
      'Warning VolumeMismatch 3s (x4 over 48s) persistentvolume-controller Cannot bind to requested volume "nfs-archive": incompatible volumeMode',
    ],
    [
      'pvc-volumename-claimed-by-other',
      'Warning  FailedBinding  2s  persistentvolume-controller  volume "nfs-archive" already bound to a different claim.',
    ],
    [
      'pvc-lost-pv-deleted',
      'Warning  ClaimLost  5m  persistentvolume-controller  Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    ],
    [
      'pvc-lost-volumename-cleared',
      'Bound claim has lost reference to PersistentVolume. Data on the volume is lost! Cluster intervention needed!',
    ],
    ['pvc-lost-misbound', 'Two claims are bound to the same volume, this one is bound incorrectly'],
    [
      'static-no-candidate-pv',
      'Warning ProvisioningFailed persistentvolume-controller no volume plugin matched name: kubernetes.io/no-provisioner',
    ],
  ],
  EBS: [
    [
      'provision-credentials',
      'failed to provision volume with StorageClass "gp3": rpc error: code = Internal desc = Could not create volume "pvc-3a1f1c55-0c5f-4b1d-9f3e-52a7b7d0a001": could not create volume in EC2: operation error EC2: CreateVolume, https response error StatusCode: 403, RequestID: 11aa22bb-0000-4000-8000-123456789abc, api error UnauthorizedOperation: You are not authorized to perform this operation. User: arn:aws:sts::111122223333:assumed-role/nodes/i-0abc is not authorized to perform: ec2:CreateVolume on resource',
    ],
    [
      'provision-credentials',
      'failed to provision volume with StorageClass "gp3": rpc error: code = Internal desc = Could not create volume "pvc-1": could not create volume in EC2: operation error EC2: CreateVolume, get identity: get credentials: failed to refresh cached credentials, failed to retrieve credentials, operation error STS: AssumeRoleWithWebIdentity, https response error StatusCode: 403, RequestID: 5c, api error AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity',
    ],
    [
      'provision-credentials',
      'Warning ProvisioningFailed 30s ebs.csi.aws.com_ebs-csi-controller-7c_9 failed to provision volume with StorageClass "gp2": rpc error: code = Internal desc = Could not create volume "pvc-1": could not create volume in EC2: WebIdentityErr: failed to retrieve credentials caused by: InvalidIdentityToken: No OpenIDConnect provider found in your account for https://oidc.example.net/id/42 status code: 400',
    ],
    [
      'provision-credentials',
      'failed to provision volume with StorageClass "gp2": rpc error: code = Internal desc = Could not create volume "pvc-1": could not create volume in EC2: NoCredentialProviders: no valid providers in chain. Deprecated.',
    ],
    [
      'provision-resource-exhausted',
      'failed to provision volume with StorageClass "gp3": rpc error: code = Internal desc = Could not create volume "pvc-1": could not create volume in EC2: operation error EC2: CreateVolume, https response error StatusCode: 400, RequestID: 5c, api error VolumeLimitExceeded: You have exceeded your maximum gp3 storage limit of 50 TiB in this region.',
    ],
    [
      'provision-invalid-argument',
      'failed to provision volume with StorageClass "io2": rpc error: code = Internal desc = Could not create volume "pvc-1": could not create volume in EC2: operation error EC2: CreateVolume, https response error StatusCode: 400, RequestID: 5c, api error InvalidParameterValue: Volume iops of 64 is too low; minimum is 100.',
    ],
    [
      'provision-invalid-argument',
      'failed to provision volume with StorageClass "fast": rpc error: code = InvalidArgument desc = Invalid parameter key iops_per_gb for CreateVolume',
    ],
    [
      'provision-accessmode-unsupported',
      'failed to provision volume with StorageClass "gp3": rpc error: code = InvalidArgument desc = Volume capabilities MULTI_NODE_MULTI_WRITER not supported. Only AccessModes[ReadWriteOnce] supported.',
    ],
    [
      'attach-rpc-attached-elsewhere',
      'AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = Internal desc = Could not attach volume "vol-0aa" to node "i-0bb": could not attach volume "vol-0aa" to node "i-0bb": operation error EC2: AttachVolume, https response error StatusCode: 400, RequestID: 5c, api error VolumeInUse: vol-0aa is already attached to an instance',
    ],
    [
      'attach-rpc-error',
      `AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = Internal desc = Could not attach volume "vol-0aa" to node "i-0bb": operation error EC2: AttachVolume, https response error StatusCode: 400, RequestID: 5c, api error InvalidVolume.ZoneMismatch: The volume 'vol-0aa' is not in the same availability zone as instance 'i-0bb'`,
    ],
    [
      'attach-rpc-credentials',
      'AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = Internal desc = Could not attach volume "vol-0aa" to node "i-0bb": UnauthorizedOperation: You are not authorized to perform this operation. Encoded authorization failure message: abc status code: 403',
    ],
    [
      'attach-rpc-not-found',
      `AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = NotFound desc = Instance "i-0bb" not found`,
    ],
    [
      'attach-rpc-not-found',
      `AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = Internal desc = Could not attach volume "vol-0aa" to node "i-0bb": InvalidVolume.NotFound: The volume 'vol-0aa' does not exist. status code: 400`,
    ],
    [
      'attach-rpc-limit',
      'AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = Internal desc = Could not attach volume "vol-0aa" to node "i-0bb": api error AttachmentLimitExceeded: You have reached the maximum number of volumes that can be attached to this instance',
    ],
    [
      'resize-controller-error',
      `resize volume "pvc-1" by resizer "ebs.csi.aws.com" failed: rpc error: code = Internal desc = Could not resize volume "vol-0aa": operation error EC2: ModifyVolume, https response error StatusCode: 400, RequestID: 5c, api error VolumeModificationRateExceeded: You've reached the maximum modification rate per volume limit. Wait at least 6 hours between modifications per EBS volume.`,
    ],
    [
      'resize-node-error',
      'NodeExpandVolume.NodeExpandVolume failed for volume "pvc-1" : Expander.NodeExpand failed to expand the volume : rpc error: code = Internal desc = Could not resize volume "vol-0aa" ("/dev/nvme1n1"): resize of device /dev/nvme1n1 failed: exit status 1. resize2fs output: resize2fs: Bad magic number in super-block while trying to open /dev/nvme1n1',
    ],
    [
      'pv-delete-rpc-failed',
      'Warning VolumeFailedDelete 10s ebs.csi.aws.com_ebs-csi-controller rpc error: code = Internal desc = Could not delete volume ID "vol-0aa": VolumeInUse: Volume vol-0aa is currently attached to i-0bb status code: 400',
    ],
    [
      'snap-create-failed',
      'Failed to create snapshot: failed to take snapshot of the volume vol-0aa: "rpc error: code = Internal desc = Could not create snapshot \\"snapshot-5\\": SnapshotCreationPerVolumeRateExceeded: The maximum per volume CreateSnapshot request rate has been exceeded."',
    ],
    [
      'mount-stage-rpc',
      'MountVolume.MountDevice failed for volume "pvc-1" : rpc error: code = Internal desc = Failed to find device path /dev/xvdba. refusing to mount /dev/nvme2n1 because it claims to be vol-0cc but should be vol-0aa',
    ],
    [
      'driver-nodegetinfo-failed|driver-daemonset-pod-unhealthy',
      'E1118 20:00:00.000000 1 main.go:154] "Failed to initialize metadata when it is required" err="could not retrieve instance data from any metadata source" plugin registration failed with err: rpc error: code = Internal desc = NodeGetInfo',
    ],
  ],
  'EFS and FSx': [
    [
      'provision-credentials',
      'failed to provision volume with StorageClass "efs": rpc error: code = Unauthenticated desc = Access Denied. Please ensure you have the right AWS permissions: Access denied',
    ],
    [
      'provision-invalid-argument',
      'failed to provision volume with StorageClass "efs": rpc error: code = InvalidArgument desc = Missing provisioningMode parameter',
    ],
    [
      'provision-credentials',
      'failed to provision volume with StorageClass "efs": rpc error: code = Internal desc = Failed to fetch Access Points or Describe File System: List Access Points failed: AccessDeniedException: User: arn:aws:sts::111122223333:assumed-role/x is not authorized to perform: elasticfilesystem:DescribeAccessPoints',
    ],
    [
      'mount-publish-rpc',
      'MountVolume.SetUp failed for volume "efs-pv" : rpc error: code = Internal desc = Could not mount "fs-0123:/" at "/var/lib/kubelet/pods/7b0f/volumes/kubernetes.io~csi/efs-pv/mount": mount failed: exit status 1\nMounting command: mount\nMounting arguments: -t efs -o tls fs-0123:/ /var/lib/kubelet/pods/7b0f/volumes/kubernetes.io~csi/efs-pv/mount\nOutput: Failed to resolve "fs-0123.efs.eu-west-1.amazonaws.com" - check that your file system ID is correct.',
    ],
    [
      'mount-publish-rpc',
      'MountVolume.SetUp failed for volume "efs-pv" : rpc error: code = Internal desc = Could not mount "fs-0123:/" at "/var/lib/kubelet/pods/7b0f/volumes/kubernetes.io~csi/efs-pv/mount": mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t efs -o accesspoint=fsap-1,tls fs-0123:/ /target\nOutput: mount.nfs4: access denied by server while mounting 127.0.0.1:/',
    ],
    [
      'mount-rpc-timeout',
      'MountVolume.SetUp failed for volume "efs-pv" : rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    ],
    [
      'mount-publish-rpc',
      'MountVolume.SetUp failed for volume "fsx-pv" : rpc error: code = Internal desc = Could not mount "fs-0456.fsx.eu-west-1.amazonaws.com@tcp:/abcd" at "/target": mount failed: exit status 5\nOutput: mount.lustre: mount fs-0456 at /target failed: Input/output error\nIs the MGS running?',
    ],
    [
      'provision-in-background',
      'failed to provision volume with StorageClass "fsx": rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    ],
  ],
  'Google Cloud': [
    [
      'provision-resource-exhausted',
      `failed to provision volume with StorageClass "premium-rwo": rpc error: code = Internal desc = CreateVolume failed to create single zonal disk pvc-1: failed to insert zonal disk: unknown Insert disk operation error: googleapi: Error 403: QUOTA_EXCEEDED - Quota 'SSD_TOTAL_GB' exceeded. Limit: 500.0 in region europe-west1.`,
    ],
    [
      'provision-resource-exhausted',
      `failed to provision volume with StorageClass "premium-rwo": rpc error: code = Unavailable desc = CreateVolume failed: googleapi: Error 503: ZONE_RESOURCE_POOL_EXHAUSTED - The zone 'projects/p-1/zones/europe-west1-b' does not have enough resources available to fulfill the request.`,
    ],
    [
      'provision-credentials',
      `failed to provision volume with StorageClass "standard-rwo": rpc error: code = PermissionDenied desc = CreateVolume failed to create single zonal disk pvc-1: googleapi: Error 403: Required 'compute.disks.create' permission for 'projects/p-1/zones/europe-west1-b/disks/pvc-1', forbidden`,
    ],
    [
      'provision-invalid-argument',
      `failed to provision volume with StorageClass "hyper": rpc error: code = InvalidArgument desc = CreateVolume failed: googleapi: Error 400: Invalid value for field 'resource.type': 'pd-hyper'. The referenced diskType resource cannot be found., invalid`,
    ],
    [
      'attach-rpc-error',
      `AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = Internal desc = Failed to Attach: failed when waiting for zonal op: operation operation-1 failed (UNSUPPORTED_OPERATION): pd-standard disk type is not supported for machine type c3-standard-4.`,
    ],
    [
      'attach-rpc-attached-elsewhere',
      `AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = Internal desc = Failed to Attach: failed cloud service attach disk call: googleapi: Error 400: The disk resource 'projects/p-1/zones/europe-west1-b/disks/pvc-1' is already being used by 'projects/p-1/zones/europe-west1-b/instances/gke-a-1', resourceInUseByAnotherResource`,
    ],
    [
      'attach-rpc-not-found',
      `AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = NotFound desc = Could not find disk Key{"pvc-1", zone: "europe-west1-b"}: googleapi: Error 404: The resource 'projects/p-1/zones/europe-west1-b/disks/pvc-1' was not found, notFound`,
    ],
    [
      'attach-rpc-limit',
      `AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = InvalidArgument desc = Failed to Attach: googleapi: Error 403: Exceeded limit 'maximum_persistent_disks' on resource 'gke-a-1'. Limit: 16.0, limitExceeded`,
    ],
    [
      'attach-rpc-error',
      `AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = Unavailable desc = ControllerPublish not permitted on node "projects/p-1/zones/europe-west1-b/instances/gke-a-1" due to backoff condition`,
    ],
    [
      'provision-credentials',
      'failed to provision volume with StorageClass "standard-rwx": rpc error: code = PermissionDenied desc = googleapi: Error 403: Cloud Filestore API has not been used in project 42 before or it is disabled.',
    ],
    [
      'provision-resource-exhausted',
      `failed to provision volume with StorageClass "standard-rwx": rpc error: code = ResourceExhausted desc = googleapi: Error 429: Quota limit 'StandardStorageGbPerRegion' has been exceeded. Limit: 10240 in region europe-west1.`,
    ],
    [
      'provision-out-of-range|provision-invalid-argument',
      'failed to provision volume with StorageClass "standard-rwx": rpc error: code = OutOfRange desc = limit bytes 107374182400 is less than minimum instance size bytes 1099511627776',
    ],
  ],
  Azure: [
    [
      'attach-rpc-not-found',
      'AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = NotFound desc = Volume not found, failed with error: Retriable: false, RetryAfter: 0s, HTTPStatusCode: 404, RawError: {"error":{"code":"ResourceNotFound","message":"The Resource Microsoft.Compute/disks/pvc-1 under resource group mc_a was not found."}}',
    ],
    [
      'attach-rpc-attached-elsewhere',
      'AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = Internal desc = Attach volume /subscriptions/0/resourceGroups/mc_a/providers/Microsoft.Compute/disks/pvc-1 to instance aks-pool1-42-vmss000001 failed with disk(/subscriptions/0/resourceGroups/mc_a/providers/Microsoft.Compute/disks/pvc-1) already attached to node(/subscriptions/0/resourceGroups/mc_a/providers/Microsoft.Compute/virtualMachineScaleSets/aks-pool1-42-vmss/virtualMachines/aks-pool1-42-vmss_0), could not be attached to node(aks-pool1-42-vmss000001)',
    ],
    [
      'attach-rpc-limit',
      'AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = Unknown desc = Attach volume pvc-1 to instance aks-1 failed with Retriable: false, RetryAfter: 0s, HTTPStatusCode: 409, RawError: {"error":{"code":"OperationNotAllowed","message":"The maximum number of data disks allowed to be attached to a VM of this size is 4."}}',
    ],
    [
      'provision-credentials',
      `failed to provision volume with StorageClass "managed-csi": rpc error: code = Internal desc = Retriable: false, RetryAfter: 0s, HTTPStatusCode: 403, RawError: {"error":{"code":"AuthorizationFailed","message":"The client 'c' with object id 'c' does not have authorization to perform action 'Microsoft.Compute/disks/write' over scope"}}`,
    ],
    [
      'attach-rpc-error',
      'AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = Internal desc = Attach volume pvc-1 to instance aks-1 failed with Retriable: false, HTTPStatusCode: 400, RawError: {"error":{"code":"BadRequest","message":"Disk pvc-1 cannot be attached to the VM because it is not in the same zone as the VM."}}',
    ],
    [
      'mount-stage-rpc',
      'MountVolume.MountDevice failed for volume "pvc-1" : rpc error: code = Internal desc = volume(mc_a#sa1#share1#) mount //sa1.file.core.windows.net/share1 on /var/lib/kubelet/plugins/kubernetes.io/csi/file.csi.azure.com/1/globalmount failed with mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t cifs -o dir_mode=0777,<masked> //sa1.file.core.windows.net/share1 /target\nOutput: mount error(13): Permission denied\nRefer to the mount.cifs(8) manual page (e.g. man mount.cifs)',
    ],
    [
      'mount-stage-rpc',
      'MountVolume.MountDevice failed for volume "pvc-1" : rpc error: code = Internal desc = volume(mc_a#sa1#share1#) mount //sa1.file.core.windows.net/share1 on /target failed with mount failed: exit status 32 Output: mount error(115): Operation now in progress',
    ],
    [
      'mount-in-tree-failed',
      'MountVolume.SetUp failed for volume "share" : mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t cifs -o vers=3.0,<masked> //sa1.file.core.windows.net/share1 /target\nOutput: mount error(13): Permission denied',
    ],
    [
      'provision-credentials',
      'failed to provision volume with StorageClass "azurefile-csi": rpc error: code = Internal desc = failed to ensure storage account: failed to create storage account f1, error: autorest/azure: Service returned an error. Status=403 Code="AuthorizationFailed" Message="The client does not have authorization to perform action"',
    ],
    [
      'mount-rpc-timeout|mount-stage-rpc',
      'MountVolume.MountDevice failed for volume "pvc-1" : rpc error: code = Internal desc = failed to find disk on lun 0. timed out waiting for the condition',
    ],
    [
      'snap-create-failed',
      'Failed to check and update snapshot content: failed to take snapshot of the volume /subscriptions/0/disks/pvc-1: "rpc error: code = Internal desc = create snapshot error: HTTPStatusCode: 409, code=\\"ResourceCollectionRequestsThrottled\\""',
    ],
  ],
  vSphere: [
    [
      'attach-rpc-attached-elsewhere',
      `AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = Internal desc = failed to attach disk: "1a" with node: "4201" err failed to attach cns volume: "1a" to node vm: "VirtualMachine:vm-12 [VirtualCenterHost: vc.example.net]". fault: "(*types.LocalizedMethodFault)({ Fault: (*types.ResourceInUse) }) The resource 'volume' is in use."`,
    ],
    [
      'attach-rpc-not-found',
      `AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = Internal desc = failed to find VirtualMachine for node:"worker-7". Error: node wasn't found`,
    ],
    [
      'mount-stage-rpc',
      'MountVolume.MountDevice failed for volume "pvc-1" : rpc error: code = Internal desc = error mounting volume. Parameters: {1a ext4} disk: 6000c29 not attached to node',
    ],
    [
      'provision-credentials',
      'failed to provision volume with StorageClass "vsan": rpc error: code = Internal desc = failed to create volume. Error: ServerFaultCode: Cannot complete login due to an incorrect user name or password.',
    ],
    [
      'provision-credentials',
      'failed to provision volume with StorageClass "vsan": rpc error: code = Internal desc = failed to create volume. Error: ServerFaultCode: NoPermission: Permission to perform this operation was denied.',
    ],
    [
      'attach-rpc-limit',
      'AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = Internal desc = failed to attach disk: "1a" with node: "4201" err: no free scsi slot: maximum number of disks on the PVSCSI controllers is reached',
    ],
    [
      'pv-delete-rpc-failed',
      `Warning VolumeFailedDelete csi.vsphere.vmware.com_vsphere-csi-controller rpc error: code = Internal desc = failed to delete volume: "1a". Error: failed to delete volume: "1a", fault: "The resource 'volume' is in use."`,
    ],
  ],
  Ceph: [
    [
      'provision-internal',
      'failed to provision volume with StorageClass "rook-ceph-block": rpc error: code = Internal desc = failed to get connection: connecting failed: rados: ret=-110, Connection timed out',
    ],
    [
      'provision-in-background',
      'failed to provision volume with StorageClass "rook-ceph-block": rpc error: code = Aborted desc = an operation with the given Volume ID pvc-2b already exists',
    ],
    [
      'provision-invalid-argument|provision-internal',
      'failed to provision volume with StorageClass "rook-ceph-block": rpc error: code = Internal desc = pool not found: pool (replicapool) not found in Ceph cluster',
    ],
    [
      'provision-secret-missing',
      'failed to provision volume with StorageClass "cephfs": error getting secret rook-csi-cephfs-provisioner in namespace rook-ceph: secrets "rook-csi-cephfs-provisioner" not found',
    ],
    [
      'mount-stage-rpc',
      'MountVolume.MountDevice failed for volume "pvc-2b" : rpc error: code = Internal desc = rbd image replicapool/csi-vol-8f is still being used',
    ],
    [
      'mount-rpc-pending',
      'MountVolume.MountDevice failed for volume "pvc-2b" : rpc error: code = Aborted desc = an operation with the given Volume ID 0001-0009-rook-ceph-0000000000000001-8f already exists',
    ],
    [
      'mount-stage-rpc',
      'MountVolume.MountDevice failed for volume "pvc-2b" : rpc error: code = Internal desc = rbd: map failed with error an error (exit status 108) occurred while running rbd args: [--id csi-rbd-node map replicapool/csi-vol-8f], rbd error output: rbd: sysfs write failed rbd: map failed: (108) Cannot send after transport endpoint shutdown',
    ],
    [
      'mount-rpc-timeout',
      'MountVolume.MountDevice failed for volume "pvc-2b" : rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    ],
    [
      'mount-fsck-failed',
      `MountVolume.MountDevice failed for volume "pvc-2b" : rpc error: code = Internal desc = 'fsck' found errors on device /dev/rbd0 but could not correct them: fsck from util-linux 2.32.1 /dev/rbd0: UNEXPECTED INCONSISTENCY; RUN fsck MANUALLY. (i.e., without -a or -p options)`,
    ],
    [
      'mount-stage-rpc|mount-fs-mismatch',
      'MountVolume.MountDevice failed for volume "pvc-2b" : rpc error: code = Internal desc = mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t ext4 -o _netdev,defaults /dev/rbd1 /target\nOutput: mount: /target: wrong fs type, bad option, bad superblock on /dev/rbd1, missing codepage or helper program, or other error.',
    ],
    [
      'mount-stage-rpc',
      'MountVolume.MountDevice failed for volume "pvc-2b" : rpc error: code = Internal desc = an error (exit status 32) occurred while running mount args: [-t ceph 10.0.0.1:6789:/volumes/csi/csi-vol-8f /target -o name=csi-cephfs-node,secretfile=/tmp/k,mds_namespace=myfs] stderr: mount error 13 = Permission denied',
    ],
    [
      'mount-stage-rpc',
      'MountVolume.MountDevice failed for volume "pvc-2b" : rpc error: code = Internal desc = an error (exit status 32) occurred while running mount args: [-t ceph 10.0.0.1:6789:/volumes/csi/csi-vol-8f /target] stderr: mount error: no mds server is up or the cluster is laggy',
    ],
    [
      'provision-invalid-argument|provision-internal',
      `failed to provision volume with StorageClass "cephfs": rpc error: code = Internal desc = rados: ret=-2, No such file or directory: "subvolume group 'csi' does not exist"`,
    ],
    [
      'driver-not-on-node',
      'MountVolume.MountDevice failed for volume "pvc-2b" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name rook-ceph.cephfs.csi.ceph.com not found in the list of registered CSI drivers',
    ],
    [
      'resize-controller-error',
      'resize volume "pvc-2b" by resizer "rook-ceph.rbd.csi.ceph.com" failed: rpc error: code = Internal desc = rbd image is not resizable: rados: ret=-28, No space left on device',
    ],
  ],
  'Longhorn, OpenEBS, Portworx': [
    [
      'attach-rpc-error',
      'AttachVolume.Attach failed for volume "pvc-9" : rpc error: code = Aborted desc = volume pvc-9 is not ready for workloads',
    ],
    [
      'attach-rpc-not-found',
      'AttachVolume.Attach failed for volume "pvc-9" : rpc error: code = NotFound desc = node worker-3 not found',
    ],
    [
      'attach-rpc-timeout',
      'AttachVolume.Attach failed for volume "pvc-9" : rpc error: code = DeadlineExceeded desc = volume pvc-9 failed to attach to node worker-3 with attachmentID csi-0aa',
    ],
    [
      'mount-stage-rpc',
      'MountVolume.MountDevice failed for volume "pvc-9" : rpc error: code = Internal desc = mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t ext4 -o defaults /dev/longhorn/pvc-9 /target\nOutput: mount: /target: /dev/longhorn/pvc-9 already mounted or mount point busy.',
    ],
    [
      'provision-resource-exhausted',
      'failed to provision volume with StorageClass "longhorn": rpc error: code = Internal desc = Bad response statusCode [500]. Status [500 Internal Server Error]. Body: [message=unable to create volume: unable to create volume pvc-9: insufficient storage; precheck new replica failed, code=Server Error, detail=] from [http://longhorn-backend:9500/v1/volumes]',
    ],
    [
      'attach-rpc-error',
      'AttachVolume.Attach failed for volume "pvc-9" : rpc error: code = Internal desc = volume pvc-9 failed to attach to node worker-3 with attachmentID csi-0aa: engine is in error state',
    ],
    [
      'provision-resource-exhausted',
      'failed to provision volume with StorageClass "openebs-lvm": rpc error: code = ResourceExhausted desc = no vg available to serve volume request having regex="^lvmvg$" & capacity="10737418240"',
    ],
    [
      'provision-resource-exhausted',
      'failed to provision volume with StorageClass "mayastor-3": rpc error: code = ResourceExhausted desc = Operation failed: GenericOperation(ResourceExhausted, "Not enough suitable pools available, 0/3")',
    ],
    [
      'provision-resource-exhausted|provision-internal',
      'failed to provision volume with StorageClass "px-db": rpc error: code = Internal desc = Failed to create volume: could not find enough nodes to provision volume: 3 out of 3 pools could not be selected because they did not have enough free space',
    ],
    [
      'mount-publish-rpc',
      'MountVolume.SetUp failed for volume "pvc-9" : rpc error: code = Internal desc = failed to attach volume: Non-shared volume is already attached on another node',
    ],
    [
      'mount-stage-rpc',
      'MountVolume.MountDevice failed for volume "pvc-9" : rpc error: code = Internal desc = failed to execute: nvme connect -t tcp -a 10.0.0.7 -s 8420: Failed to write to /dev/nvme-fabrics: Connection refused',
    ],
  ],
  'NFS, SMB, iSCSI, FC': [
    [
      'nfs-mount-failed',
      'MountVolume.SetUp failed for volume "archive" : mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t nfs 10.0.0.5:/srv/archive /target\nOutput: mount.nfs: Connection timed out',
    ],
    [
      'nfs-mount-failed',
      'MountVolume.SetUp failed for volume "archive" : mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t nfs 10.0.0.5:/srv/archive /target\nOutput: mount.nfs: mounting 10.0.0.5:/srv/archive failed, reason given by server: No such file or directory',
    ],
    [
      'nfs-mount-failed',
      'MountVolume.SetUp failed for volume "archive" : mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t nfs 10.0.0.5:/srv/archive /target\nOutput: mount: /target: bad option; for several filesystems (e.g. nfs, cifs) you might need a /sbin/mount.<type> helper program.',
    ],
    ['nfs-mount-failed', 'mount.nfs: Protocol not supported for 10.0.0.5:/srv/archive on /mnt'],
    [
      'provision-internal|provision-credentials',
      'failed to provision volume with StorageClass "nfs-csi": rpc error: code = Internal desc = failed to mount nfs server: rpc error: code = Internal desc = mount failed: exit status 32 Mounting command: mount Mounting arguments: -t nfs 10.0.0.5:/srv /tmp/pvc-9 Output: mount.nfs: access denied by server while mounting 10.0.0.5:/srv',
    ],
    [
      'provision-internal|provision-credentials',
      'failed to provision volume with StorageClass "nfs-client": unable to create directory to provision new pv: mkdir /persistentvolumes/shop-uploads-pvc-9: permission denied',
    ],
    [
      'mount-publish-rpc',
      'MountVolume.SetUp failed for volume "pvc-9" : rpc error: code = Internal desc = mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t nfs -o nfsvers=4.1 10.0.0.5:/srv/pvc-9 /target\nOutput: mount.nfs: No route to host',
    ],
    [
      'mount-stage-rpc',
      'MountVolume.MountDevice failed for volume "smb-1" : rpc error: code = Internal desc = volume(smb-1) mount "//files.example.net/share" on "/target" failed with mount failed: exit status 32\nOutput: mount error: could not resolve address for files.example.net: Unknown error',
    ],
    [
      'mount-stage-rpc',
      'MountVolume.MountDevice failed for volume "smb-1" : rpc error: code = InvalidArgument desc = source field is missing, current context: map[]',
    ],
    [
      'mount-secret-missing',
      'MountVolume.MountDevice failed for volume "smb-1" : fetching NodeStageSecretRef shop/smbcreds failed: kubernetes.io/csi: failed to find the secret smbcreds in the namespace shop with error: secrets "smbcreds" not found',
    ],
    [
      'mount-in-tree-failed',
      'MountVolume.WaitForAttach failed for volume "lun-0" : failed to get any path for iscsi disk, last err seen: iscsi: failed to sendtargets to portal 10.0.0.4:3260 output: iscsiadm: cannot make connection to 10.0.0.4: Connection refused, err exit status 4',
    ],
    ['mount-in-tree-failed', 'MountVolume.WaitForAttach failed for volume "lun-0" : no fc disk found'],
    [
      'mount-stage-rpc',
      'MountVolume.MountDevice failed for volume "pvc-9" : rpc error: code = Internal desc = failed to login to iSCSI target: iscsiadm: Could not login to [iface: default, target: iqn.2003-01.net.example:tgt, portal: 10.0.0.4,3260]. iscsiadm: initiator reported error (24 - iSCSI login failed due to authorization failure)',
    ],
    ['nfs-mount-failed', 'mount.nfs: access denied by server while mounting 10.0.0.5:/srv/archive'],
  ],
  Trident: [
    [
      'provision-resource-exhausted',
      'failed to provision volume with StorageClass "ontap-nas": rpc error: code = Unknown desc = encountered error(s) in creating the volume: [Failed to create volume pvc_9 on storage pool aggr1 from backend ontap: error creating volume pvc_9: API status: failed, Reason: Not enough space in aggregate aggr1, Code: 13001]',
    ],
    [
      'provision-invalid-argument|provision-internal|provision-resource-exhausted',
      'failed to provision volume with StorageClass "ontap-gold": rpc error: code = Unknown desc = no available backends for storage class ontap-gold',
    ],
    [
      'attach-rpc-not-found',
      'AttachVolume.Attach failed for volume "pvc-9" : rpc error: code = NotFound desc = node worker-3 was not found',
    ],
    [
      'mount-stage-rpc',
      'MountVolume.MountDevice failed for volume "pvc-9" : rpc error: code = Internal desc = failed to stage volume: multipath device not found when it is expected',
    ],
    [
      'mount-publish-rpc',
      'MountVolume.SetUp failed for volume "pvc-9" : rpc error: code = Internal desc = error mounting NFS volume 10.0.0.1:/trident_pvc_9 on mountpoint /target: exit status 32',
    ],
  ],
  'Linode, DigitalOcean, Hetzner, Cinder': [
    [
      'attach-rpc-limit',
      'AttachVolume.Attach failed for volume "pvc-9" : rpc error: code = ResourceExhausted desc = max number of volumes (8) already attached to instance',
    ],
    [
      'provision-resource-exhausted',
      `failed to provision volume with StorageClass "linode-block-storage": rpc error: code = Internal desc = [400] You've reached a limit for the number of active volumes on your account. Please contact support`,
    ],
    [
      'provision-no-topology',
      'failed to provision volume with StorageClass "linode-block-storage": error generating accessibility requirements: no available topology found',
    ],
    [
      'provision-resource-exhausted',
      'failed to provision volume with StorageClass "do-block-storage": rpc error: code = ResourceExhausted desc = volume limit (10) has been reached. Current number of volumes: 10. Please contact support.',
    ],
    [
      'provision-credentials',
      'failed to provision volume with StorageClass "do-block-storage": rpc error: code = Internal desc = GET https://api.digitalocean.com/v2/volumes?name=pvc-9: 401 Unable to authenticate you',
    ],
    [
      'attach-rpc-error',
      'AttachVolume.Attach failed for volume "pvc-9" : rpc error: code = Aborted desc = cannot attach because droplet 42 has pending action for volume "9"',
    ],
    [
      'attach-rpc-limit',
      'AttachVolume.Attach failed for volume "pvc-9" : rpc error: code = ResourceExhausted desc = droplet 42 already has the maximum attached volumes (7)',
    ],
    [
      'provision-credentials',
      'failed to provision volume with StorageClass "hcloud-volumes": rpc error: code = Internal desc = failed to create volume: unable to authenticate (unauthorized)',
    ],
    [
      'attach-rpc-error',
      'AttachVolume.Attach failed for volume "pvc-9" : rpc error: code = Unavailable desc = failed to publish volume: server is locked',
    ],
    [
      'provision-resource-exhausted',
      'failed to provision volume with StorageClass "cinder": rpc error: code = Internal desc = CreateVolume failed with error Expected HTTP response code [202] when accessing [POST https://cinder.example.net/v3/volumes], but got 413 instead {"overLimit": {"code": 413, "message": "VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds allowed gigabytes quota."}}',
    ],
    [
      'attach-rpc-attached-elsewhere',
      'AttachVolume.Attach failed for volume "pvc-9" : rpc error: code = Internal desc = [ControllerPublishVolume] Attach Volume failed with error failed to attach 9 volume to 4 compute: Invalid input received: Invalid volume: Volume 9 status must be available or downloading to reserve, but the current status is in-use.',
    ],
    [
      'attach-rpc-error',
      'AttachVolume.Attach failed for volume "pvc-9" : rpc error: code = Internal desc = [ControllerPublishVolume] Attach Volume failed with error failed to attach 9 volume to 4 compute: Invalid volume: Volume 9 status must be available, but the current status is error.',
    ],
    [
      'provision-invalid-argument',
      `failed to provision volume with StorageClass "cinder": rpc error: code = Internal desc = CreateVolume failed with error Bad request with: [POST https://cinder.example.net/v3/volumes], error message: {"badRequest": {"code": 400, "message": "Availability zone 'nova' is invalid."}}`,
    ],
  ],
  'local volumes': [
    [
      'local-path-missing',
      'MountVolume.NewMounter initialization failed for volume "local-pv-1" : path "/mnt/disks/ssd1" does not exist',
    ],
    [
      'mount-node-affinity',
      'MountVolume.NodeAffinity check failed for volume "local-pv-1" : no matching NodeSelectorTerms',
    ],
    [
      'hostpath-type-check',
      'MountVolume.SetUp failed for volume "docker-sock" : hostPath type check failed: /var/run/docker.sock is not a socket file',
    ],
    [
      'provision-internal',
      'failed to provision volume with StorageClass "local-path": failed to create volume pvc-9: create process timeout after 120 seconds',
    ],
    [
      'provision-resource-exhausted',
      'failed to provision volume with StorageClass "topolvm-provisioner": rpc error: code = ResourceExhausted desc = no enough space left on VG: free=1073741824, requested=10737418240',
    ],
    [
      'provision-resource-exhausted',
      'failed to provision volume with StorageClass "lvms-vg1": rpc error: code = Internal desc = exit status 5: Volume group "vg1" has insufficient free space (255 extents): 2560 required.',
    ],
    [
      'pv-failed-no-deleter',
      'error getting deleter volume plugin for volume "pv1": no deletable volume plugin matched',
    ],
  ],
  'JuiceFS and Secrets Store': [
    [
      'mount-publish-rpc',
      'MountVolume.SetUp failed for volume "pvc-9" : rpc error: code = Internal desc = Could not mount juicefs: juicefs auth error: exit status 1: invalid token',
    ],
    [
      'mount-publish-rpc',
      'MountVolume.SetUp failed for volume "secrets-store" : rpc error: code = Unknown desc = failed to mount secrets store objects for pod shop/web-0, err: rpc error: code = Unknown desc = failed to mount objects, error: failed to get keyvault client: failed to acquire token, err: nmi response failed with status code: 404',
    ],
    [
      'mount-publish-rpc',
      'MountVolume.SetUp failed for volume "secrets-store" : rpc error: code = Unknown desc = failed to get secretproviderclass shop/azure-kv, error: SecretProviderClass.secrets-store.csi.x-k8s.io "azure-kv" not found',
    ],
    [
      'mount-publish-rpc',
      'MountVolume.SetUp failed for volume "secrets-store" : rpc error: code = Unknown desc = error connecting to provider "vault": provider not found: provider "vault"',
    ],
    [
      'driver-not-on-node',
      'MountVolume.SetUp failed for volume "secrets-store" : kubernetes.io/csi: mounter.SetUpAt failed to get CSI client: driver name secrets-store.csi.k8s.io not found in the list of registered CSI drivers',
    ],
  ],
  kubelet: [
    ['mount-configmap-missing', 'MountVolume.SetUp failed for volume "settings" : configmap "web-settings" not found'],
    ['mount-secret-volume-missing', 'MountVolume.SetUp failed for volume "tls" : secret "web-tls" not found'],
    [
      'mount-secret-key-missing',
      'MountVolume.SetUp failed for volume "tls" : references non-existent secret key: tls.key',
    ],
    [
      'mount-projected-failed',
      'MountVolume.SetUp failed for volume "kube-api-access-x2b4c" : failed to fetch token: serviceaccounts "web" not found',
    ],
    [
      'mount-projected-failed|mount-configmap-missing',
      'MountVolume.SetUp failed for volume "settings" : object "shop"/"web-settings" not registered',
    ],
    [
      'mount-generic-timeout',
      'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[]: timed out waiting for the condition',
    ],
    [
      'mount-generic-timeout',
      'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[]: context deadline exceeded',
    ],
    [
      'mount-fsgroup-failed',
      'MountVolume.SetUp failed for volume "pvc-9" : applyFSGroup failed for vol 0001-8f: lstat /var/lib/kubelet/pods/7b0f/volumes/kubernetes.io~csi/pvc-9/mount/a: input/output error',
    ],
    [
      'va-terminating-blocks-attach',
      'MountVolume.WaitForAttach failed for volume "pvc-9" : volume attachment is being deleted',
    ],
    [
      'mount-va-forbidden',
      'MountVolume.WaitForAttach failed for volume "pvc-9" : volume vol-9 has GET error for volume attachment csi-4d7a: volumeattachments.storage.k8s.io "csi-4d7a" is forbidden: User "system:node:worker-3" cannot get resource "volumeattachments" in API group "storage.k8s.io" at the cluster scope: no relationship found between node and this object',
    ],
    [
      'mount-va-not-ready',
      'MountVolume.WaitForAttach failed for volume "pvc-9" : volume vol-9 has GET error for volume attachment csi-4d7a: volumeattachments.storage.k8s.io "csi-4d7a" not found',
    ],
    [
      'mount-block-map',
      'MapVolume.SetUpDevice failed for volume "pvc-9" : rpc error: code = Internal desc = cannot create loop device',
    ],
    [
      'mount-volumemode-usage',
      'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[data], failed to process volumes=[data]: volume data has volumeMode Block, but is specified in volumeMounts',
    ],
    [
      'mount-pvc-not-bound',
      'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: error processing PVC shop/data: PVC is not bound',
    ],
    ['mount-subpath', 'Error: failed to prepare subPath for volumeMount "settings" of container "web"'],
    [
      'resize-blocks-mount',
      'MountVolume.Setup failed while expanding volume for volume "pvc-9" : Expander.NodeExpand failed to expand the volume : rpc error: code = Internal desc = resize2fs failed',
    ],
    ['resize-readonly', 'MountVolume.NodeExpandVolume failed for volume "pvc-9" requested read-only file system'],
    [
      'pod-terminating-unmount-stuck',
      'Error: UnmountVolume.TearDown failed for volume "pvc-9" (UniqueName: "kubernetes.io/csi/nfs.csi.k8s.io^9") pod "7b0f" (UID: "7b0f") : kubernetes.io/csi: Unmounter.TearDownAt failed: rpc error: code = Internal desc = failed to unmount target: device or resource busy',
    ],
    [
      'mount-publish-rpc',
      'MountVolume.SetUp failed for volume "pvc-9" : rpc error: code = FailedPrecondition desc = volume ID: "1a" does not appear staged to "/globalmount"',
    ],
    [
      'driver-daemonset-pod-unhealthy|mount-publish-rpc|mount-stage-rpc',
      'MountVolume.SetUp failed for volume "pvc-9" : rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial unix /var/lib/kubelet/plugins/x.csi.example.net/csi.sock: connect: connection refused"',
    ],
    [
      'mount-rwop-in-use',
      'Unable to attach or mount volumes: unmounted volumes=[data]: MountVolume.SetUp failed for volume "pvc-9" : volume uses the ReadWriteOncePod access mode and is already in use by another pod',
    ],
    [
      'mount-inline-unsupported',
      'MountVolume.SetUp failed for volume "scratch" : kubernetes.io/csi: mounter.SetUpAt failed: volume mode "Ephemeral" not supported by driver x.csi.example.net (no CSIDriver object)',
    ],
    ['ephemeral-storage-evicted', 'Pod ephemeral local storage usage exceeds the total limit of containers 2Gi.'],
    [
      'ephemeral-storage-evicted',
      'The node was low on resource: ephemeral-storage. Threshold quantity: 10Gi, available: 9Gi. Container web was using 4Gi, request is 0, has larger consumption of ephemeral-storage.',
    ],
    ['emptydir-limit-evicted', 'Usage of EmptyDir volume "scratch" exceeds the limit "1Gi".'],
  ],
  'attach and detach': [
    [
      'attach-rwo-waiting-detach',
      `Multi-Attach error for volume "pvc-9" Volume is already exclusively attached to one node and can't be attached to another`,
    ],
    [
      'attach-rwo-held-by-running-pod',
      'Multi-Attach error for volume "pvc-9" Volume is already used by pod(s) web-7d9f-x2b4c',
    ],
    [
      'attach-rwo-held-by-running-pod',
      'Multi-Attach error for volume "pvc-9" Volume is already used by 2 pod(s) in different namespaces',
    ],
    [
      'attach-attacher-not-running',
      'AttachVolume.Attach failed for volume "pvc-9" : timed out waiting for external-attacher of ebs.csi.aws.com CSI driver to attach volume vol-9',
    ],
    [
      'driver-not-on-node',
      'AttachVolume.Attach failed for volume "pvc-9" : CSINode ip-10-0-0-9.eu-west-1.compute.internal does not contain driver ebs.csi.aws.com',
    ],
    ['csinode-missing', 'AttachVolume.Attach failed for volume "pvc-9" : csinodes.storage.k8s.io "worker-3" not found'],
    [
      'detach-rpc-error',
      'DetachVolume.Detach failed for volume "pvc-9" (UniqueName: "kubernetes.io/csi/x.csi.example.net^9") on node "worker-3" : rpc error: code = Internal desc = Could not detach volume "vol-9" from node "i-0bb"',
    ],
    ['pv-delete-still-attached', 'VolumeFailedDelete persistentvolume pvc-9 is still attached to node worker-3'],
    [
      'pv-delete-rpc-failed',
      'VolumeFailedDelete rpc error: code = FailedPrecondition desc = volume still has snapshots',
    ],
    [
      'namespace-terminating-storage',
      'Some resources are remaining: persistentvolumeclaims. has 2 resource instances, pods. has 1 resource instances',
    ],
  ],
  'growing and changing': [
    [
      'resize-controller-infeasible',
      'resize volume "pvc-9" by resizer "pd.csi.storage.gke.io" failed: rpc error: code = InvalidArgument desc = ControllerExpandVolume requested size 70Ti is larger than the maximum',
    ],
    [
      'resize-no-resizer',
      `Ignoring the PVC: didn't find a plugin capable of expanding the volume; waiting for an external controller to process this PVC.`,
    ],
    [
      'resize-migrated-waiting',
      'CSI migration enabled for kubernetes.io/aws-ebs; waiting for external resizer to expand the pvc',
    ],
    [
      'resize-fs-pending-no-pod',
      'Normal FileSystemResizeRequired 3s external-resizer ebs.csi.aws.com Require file system resize of volume on node',
    ],
    [
      'resize-offline-only',
      'resize volume "pvc-9" by resizer "cinder.csi.openstack.org" failed: rpc error: code = FailedPrecondition desc = volume is in-use and cannot be expanded online',
    ],
    [
      'modify-infeasible',
      'VolumeModifyFailed rpc error: code = InvalidArgument desc = Could not modify volume "vol-9": iops of 20000 is too high for gp3',
    ],
  ],
  snapshots: [
    ['snap-default-class-none', 'Failed to set default snapshot class with error cannot find default snapshot class'],
    [
      'snap-source-not-bound',
      'Failed to create snapshot content with error the PVC uploads is not yet bound to a PV, will not attempt to take a snapshot',
    ],
    [
      'snap-crds-missing',
      'error: resource mapping not found for name: "nightly" namespace: "" from "snap.yaml": no matches for kind "VolumeSnapshot" in version "snapshot.storage.k8s.io/v1" ensure CRDs are installed first',
    ],
    [
      'snap-class-missing',
      'Failed to get snapshot class with error failed to retrieve snapshot class fast from the informer: "volumesnapshotclass.snapshot.storage.k8s.io \\"fast\\" not found"',
    ],
    [
      'restore-snapshot-not-ready',
      'failed to provision volume with StorageClass "gp3": error getting handle for DataSource Type VolumeSnapshot by Name s-1: snapshot s-1 is not Ready',
    ],
    [
      'restore-snapshot-missing',
      'failed to provision volume with StorageClass "gp3": error getting handle for DataSource Type VolumeSnapshot by Name s-1: error getting snapshot s-1 from api server: volumesnapshots.snapshot.storage.k8s.io "s-1" not found',
    ],
    [
      'clone-source-missing',
      'failed to provision volume with StorageClass "gp3": error getting handle for DataSource Type PersistentVolumeClaim by Name src: error getting PVC src (namespace "shop") from api server: persistentvolumeclaims "src" not found',
    ],
  ],
  'logs of sidecars and node drivers': [
    [
      'provisioner-rbac',
      'E1118 20:00:00.000000 1 leaderelection.go:330] error retrieving resource lock kube-system/ebs-csi-aws-com: leases.coordination.k8s.io "ebs-csi-aws-com" is forbidden: User "system:serviceaccount:kube-system:ebs-csi-controller-sa" cannot get resource "leases" in API group "coordination.k8s.io" in the namespace "kube-system"',
    ],
    [
      'provisioner-rbac',
      'E1118 20:00:00.000000 1 reflector.go:147] k8s.io/client-go/informers/factory.go:150: Failed to watch *v1.StorageClass: failed to list *v1.StorageClass: storageclasses.storage.k8s.io is forbidden: User "system:serviceaccount:storage:nfs-provisioner" cannot list resource "storageclasses" in API group "storage.k8s.io" at the cluster scope',
    ],
    [
      'provisioner-crashloop|sidecar-lost-connection',
      'E1118 20:00:00.000000 1 connection.go:142] "Lost connection to CSI driver, exiting"',
    ],
    [
      'provisioner-driver-not-ready|provisioner-crashloop|driver-daemonset-pod-unhealthy',
      'W1118 20:00:00.000000 1 connection.go:234] Still connecting to unix:///csi/csi.sock',
    ],
    [
      'provisioner-leader-stale|provisioner-crashloop|sidecar-lost-connection',
      'E1118 20:00:00.000000 1 leaderelection.go:332] "Failed to renew lease" lease="kube-system/ebs-csi-aws-com" err="timed out waiting for the condition"',
    ],
    [
      'driver-node-update-denied|driver-registration-failed',
      'E1118 20:00:00.000000 1 main.go:101] Registration process failed with error: RegisterPlugin error -- plugin registration failed with err: error updating CSINode object with CSI driver node info: error updating CSINode: timed out waiting for the condition; caused by: csinodes.storage.k8s.io "worker-3" is forbidden, restarting registration container.',
    ],
    [
      'driver-nodegetinfo-failed',
      'E1118 20:00:00.000000 1 main.go:101] Registration process failed with error: RegisterPlugin error -- plugin registration failed with err: rpc error: code = Internal desc = failed to get instance id from metadata, restarting registration container.',
    ],
    [
      'provisioner-silent',
      'E1118 20:00:00.000000 1 controller.go:1004] provision "shop/uploads" class "nfs-client": unexpected error getting claim reference: selfLink was empty, can\'t make reference',
    ],
  ],
  'words of programs on a full or broken volume': [
    ['volume-full', 'PANIC:  could not write to file "pg_wal/xlogtemp.29": No space left on device'],
    ['volume-full', 'java.io.IOException: No space left on device at /var/lib/kafka/data/orders-0'],
    [
      'volume-full',
      '[ERROR] InnoDB: Write to file ./ibdata1 failed at offset 1048576, error number 28: No space left on device',
    ],
    ['volume-remounted-readonly', "mkdir: cannot create directory '/data/tmp': Read-only file system"],
    ['volume-remounted-readonly', 'EXT4-fs (nvme1n1): Remounting filesystem read-only'],
  ],
} satisfies Record<string, readonly (readonly [causes: string, message: string])[]>).flatMap(([from, rows]) =>
  rows.map(([causes = '', message = '']) => ({ from, message, causes: causes.split('|') })),
);

/** Written after the wordings had been corrected with the table above, to see whether they hold beyond it. */
export const laterMessages: readonly Case[] = (
  [
    [
      'sched-max-volume-count',
      '0/12 nodes are available: 12 node(s) exceed max volume count. preemption: 0/12 nodes are available: 12 No preemption victims found for incoming pod..',
    ],
    [
      'sched-volume-node-affinity',
      "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't match PersistentVolume's node affinity. no new claims to deallocate",
    ],
    [
      'pod-pvc-unbound-immediate',
      'running "VolumeBinding" filter plugin for pod "web-0": pod has unbound immediate PersistentVolumeClaims',
    ],
    [
      'wffc-capacity-insufficient',
      '0/4 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/master: }, 3 node(s) did not have enough free storage.',
    ],
    [
      'ephemeral-pvc-create-failed',
      'ephemeral volume scratch: create PVC web-scratch: persistentvolumeclaims "web-scratch" is forbidden: unable to create new content in namespace shop because it is being terminated',
    ],
    [
      'pvc-create-denied-quota',
      'failed to create PersistentVolumeClaim: persistentvolumeclaims "cache" is forbidden: exceeded quota: q, requested: requests.storage=1Ti, used: requests.storage=4Ti, limited: requests.storage=4Ti',
    ],
    [
      'pvc-create-denied-limitrange',
      'persistentvolumeclaims "cache" is forbidden: maximum storage usage per PersistentVolumeClaim is 20Gi, but request is 50Gi',
    ],
    [
      'pvc-lost-pv-deleted',
      'Warning ClaimLost 3s persistentvolume-controller Bound claim has lost its PersistentVolume. Data on the volume is lost!',
    ],
    [
      'sc-missing',
      'E1118 pv_controller.go:1510] error finding provisioning plugin for claim shop/cache: storageclass.storage.k8s.io "rook-cephfs" not found',
    ],
    [
      'provisioner-in-tree-removed',
      'Warning ProvisioningFailed persistentvolume-controller no volume plugin matched name: kubernetes.io/glusterfs',
    ],
    [
      'provision-credentials',
      'failed to provision volume with StorageClass "gp3": rpc error: code = Internal desc = Could not create volume "pvc-7": operation error EC2: CreateVolume, https response error StatusCode: 401, RequestID: 9, api error AuthFailure: AWS was not able to validate the provided access credentials',
    ],
    [
      'provision-credentials',
      'failed to provision volume with StorageClass "csi-azure": rpc error: code = Unknown desc = azure.BearerAuthorizer#WithAuthorization: Failed to refresh the Token for request to https://management.azure.com: StatusCode=400 -- Original Error: Identity not found',
    ],
    [
      'provision-credentials',
      'failed to provision volume with StorageClass "nutanix": rpc error: code = Internal desc = NutanixVolumes: failed to create volume: http status 401: authentication required',
    ],
    [
      'provision-resource-exhausted',
      'failed to provision volume with StorageClass "gp2": rpc error: code = Internal desc = Could not create volume "pvc-7": MaxIOPSLimitExceeded: You have exceeded your max IOPS limit status code: 400',
    ],
    [
      'provision-resource-exhausted',
      'failed to provision volume with StorageClass "piraeus": rpc error: code = ResourceExhausted desc = CreateVolume failed for pvc-7: failed to enough replicas on requested storage pools',
    ],
    [
      'provision-resource-exhausted',
      'failed to provision volume with StorageClass "pure-block": rpc error: code = Internal desc = array reports: insufficient capacity to create volume',
    ],
    [
      'provision-resource-exhausted',
      'failed to provision volume with StorageClass "netapp": rpc error: code = Unknown desc = volume creation failed: FlexVol maximum reached: maximum number of volumes on the SVM is 200',
    ],
    [
      'provision-invalid-argument',
      'failed to provision volume with StorageClass "managed": rpc error: code = InvalidArgument desc = azureDisk - PremiumV3_LRS is not supported sku. Supported values: [Premium_LRS Standard_LRS]',
    ],
    [
      'provision-invalid-argument',
      'failed to provision volume with StorageClass "ceph": rpc error: code = InvalidArgument desc = missing required parameter imageFeatures',
    ],
    [
      'provision-accessmode-unsupported',
      'failed to provision volume with StorageClass "rook-ceph-block": rpc error: code = InvalidArgument desc = multi node access modes are only supported on rbd `block` type volumes',
    ],
    [
      'provision-accessmode-unsupported',
      'failed to provision volume with StorageClass "hcloud-volumes": rpc error: code = InvalidArgument desc = only ReadWriteOnce access mode is supported, got MULTI_NODE_MULTI_WRITER',
    ],
    [
      'provision-in-background',
      'failed to provision volume with StorageClass "vsphere": rpc error: code = DeadlineExceeded desc = stream terminated by RST_STREAM with error code: CANCEL',
    ],
    [
      'provision-in-background',
      'failed to provision volume with StorageClass "cinder": rpc error: code = Aborted desc = volume creation is in progress',
    ],
    [
      'provision-in-background',
      'failed to provision volume with StorageClass "x": rpc error: code = Unavailable desc = error reading from server: EOF',
    ],
    [
      'provision-topology-key-missing',
      'failed to provision volume with StorageClass "zfs": error generating accessibility requirements: no topology key found on CSINode worker-1',
    ],
    [
      'provision-capability-missing',
      'failed to provision volume with StorageClass "smb": CSI driver does not support snapshot restore: controller CREATE_DELETE_SNAPSHOT capability is not reported',
    ],
    [
      'clone-size-too-small',
      'failed to provision volume with StorageClass "x": error getting handle for DataSource Type PersistentVolumeClaim by Name src: error, new PVC request must be greater than or equal in size to the specified PVC data source, requested 1 but source is 2',
    ],
    [
      'provision-already-exists',
      'failed to provision volume with StorageClass "x": rpc error: code = AlreadyExists desc = volume pvc-7 already exists with a different size',
    ],
    [
      'attach-rpc-limit',
      'AttachVolume.Attach failed for volume "pvc-7" : rpc error: code = ResourceExhausted desc = Maximum number of volume attachments reached for instance ocid1.instance',
    ],
    [
      'attach-rpc-attached-elsewhere',
      'AttachVolume.Attach failed for volume "pvc-7" : rpc error: code = FailedPrecondition desc = volume pvc-7 is already attached to node worker-1',
    ],
    [
      'attach-rpc-attached-elsewhere',
      'AttachVolume.Attach failed for volume "pvc-7" : rpc error: code = FailedPrecondition desc = Volume is published to another node: linode 12',
    ],
    [
      'attach-rpc-credentials',
      'AttachVolume.Attach failed for volume "pvc-7" : rpc error: code = Internal desc = POST https://api.example.net/volumes/7/actions: 403 Forbidden: you are not authorized to perform this operation',
    ],
    [
      'attach-rpc-not-found',
      'AttachVolume.Attach failed for volume "pvc-7" : rpc error: code = NotFound desc = server not found',
    ],
    [
      'attach-rpc-timeout',
      'AttachVolume.Attach failed for volume "pvc-7" : rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    ],
    [
      'attach-rpc-error',
      'AttachVolume.Attach failed for volume "pvc-7" : rpc error: code = Internal desc = Could not attach volume "vol-7" to node "i-7": attachment of disk "vol-7" failed, expected device to be attached but was attaching',
    ],
    [
      'attach-rwo-waiting-detach',
      'Warning  FailedAttachVolume  9s  attachdetach-controller  Multi-Attach error for volume "pvc-7" Volume is already exclusively attached to one node and can\'t be attached to another',
    ],
    [
      'attach-attacher-not-running',
      'AttachVolume.Attach failed for volume "pvc-7" : timed out waiting for external-attacher of cinder.csi.openstack.org CSI driver to attach volume 7',
    ],
    [
      'mount-stage-rpc',
      'MountVolume.MountDevice failed for volume "pvc-7" : rpc error: code = Internal desc = Could not format "/dev/nvme1n1" and mount it at "/globalmount": mount failed: exit status 32',
    ],
    [
      'mount-stage-rpc',
      'MountVolume.MountDevice failed for volume "pvc-7" : rpc error: code = Internal desc = blkid failed: exit status 2 input/output error',
    ],
    [
      'mount-stage-rpc',
      'MountVolume.MountDevice failed for volume "pvc-7" : rpc error: code = Internal desc = cryptsetup luksOpen failed: No key available with this passphrase.',
    ],
    [
      'mount-stage-rpc',
      'MountVolume.MountDevice failed for volume "pvc-7" : rpc error: code = Internal desc = unable to find device path for wwn 3600',
    ],
    [
      'mount-publish-rpc',
      'MountVolume.SetUp failed for volume "pvc-7" : rpc error: code = Internal desc = mount.nfs4: Stale file handle',
    ],
    [
      'mount-publish-rpc',
      'MountVolume.SetUp failed for volume "models" : rpc error: code = PermissionDenied desc = bucket models: AccessDenied',
    ],
    [
      'mount-publish-rpc',
      'MountVolume.SetUp failed for volume "gcs" : rpc error: code = Internal desc = failed to mount volume "my-bucket": gcsfuse failed: the GCS bucket does not exist',
    ],
    [
      'mount-rpc-pending',
      'MountVolume.SetUp failed for volume "pvc-7" : rpc error: code = Aborted desc = an operation with the given Volume ID 7 already exists',
    ],
    [
      'driver-not-on-node',
      'MapVolume.SetUpDevice failed for volume "pvc-7" : kubernetes.io/csi: blockMapper.SetUpDevice failed to get CSI client: driver name x.csi.example.net not found in the list of registered CSI drivers',
    ],
    [
      'mount-secret-missing',
      'MountVolume.SetUp failed for volume "s3" : fetching NodePublishSecretRef shop/s3 failed: kubernetes.io/csi: failed to find the secret s3 in the namespace shop with error: secrets "s3" not found',
    ],
    [
      'mount-fs-mismatch',
      'MountVolume.MountDevice failed for volume "pvc-7" : rpc error: code = Internal desc = failed to mount the volume as "xfs", it already contains ext4. Mount error: mount failed: exit status 32',
    ],
    ['mount-subpath', 'Error: failed to create subPath directory for volumeMount "data" of container "db"'],
    [
      'mount-in-tree-failed|mount-stage-rpc',
      'MountVolume.SetUp failed for volume "ceph" : rbd: map failed exit status 6, rbd output: rbd: sysfs write failed In some cases useful info is found in syslog',
    ],
    [
      'mount-options-unsupported',
      'MountVolume.SetUp failed for volume "host" : mount options are not supported for this volume type',
    ],
    [
      'nfs-mount-failed',
      'MountVolume.SetUp failed for volume "archive" : mount failed: exit status 32 Mounting command: mount Mounting arguments: -t nfs -o nfsvers=4.2 nas:/vol /target Output: mount.nfs: Failed to resolve server nas: Name or service not known',
    ],
    ['pv-delete-rpc-failed', 'VolumeFailedDelete rpc error: code = DeadlineExceeded desc = context deadline exceeded'],
    [
      'pv-delete-rpc-failed',
      'Warning VolumeFailedDelete rbd.csi.ceph.com_csi-rbdplugin-provisioner rpc error: code = Internal desc = rbd csi-vol-7 is still being used',
    ],
    [
      'resize-controller-error',
      'Warning VolumeResizeFailed external-resizer pd.csi.storage.gke.io resize volume "pvc-7" by resizer "pd.csi.storage.gke.io" failed: rpc error: code = Internal desc = ControllerExpandVolume failed to resize disk: googleapi: Error 400: Disk cannot be resized due to being larger',
    ],
    [
      'resize-node-error',
      'Warning VolumeResizeFailed kubelet NodeExpandVolume.NodeExpandVolume failed to resize volume for volume "pvc-7" : rpc error: code = Internal desc = xfs_growfs: exit status 1',
    ],
    [
      'resize-denied-class',
      'Error from server (Forbidden): persistentvolumeclaims "cache" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
    ],
    [
      'snap-create-failed',
      'Failed to create snapshot: failed to take snapshot of the volume 7: "rpc error: code = ResourceExhausted desc = snapshot limit reached"',
    ],
    [
      'snap-create-failed',
      'Failed to check and update snapshot content: failed to take snapshot of the volume 7: "rpc error: code = Internal desc = vSphere CSI: snapshots are not supported on this datastore"',
    ],
    [
      'snap-source-pvc-missing',
      'Failed to create snapshot content with error failed to retrieve PVC data from the lister: "persistentvolumeclaim \\"data\\" not found"',
    ],
    [
      'restore-size-too-small',
      'failed to provision volume with StorageClass "x": error getting handle for DataSource Type VolumeSnapshot by Name s: requested volume size 1073741824 is less than the size 5368709120 for the source snapshot s',
    ],
    [
      'provisioner-rbac',
      'E1118 reflector.go:200] "Failed to watch" err="failed to list *v1.PersistentVolume: persistentvolumes is forbidden: User \\"system:serviceaccount:csi:prov\\" cannot list resource \\"persistentvolumes\\" in API group \\"\\" at the cluster scope"',
    ],
    [
      'driver-nodegetinfo-failed',
      'plugin_watcher.go:160] "error registering plugin" err="RegisterPlugin error -- plugin registration failed with err: rpc error: code = Unavailable desc = NodeGetInfo failed"',
    ],
    ['volume-full', 'MySQL: Disk is full writing ./binlog.000042 (Errcode: 28 "No space left on device")'],
    [
      'volume-full',
      'level=error caller=db.go:700 component=tsdb msg="compaction failed" err="write block: open /prometheus/01.tmp/chunks/000001: no space left on device"',
    ],
    ['volume-remounted-readonly', 'could not open file "base/1/2": Read-only file system'],
    ['ephemeral-storage-evicted', 'Container web exceeded its local ephemeral storage limit "1Gi".'],
    [
      'hostpath-type-check',
      'MountVolume.SetUp failed for volume "cert" : hostPath type check failed: /etc/ssl/custom is not a directory',
    ],
    [
      'namespace-terminating-storage',
      'Some content in the namespace has finalizers remaining: kubernetes.io/pvc-protection in 3 resource instances',
    ],
    [
      'bucket-create-failed',
      'Warning FailedCreateBucket cosi rpc error: code = PermissionDenied desc = s3:CreateBucket denied',
    ],
    ['groupsnap-selector-unmatched', 'label selector app=web for group snapshot not applied to any PVC'],
  ] satisfies readonly (readonly [causes: string, message: string])[]
).map(([causes = '', message = '']) => ({ from: 'later', message, causes: causes.split('|') }));
