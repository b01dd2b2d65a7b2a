import { describe, expect, it } from 'vitest';
import { mountSenseOf, ownWords } from '../../../../../src/core/causes/lib/driver-error/node-sense.ts';

const stage = (desc: string): string =>
  `MountVolume.MountDevice failed for volume "pv" : rpc error: code = Internal desc = ${desc}`;

describe('what a driver means', () => {
  it.each([
    [
      'driverDown',
      'connection error: desc = "transport: Error while dialing: dial unix /srv/csi/csi.sock: connect: no such file or directory"',
    ],
    ['nodeService', 'iscsiadm: can not connect to iSCSI daemon (111)! (exit status 20)'],
    ['nodeService', 'mount.nfs: rpc.statd is not running but is required for remote locking.'],
    ['login', 'iscsiadm: initiator reported error (24 - iSCSI login failed due to authorization failure)'],
    ['names', 'mount.nfs: Failed to resolve server nfs.example.com: Name or service not known'],
    ['names', 'Failed to resolve "fs-1.efs.eu-west-1.amazonaws.com" - check that your file system ID is correct'],
    ['metadataServer', 'stderr: mount error: no mds (Metadata Server) is up. The cluster might be laggy'],
    ['state', 'failed to attach volume: Volume: 859123 is down: not in quorum'],
    ['kernelModule', '/dev/nvme-fabrics: No such file or directory: nvme_tcp kernel module is not loaded'],
    ['nfsVersion', 'mount.nfs: requested NFS version or transport protocol is not supported for /x'],
    ['exportMissing', 'mount.nfs: mounting 10.0.0.9:/exp failed, reason given by server: No such file or directory'],
    ['passphrase', 'cryptsetup: exit status 2: No key available with this passphrase.'],
    [
      'noProvider',
      'failed to mount secrets store objects for pod a/b, err: error connecting to provider "vault": provider not found: provider "vault"',
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
    ['helper', "mount failed: exit status 32 Output: mount: /x: unknown filesystem type 'nfs'."],
    ['unknownType', "mount failed: exit status 32 Output: mount: /x: unknown filesystem type 'xfs'."],
    [
      'mounted',
      "'fsck' found errors on device /dev/sdb but could not correct them: /dev/sdb is mounted. e2fsck: Cannot continue",
    ],
    [
      'apiForbidden',
      'secrets "x" is forbidden: User "system:serviceaccount:a:b" cannot get resource "secrets" in API group ""',
    ],
    ['apiMissing', 'SecretProviderClass.secrets-store.csi.x-k8s.io "vault" not found'],
    ['apiMissing', 'failed to get secret: secrets "login" not found'],
    ['credentials', 'mount failed: exit status 32: accountName() or accountKey is empty'],
    ['credentials', "missing ID field 'userID' in secrets"],
    [
      'action',
      'User: arn:aws:sts::1:assumed-role/x is not authorized to perform: elasticfilesystem:ClientMount on resource y',
    ],
    ['blocklist', 'rbd: map failed: (13) Permission denied; failed to blocklist client3363889: -13'],
    ['path', 'stat /var/lib/kubelet/plugins/x: no such file or directory'],
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
