import { describe, expect, it } from 'vitest';
import { deletionSenseOf } from '../../../../../src/core/causes/lib/driver-error/deletion-sense.ts';

describe('why a volume is not deleted', () => {
  it.each([
    'snapshot operation in progress on the volume',
    'a snapshot of volume vol-1 is still being created',
    'clone of volume vol-1 is running',
  ])('a job that ends, for which nothing has to be deleted: %s', (text) => {
    expect(deletionSenseOf(text)).toMatchObject({
      meaning: 'The backend is still busy with it.',
      cure: 'Wait for the operation in the backend to end.',
    });
    expect(deletionSenseOf(text).mayBeSnapshots).toBeUndefined();
  });

  it.each([
    'apparently the pool has gone',
    'child process exited with status 1',
    'failed to open the parent directory',
  ])('no other volume is to blame: %s', (text) => {
    expect(deletionSenseOf(text).areClones).toBeUndefined();
  });

  it('names snapshots and clones where the words do', () => {
    expect(deletionSenseOf('volume vol-1 has snapshots').mayBeSnapshots).toBe(true);
    expect(deletionSenseOf('image has 2 children').areClones).toBe(true);
    expect(deletionSenseOf('volume has dependent clones').areClones).toBe(true);
  });

  it('tells a lock of an owner from one that a program takes', () => {
    expect(deletionSenseOf('the resource has a delete lock').meaning).toContain('protects it');
    expect(deletionSenseOf('failed to acquire delete lock on vol-1').meaning).not.toContain('protects it');
  });

  it('does not read use into the name of a volume', () => {
    const text = 'archive failed with rename /tmp/a/test-busybox /tmp/b/test-busybox: no such file or directory';
    expect(deletionSenseOf(text).meaning).toBe(
      'The directory of the volume, or the one above its new name, does not exist.',
    );
    expect(deletionSenseOf('rpc error: code = Internal desc = cannot delete pvc-busybox').meaning).not.toContain(
      'in use',
    );
    expect(deletionSenseOf('rpc error: code = Internal desc = device is busy').meaning).toContain('in use');
  });
});
