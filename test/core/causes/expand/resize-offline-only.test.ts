import { describe, expect, it } from 'vitest';
import { rpcWordsOf } from '../../../../src/core/causes/lib/driver-error/resize-error.ts';
import { speaksOfUse } from '../../../../src/core/causes/lib/driver-error/in-use-words.ts';

const inUse = [
  'failed to expand pvc with rpc error: code = FailedPrecondition desc = volume is currently published on a node',
  'failed to expand pvc with rpc error: code = FailedPrecondition desc = stop it first',
  'resize volume "pv-1" by resizer "disk.csi.azure.com" failed: rpc error: code = Internal desc = failed to resize disk(/subscriptions/s/disks/d) with error(azureDisk - disk resize is only supported on Unattached disk, current disk state: Attached, already attached to /subscriptions/s/vm)',
  'failed to expand pvc with rpc error: code = Internal desc = Could not resize volume "v" to size 2: Bad request with: [POST https://cinder/action], error message: {"badRequest": {"message": "Invalid volume: Volume v status must be available to extend, currently in-use."}}',
  'failed to expand pvc with rpc error: code = Internal desc = volume is attached to a node; online expansion is not supported',
  'Unable to expand shop/data because CSI driver csi.example.com only supports offline expansion and volume is currently in-use',
  'Error expanding volume "shop/data" of plugin kubernetes.io/cinder : volume status is not available',
];

const otherwise = [
  'failed to expand pvc with rpc error: code = Internal desc = the array must be available to extend a volume',
  'failed to expand pvc with rpc error: code = Internal desc = the cluster lock is currently in use',
  'failed to expand pvc with rpc error: code = FailedPrecondition desc = volume v with existing snapshots [s1] cannot be expanded, please delete snapshots before expanding the volume',
  'failed to expand pvc with rpc error: code = FailedPrecondition desc = volume v is being migrated',
  'failed to expand pvc with rpc error: code = Internal desc = disk is attached to vm-1; resize failed: quota exceeded',
  'failed to expand pvc with rpc error: code = ResourceExhausted desc = the pool is full',
  'error expanding volume "shop/data" of plugin "kubernetes.io/rbd": disk is locked',
];

describe('a driver that wants the volume unused', () => {
  it.each(inUse)('is told by %s', (text) => {
    expect(speaksOfUse({ ...rpcWordsOf(text), text })).toBe(true);
  });

  it.each(otherwise)('is not told by %s', (text) => {
    expect(speaksOfUse({ ...rpcWordsOf(text), text })).toBe(false);
  });
});
