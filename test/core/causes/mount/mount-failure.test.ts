import { describe, expect, it } from 'vitest';
import { failureOfEvent } from '../../../../src/core/causes/mount/mount-failure.ts';
import { mountSenseOf, ownWords } from '../../../../src/core/causes/mount/mount-sense.ts';
import type { KubeEvent } from '../../../../src/core/kube/kinds.ts';

function failure(message: string, reason = 'FailedMount') {
  return failureOfEvent({ kind: 'Event', metadata: { name: 'e' }, reason, message } as KubeEvent);
}

const stage = (desc: string): string =>
  `MountVolume.MountDevice failed for volume "pv" : rpc error: code = Internal desc = ${desc}`;

describe('what the kubelet says of a mount', () => {
  it.each([
    ['stage', stage('mount failed: exit status 32')],
    [
      'publish',
      'MountVolume.SetUp failed for volume "pv" : rpc error: code = Unknown desc = executable file not found in $PATH',
    ],
    [
      'publish',
      "MountVolume.SetUp failed for volume 'pv' : kubernetes.io/csi: mounter.SetUpAt failed to check for STAGE_UNSTAGE_VOLUME capability: rpc error: code = Unavailable desc = connection error: desc = 'transport: Error while dialing dial unix /x/csi.sock: connect: connection refused'",
    ],
    [
      'publish',
      'MountVolume.SetUp failed for volume "pv" : rpc error: code = Internal desc = failed to mount: secrets "azure-secret" not found',
    ],
    [
      'notRegistered',
      'MountVolume.MountDevice failed for volume "pv" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name x.csi not found\nin the list of registered CSI drivers',
    ],
    [
      'forbidden',
      'MountVolume.MountDevice failed for volume "pv" : fetching NodeStageSecretRef default/s failed: kubernetes.io/csi: failed to find the secret s in the namespace default with error: secrets "s" is forbidden: User "system:node:n" cannot get resource: no relationship found between node \'n\' and this object',
    ],
    [
      'secretReference',
      'MountVolume.SetUp failed for volume "pv" : fetching NodePublishSecretRef kube-system/key failed: kubernetes.io/csi: failed to find the secret key in the namespace kube-system with error: secrets "key" not found',
    ],
    ['secretVolume', 'MountVolume.SetUp failed for volume "secrets" : secret "app" not found'],
    ['configMap', 'MountVolume.SetUp failed for volume "settings" : configmap "app" not found'],
    ['secretKey', 'MountVolume.SetUp failed for volume "tls" : references non-existent secret key: tls.key'],
    [
      'configKey',
      'MountVolume.SetUp failed for volume "settings" : configmap references non-existent config key: app.ini',
    ],
    [
      'token',
      'MountVolume.SetUp failed for volume "pv" : kubernetes.io/csi: mounter.SetupAt failed to get service accoount token attributes: serviceaccounts "x" not found',
    ],
    [
      'pending',
      'MountVolume.MountDevice failed for volume "pv" : rpc error: code = Aborted desc = An operation with the given Volume ID v already exists',
    ],
    [
      'timeout',
      'MountVolume.MountDevice failed for volume "pv" : rpc error: code = DeadlineExceeded desc = context deadline exceeded',
    ],
    ['fsck', stage("'fsck' found errors on device /dev/sdb but could not correct them: fsck from util-linux 2.36.1")],
    ['fileSystem', stage('failed to mount the volume as "ext4", it already contains xfs. Mount error: mount failed')],
    [
      'inTree',
      'MountVolume.SetUp failed for volume "pv" : mount failed: exit status 32\nMounting command: mount\nOutput: mount.nfs: access denied by server',
    ],
    [
      'claimNotBound',
      'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: error processing PVC shop/data: PVC is not bound',
    ],
    [
      'general',
      'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[data kube-api-access-4dcz8]: timed out waiting for the condition',
    ],
    [
      'expansion',
      'MountVolume.Setup failed while expanding volume for volume "pv" : rpc error: code = Internal desc = resize2fs failed',
    ],
  ])('is %s', (kind, message) => {
    expect(failure(message)?.kind).toBe(kind);
  });

  it('names the operation and the volume', () => {
    expect(failure(stage('x'))).toMatchObject({ operation: 'MountVolume.MountDevice', volume: 'pv' });
    expect(
      failure('MountVolume.NewMounter initialization failed for volume "local" : path "/mnt/x" does not exist'),
    ).toMatchObject({
      operation: 'MountVolume.NewMounter initialization',
      volume: 'local',
      text: 'path "/mnt/x" does not exist',
    });
  });

  it('takes a raw device for what it is', () => {
    expect(
      failure(
        'MapVolume.SetUpDevice failed for volume "pv" : rpc error: code = Internal desc = no device',
        'FailedMapVolume',
      )?.kind,
    ).toBe('block');
  });

  it('leaves out what passes by itself, and what is no mount', () => {
    expect(
      failure(
        'MountVolume.SetUp failed for volume "x" : failed to sync secret cache: timed out waiting for the condition',
      ),
    ).toBeUndefined();
    expect(failure('Back-off pulling image', 'BackOff')).toBeUndefined();
  });
});

describe('what a driver means', () => {
  it.each([
    [
      'driverDown',
      'connection error: desc = "transport: Error while dialing: dial unix /srv/csi/csi.sock: connect: no such file or directory"',
    ],
    ['unknownFeatures', 'XFS (rbd0): Superblock has unknown read-only compatible features (0x4) enabled'],
    ['fileSystem', 'mount failed: exit status 32 Output: mount: wrong fs type, bad option, bad superblock on /dev/sdb'],
    [
      'helper',
      'mount: /x: bad option; for several filesystems (e.g. nfs, cifs) you might need a /sbin/mount.<type> helper program.',
    ],
    ['program', 'executable file not found in $PATH'],
    [
      'kernelModule',
      'mount failed: exit status 32 Mounting arguments: -t nfs 10.1.1.1:/exp /x Output: mount.nfs: No such device',
    ],
    ['kernelModule', 'mount error: cifs filesystem not supported by the system mount error(19): No such device'],
    [
      'kernelModule',
      'an error (exit status 1) occurred while running modprobe args: [ceph] stderr: modprobe: FATAL: Module ceph not found in directory /lib/modules/5.4',
    ],
    ['deviceMissing', 'rbd: map failed: (19) No such device'],
    [
      'program',
      'failed to execute: nsenter [--mount=/proc/1/ns/mnt iscsiadm --version], output , stderr nsenter: failed to execute iscsiadm: No such file or directory : exit status 127',
    ],
    [
      'unknownFeatures',
      'RBD image feature set mismatch. You can disable features unsupported by the kernel with "rbd feature disable". rbd: map failed: (6) No such device or address',
    ],
    ['notAttached', "rpc error: code = InvalidArgument desc = volume pvc-1 hasn't been attached yet"],
    ['notAttached', 'rpc error: code = NotFound desc = volume vol-1 is not attached to node i-a'],
    ['denied', 'mount error(126): Required key not available'],
    [
      'helper',
      'mount: /x: bad option; for several filesystems (e.g. nfs, cifs) you might need a /sbin/mount.nfs helper program.',
    ],
    ['options', 'rpc error: code = InvalidArgument desc = unknown mount option "x"'],
    ['busy', 'mount failed: exit status 32 ... already mounted or mount point busy.'],
    ['deviceMissing', 'timed out waiting for device /dev/disk/by-id/x'],
    ['deviceMissing', 'rpc error: code = NotFound desc = disk: 6000c29abcdef not attached to node'],
    [
      'deviceMissing',
      'Could not find attached VMDK "[ds1] kubevols/x.vmdk". Timeout waiting for mount paths to be created.',
    ],
    ['deviceMissing', 'Could not find attached PD "disk-1". Timeout waiting for mount paths to be created.'],
    ['denied', 'mount error(13): Permission denied'],
    ['network', 'mount.nfs: Connection timed out'],
    ['fuse', 'stat /var/lib/kubelet/x: transport endpoint is not connected'],
    ['device', 'blkid: input/output error'],
    ['gone', 'rpc error: code = NotFound desc = volume vol-1 not found'],
    ['mountFailed', 'mount failed: exit status 32'],
  ])('is %s', (id, text) => {
    expect(mountSenseOf(text)?.id).toBe(id);
  });

  it('is not guessed from a code alone', () => {
    expect(mountSenseOf('rpc error: code = InvalidArgument desc = volume capability is missing')).toBeUndefined();
  });

  it('is quoted without the wrapping, and not at length', () => {
    expect(ownWords('rpc error: code = Internal desc = rpc error: code = Unknown desc = no\n  luck')).toBe('no luck');
    expect(ownWords('x'.repeat(500)).length).toBeLessThan(170);
  });

  it('is quoted with what tells, however much comes before it', () => {
    expect(
      ownWords(
        stage(
          'rbd: map failed with error an error (exit status 13) occurred while running rbd args: [--id csi-rbd-node -m 10.0.0.1:6789 --keyfile=***stripped*** map kubernetes/csi-vol-135 --device-type krbd --options noudev], rbd error output: rbd: sysfs write failed\nrbd: map failed: (13) Permission denied',
        ),
      ),
    ).toMatch(/rbd: map failed: \(13\) Permission denied$/);
  });
});
