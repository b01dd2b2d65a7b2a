import { describe, expect, it } from 'vitest';
import { storageViewOf } from '../../../src/core/causes/lib/storage-view.ts';
import type { Volume } from '../../../src/core/kube/kinds.ts';

function volume(driver: string, volumeHandle: string): Volume {
  return { kind: 'PersistentVolume', metadata: { name: 'pvc-1' }, spec: { csi: { driver, volumeHandle } } };
}

describe('storageViewOf', () => {
  it('shows a volume of EBS with the command of AWS', () => {
    const handle = 'vol-0a1b2c3d4e5f60718';
    expect(storageViewOf('ebs.csi.aws.com', volume('ebs.csi.aws.com', handle))).toMatchObject({
      team: 'the owner of the AWS account',
      command: `aws ec2 describe-volumes --volume-ids ${handle}`,
    });
  });

  it.each(['csi.example.com', 'nfs.csi.k8s.io'])(
    'does not take a handle of %s for one of AWS by its form',
    (driver) => {
      expect(storageViewOf(driver, volume(driver, 'vol-0a1b2c3d4e5f60718'))).toEqual({ team: 'your storage team' });
    },
  );
});
