import { describe, expect, it } from 'vitest';
import { parseDriverError } from '../../../../src/core/causes/lib/driver-error/parse.ts';
import type { DriverError } from '../../../../src/core/causes/lib/driver-error/parse.ts';
import type { KubeEvent } from '../../../../src/core/kube/kinds.ts';

type Expected = Partial<DriverError>;

function event(component: string, reason: string, message: string): KubeEvent {
  return { kind: 'Event', metadata: { name: 'e' }, reason, message, source: { component } } as KubeEvent;
}

describe('an error of a driver, passed on', () => {
  it.each<[string, Expected]>([
    [
      'failed to provision volume with StorageClass "io1-csi": rpc error: code = Internal desc = Could not create volume "pvc-b64c726a": could not create volume in EC2: InvalidParameterCombination: The parameter iops must be specified for io1 volumes.\n           status code: 400, request id: 625e97aa',
      {
        speaker: 'driver',
        caller: 'provisioner',
        code: 'Internal',
        operation: 'CreateVolume',
        words:
          'Could not create volume "pvc-b64c726a": could not create volume in EC2: InvalidParameterCombination: The parameter iops must be specified for io1 volumes. status code: 400, request id: 625e97aa',
      },
    ],
    [
      'AttachVolume.Attach failed for volume "pvc-1" : rpc error: code = Internal desc = rpc error: code = NotFound desc = volume vol-1 not found',
      {
        speaker: 'driver',
        caller: 'attachDetachController',
        code: 'NotFound',
        outerCode: 'Internal',
        operation: 'AttachVolume.Attach',
        volume: 'pvc-1',
        words: 'volume vol-1 not found',
      },
    ],
    [
      'MountVolume.SetUp failed for volume "pvc-43edb969ce3511e8" : rpc error: code = Unknown desc = executable file not found in $PATH',
      {
        speaker: 'driver',
        caller: 'kubelet',
        code: 'Unknown',
        operation: 'MountVolume.SetUp',
        volume: 'pvc-43edb969ce3511e8',
        words: 'executable file not found in $PATH',
      },
    ],
    [
      'GRPC error: rpc error: code = Aborted desc = an operation with the given Volume ID pvc-55b22d71 already exists',
      {
        speaker: 'driver',
        code: 'Aborted',
        words: 'an operation with the given Volume ID pvc-55b22d71 already exists',
      },
    ],
    [
      'resize volume "pvc-xyz" by resizer "storage.csi.upcloud.com" failed: rpc error: code = FailedPrecondition desc = volume is currently published on a node',
      {
        speaker: 'driver',
        caller: 'resizer',
        code: 'FailedPrecondition',
        operation: 'ControllerExpandVolume',
        volume: 'pvc-xyz',
        words: 'volume is currently published on a node',
      },
    ],
    [
      'failed to expand pvc with rpc error: code = Internal desc = Could not resize volume "vol-1": rpc error: code = Internal desc = Could not modify volume "vol-1": api error VolumeModificationRateExceeded: wait',
      {
        speaker: 'driver',
        caller: 'resizer',
        code: 'Internal',
        words: 'Could not modify volume "vol-1": api error VolumeModificationRateExceeded: wait',
      },
    ],
    [
      'Failed to check and update snapshot content: failed to take snapshot of the volume vol-aaaa: "rpc error: code = Internal desc = upload of \\"snap-1\\" failed: bucket is gone"',
      {
        speaker: 'driver',
        caller: 'snapshotter',
        code: 'Internal',
        operation: 'CreateSnapshot',
        volume: 'vol-aaaa',
        words: 'upload of "snap-1" failed: bucket is gone',
      },
    ],
    [
      'kubernetes.io/csi: attacher.MountDevice failed: rpc error: code = Internal desc = mount failed: exit status 32\nMounting command: mount\nOutput: mount: /x: wrong fs type.',
      {
        speaker: 'driver',
        caller: 'kubelet',
        operation: 'attacher.MountDevice',
        output: 'mount: /x: wrong fs type.',
      },
    ],
    ['DeadlineExceeded desc = the array is busy', { speaker: 'driver', code: 'DeadlineExceeded' }],
  ])('%s', (text, expected) => {
    expect(parseDriverError(text)).toMatchObject(expected);
  });
});

describe('an rpc error in which the driver has said nothing', () => {
  it.each<[string, Expected]>([
    [
      "MountVolume.SetUp failed for volume 'pv-samba' : kubernetes.io/csi: mounter.SetUpAt failed to check for STAGE_UNSTAGE_VOLUME capability: rpc error: code = Unavailable desc = connection error: desc = 'transport: Error while dialing dial unix /var/lib/kubelet/plugins/smb.csi.k8s.io/csi.sock: connect: connection refused'",
      { speaker: 'kubelet', code: 'Unavailable', operation: 'mounter.SetUpAt', volume: 'pv-samba' },
    ],
    [
      'MountVolume.MountDevice failed for volume "pv" : rpc error: code = Unavailable desc = error reading server preface: read unix @->/csi/csi.sock: use of closed network connection',
      { speaker: 'kubelet', code: 'Unavailable' },
    ],
    [
      'failed to provision volume with StorageClass "s": rpc error: code = DeadlineExceeded desc = context deadline exceeded',
      { speaker: 'provisioner', code: 'DeadlineExceeded', words: 'context deadline exceeded' },
    ],
    ['rpc error: code = DeadlineExceeded desc = context deadline exceeded', { speaker: 'sidecar', caller: undefined }],
  ])('%s', (text, expected) => {
    expect(parseDriverError(text)).toMatchObject(expected);
  });
});

describe('an error without a driver', () => {
  it.each<[string, Expected]>([
    [
      'failed to provision volume with StorageClass "rook-ceph-block": error getting secret rook-csi-rbd-provisioner in namespace rook-ceph: secrets "rook-csi-rbd-provisioner" not found',
      { speaker: 'apiServer', caller: 'provisioner', code: undefined },
    ],
    [
      'failed to provision volume with Storage Class "linode-block-storage-retain": error generating accessibility requirements: no available topology found',
      {
        speaker: 'provisioner',
        caller: 'provisioner',
        operation: 'topology',
        words: 'no available topology found',
      },
    ],
    [
      'AttachVolume.Attach failed for volume "pvc-1" : timed out waiting for external-attacher of direct-csi-min-io CSI driver to attach volume pvc-1',
      { speaker: 'attachDetachController', code: undefined, operation: 'AttachVolume.Attach' },
    ],
    [
      'AttachVolume.Attach failed for volume "pvc-1" : could not add PersistentVolume finalizer: persistentvolumes "pvc-1" is forbidden: User "system:serviceaccount:storage:attacher" cannot patch resource "persistentvolumes"',
      { speaker: 'apiServer', caller: 'attacher' },
    ],
    [
      'MountVolume.MountDevice failed for volume "pv" : fetching NodeStageSecretRef default/s failed: kubernetes.io/csi: failed to find the secret s in the namespace default with error: secrets "s" is forbidden: User "system:node:n" cannot get resource "secrets": no relationship found between node \'n\' and this object',
      { speaker: 'apiServer', caller: 'kubelet', operation: 'NodeStageSecretRef', volume: 'pv' },
    ],
    [
      'MountVolume.SetUp failed for volume "nfs-client-root" : mount failed: exit status 32\nMounting command: mount\nOutput: mount.nfs: access denied by server while mounting 10.0.0.1:/x',
      { speaker: 'kubelet', output: 'mount.nfs: access denied by server while mounting 10.0.0.1:/x' },
    ],
    [
      'kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name rook-ceph.rbd.csi.ceph.com not found in the list of registered CSI drivers',
      { speaker: 'kubelet', operation: 'attacher.MountDevice' },
    ],
    [
      'Failed to get snapshot class with error failed to retrieve snapshot class snaps from the informer: "volumesnapshotclass.snapshot.storage.k8s.io \\"snaps\\" not found"',
      {
        speaker: 'apiServer',
        caller: 'snapshotController',
        operation: 'get snapshot class',
        words: 'volumesnapshotclass.snapshot.storage.k8s.io "snaps" not found',
      },
    ],
    [
      'Failed to set default snapshot class with error cannot find default snapshot class',
      { speaker: 'snapshotController', words: 'cannot find default snapshot class' },
    ],
    [
      'error expanding volume "shop/data" of plugin "kubernetes.io/rbd": disk is locked',
      { speaker: 'volumeController', words: 'disk is locked' },
    ],
    ['rbd: sysfs write failed', { speaker: 'unknown', caller: undefined, operation: undefined }],
  ])('%s', (text, expected) => {
    expect(parseDriverError(text)).toMatchObject(expected);
  });
});

describe('what is known besides the text', () => {
  it('is the number of the code on a VolumeAttachment, where the text has none', () => {
    expect(parseDriverError({ message: 'no code in the text', errorCode: 5 })).toMatchObject({
      speaker: 'attacher',
      code: 'NotFound',
    });
    expect(
      parseDriverError({
        message: 'rpc error: code = Internal desc = rpc error: code = NotFound desc = x',
        errorCode: 13,
      }),
    ).toMatchObject({ speaker: 'driver', code: 'NotFound', outerCode: 'Internal' });
  });

  it('is the component that wrote the event', () => {
    const timeout = 'rpc error: code = DeadlineExceeded desc = context deadline exceeded';
    expect(parseDriverError(event('disk.csi.example.com_node-a_1234', 'ProvisioningFailed', timeout)).speaker).toBe(
      'provisioner',
    );
    expect(
      parseDriverError(event('external-resizer disk.csi.example.com', 'VolumeResizeFailed', timeout)).speaker,
    ).toBe('resizer');
    expect(
      parseDriverError(event('persistentvolume-controller', 'ProvisioningFailed', 'googleapi: Error 403')).speaker,
    ).toBe('volumeController');
  });

  it('is the writer of a condition', () => {
    expect(
      parseDriverError({ type: 'NodeResizeError', message: 'rpc error: code = Canceled desc = context canceled' }),
    ).toMatchObject({ speaker: 'kubelet', code: 'Canceled' });
  });
});
