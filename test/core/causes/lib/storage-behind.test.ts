import { describe, expect, it } from 'vitest';
import {
  addressed,
  listingOf,
  ownerOfStorage,
  rightsNeededBy,
} from '../../../../src/core/causes/lib/storage-behind.ts';

describe('the storage behind a driver', () => {
  it('is answered for by the owner of the cloud account', () => {
    expect(ownerOfStorage('ebs.csi.aws.com')).toBe('the AWS owner');
    expect(ownerOfStorage('mountpoint-s3.csi.aws.com')).toBe('the AWS owner');
    expect(ownerOfStorage('rook-ceph.cephfs.csi.ceph.com')).toBe('the Ceph team');
    expect(ownerOfStorage('csi.example.com')).toBeUndefined();
  });

  it('is named in advice, where it is known', () => {
    const advice = 'Ask the owner of the storage account to raise the limit.';
    expect(addressed(advice, 'csi.hetzner.cloud')).toBe(
      'Ask the owner of the Hetzner Cloud project to raise the limit.',
    );
    expect(addressed(advice, 'csi.example.com')).toBe(advice);
  });

  it('needs rights that the documentation of the driver names', () => {
    expect(rightsNeededBy('efs.csi.aws.com')).toContain('AmazonEFSCSIDriverPolicy');
    expect(rightsNeededBy('csi.example.com')).toBeUndefined();
  });

  it('lists what a parameter may name', () => {
    expect(listingOf('cinder.csi.openstack.org', 'type')).toBe('openstack volume type list');
    expect(listingOf('cinder.csi.openstack.org', 'other')).toBeUndefined();
  });
});
