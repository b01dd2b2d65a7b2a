import { describe, expect, it } from 'vitest';
import { mountSenseOf, ownWords } from '../../../../../src/core/causes/lib/driver-error/node-sense.ts';
import { programIn } from '../../../../../src/core/causes/lib/driver-error/senses/node-programs.ts';
import { machineIdentityIn } from '../../../../../src/core/causes/lib/driver-error/senses/identity.ts';
import {
  mountedDirectoryIn,
  unmountedVolumesIn,
} from '../../../../../src/core/causes/lib/driver-error/sentences/pod-volumes.ts';

describe('words that prove more than the general ones they contain', () => {
  it.each([
    ['podSpec', 'the webhook failed to inject the sidecar container into the Pod spec'],
    ['podSpec', 'mount agent was not injected into this pod'],
    ['podSpec', 'the webhook did not inject the proxy container'],
    ['accessType', 'Volume capability access type must be mount'],
    ['accessType', 'rpc error: code = InvalidArgument desc = access type has to be block'],
    ['accessType', 'block volume mode is not supported'],
    ['commandMissing', 'iscsi: error adding node record to db: exit status 127'],
    ['commandMissing', 'attach script ended, exit code: 127'],
    ['unknownFeatures', 'rbd: sysfs write failed rbd: map failed: (95) Operation not supported'],
    ['damaged', 'mount /dev/mapper/vg-lv on /x failed: Structure needs cleaning'],
    ['damaged', 'XFS (dm-3): Corruption of in-memory data detected'],
    ['damaged', 'mount failed: EUCLEAN'],
    ['drbd', 'failed to set source device readwrite: exit status 1'],
    ['drbd', 'State change failed: (-1) Multiple primaries not allowed by config'],
    ['drbd', 'drbdadm primary data: exit status 17'],
    ['formatFailed', 'could not format "/x/globalmount" and mount it at "/x/disk.vhd"'],
    ['fenced', 'rbd: sysfs write failed rbd: map failed: (108) Cannot send after transport endpoint shutdown'],
    ['gone', 's3fs: bucket logs does not exist'],
    ['gone', 'ListObjects failed: NoSuchBucket'],
    ['credentials', 'failed to acquire token, error: MSI not available'],
    ['multipath', 'multipath device mpatha: no usable paths'],
    ['readOnly', 'mount: /x: cannot mount /dev/sdb read-only.'],
    ['sidecarMemory', 'gcsfuse sidecar container crashed: OOMKilled'],
    ['helperPod', 'timed out waiting for mount point pod to be ready'],
    ['helperPod', 'share-manager is not running'],
    ['formatFailed', 'formatting the disk /dev/sdc failed'],
    [
      'unresolvedTarget',
      'Failed to resolve "fs-01.efs.eu-west-1.amazonaws.com" User: arn:aws:sts::1:assumed-role/r/s is not authorized to perform: elasticfilesystem:DescribeMountTargets on x',
    ],
  ])('%s: %s', (id, text) => {
    expect(mountSenseOf(`rpc error: code = Internal desc = ${text}`)?.id).toBe(id);
  });

  it.each([
    ['program', 'exec: "mkfs.xfs": executable file not found in $PATH'],
    ['program', 'sh: line 1: iscsiadm: command not found, exit status 127'],
    [
      'action',
      'User: arn:aws:sts::1:assumed-role/r/s is not authorized to perform: elasticfilesystem:DescribeMountTargets',
    ],
    ['names', 'Failed to resolve "fs-01.efs.eu-west-1.amazonaws.com" - check that your file system ID is correct'],
    ['fileSystem', 'wrong fs type, bad option, bad superblock on /dev/vde'],
    ['unknownFeatures', 'Superblock has unknown read-only compatible features (0x4) enabled'],
    ['smbVersion', 'mount error(95): Operation not supported'],
    ['blocklist', 'rbd: sysfs write failed rbd: map failed: (13) Permission denied'],
    ['exit', 'exit status 1'],
    ['fuse', 'stat /x: transport endpoint is not connected'],
    ['denied', 'Access Denied to bucket logs'],
    ['readOnly', 'mkdir /x: read-only file system'],
    ['mountFailed', 'mount failed: exit status 32'],
  ])('stays %s: %s', (id, text) => {
    expect(mountSenseOf(`rpc error: code = Internal desc = ${text}`)?.id).toBe(id);
  });

  it('does not take an access mode for an access type', () => {
    expect(mountSenseOf('rpc error: code = InvalidArgument desc = access mode must be one of RWO')?.id).not.toBe(
      'accessType',
    );
  });
});

describe('the program of a node plugin that failed', () => {
  it.each([
    ['cryptsetup', 'failed to run cryptsetup args: [luksOpen /dev/x y] output:  error: exit status 1'],
    ['rbd', 'an error (exit status 6) occurred while running rbd args: [map p/i]'],
    ['lvchange', 'lvchange -ay vg/lv: exit status 5'],
    ['mkfs.xfs', 'mkfs.xfs -f /dev/sdb: exit status 1'],
  ])('%s', (program, text) => {
    expect(programIn(text)).toBe(program);
  });

  it.each(['exit status 1', 'driver rbd.csi.ceph.com answered exit status 2', 'the rbd volume is away: exit status 2'])(
    'none in: %s',
    (text) => {
      expect(programIn(text)).toBeUndefined();
    },
  );

  it('is named in what the words prove, with what its code means', () => {
    const sense = mountSenseOf(
      'rpc error: code = Internal desc = failed to run cryptsetup args: [luksOpen /dev/x y] output:  error: exit status 1',
    );
    expect(sense?.meaning).toContain(
      'cryptsetup ended with exit status 1 (wrong parameters; a wrong passphrase would be 2)',
    );
  });
});

describe('the identity of a machine', () => {
  it.each([
    ['NodeRole', 'User: arn:aws:sts::111122223333:assumed-role/NodeRole/i-0471c9c18272a3ec2 is not authorized'],
    [
      '1234-compute@developer.gserviceaccount.com',
      '1234-compute@developer.gserviceaccount.com does not have storage.objects.list access',
    ],
    [undefined, 'User: arn:aws:sts::111122223333:assumed-role/driver/botocore-session-1 is not authorized'],
    [undefined, 'csi@project.iam.gserviceaccount.com does not have storage.objects.list access'],
  ])('%s', (identity, text) => {
    expect(machineIdentityIn(text)).toBe(identity);
  });
});

describe('directories and lists of the kubelet', () => {
  it('finds the pod in whose directory a device is mounted, whatever the root directory', () => {
    expect(
      mountedDirectoryIn(
        'device already mounted at [/data/k/pods/7f3fc9cd-5e94-4d32-9e59-3ae0caa41fc4/volumes/kubernetes.io~csi/pv-1/mount /host/x]',
      ),
    ).toEqual({
      path: '/data/k/pods/7f3fc9cd-5e94-4d32-9e59-3ae0caa41fc4/volumes/kubernetes.io~csi/pv-1/mount',
      uid: '7f3fc9cd-5e94-4d32-9e59-3ae0caa41fc4',
      volume: 'pv-1',
    });
    expect(mountedDirectoryIn('device already mounted at /var/lib/kubelet/plugins/x/globalmount')).toBeUndefined();
  });

  it('reads which volumes are not mounted, unless they were not looked at yet', () => {
    expect(
      unmountedVolumesIn('unmounted volumes=[data logs], unattached volumes=[data logs token]: timed out'),
    ).toEqual(['data', 'logs']);
    expect(
      unmountedVolumesIn('unmounted volumes=[data], unattached volumes=[], failed to process volumes=[data]: x'),
    ).toBeUndefined();
  });
});

describe('what a program adds to every error', () => {
  it('leaves the quote: notices of amazon-efs-utils, and the echo of PowerShell', () => {
    expect(
      ownWords(
        "rpc error: code = Internal desc = mount failed: exit status 32 Mounting command: mount Mounting arguments: -t efs fs-1:/ /x Output: b'mount.nfs4: access denied by server while mounting 127.0.0.1:/' Warning: config file does not have fips_mode_enabled item in section mount.. You should be able to find",
      ),
    ).not.toContain('fips');
    expect(
      ownWords(
        String.raw`rpc error: code = Unknown desc = NewSmbGlobalMapping failed. output: "New-SmbGlobalMapping : The network path was not found. \r\nAt line:1 char:190\r\n+ ... ser\r\n    + FullyQualifiedErrorId : Windows System Error 53,New-SmbGlobalMapping\r\n \r\n", err: exit status 1`,
      ),
    ).toContain('The network path was not found. (Windows System Error 53)');
  });
});
