import { describe, expect, it } from 'vitest';
import { mayPass } from '../../../../../src/core/causes/lib/driver-error/grpc-codes.ts';
import { quote } from '../../../../../src/core/causes/lib/driver-error/quote.ts';
import { rpcWordsOf } from '../../../../../src/core/causes/lib/driver-error/resize-error.ts';

describe('the words of a driver in what the sidecars write', () => {
  it('takes the outer code, which decides, and the inner words, which tell', () => {
    const text =
      'failed to expand pvc with rpc error: code = Internal desc = could not resize: rpc error: code = NotFound desc = no such  disk';
    expect(rpcWordsOf(text)).toEqual({ code: 'Internal', words: 'no such disk' });
  });

  it('leaves out what the controllers put before errors without a code', () => {
    expect(rpcWordsOf('error expanding volume "shop/data" of plugin "kubernetes.io/rbd": disk is locked').words).toBe(
      'disk is locked',
    );
    expect(
      rpcWordsOf('Error expanding volume "shop/data" of plugin kubernetes.io/cinder : volume status is not available')
        .words,
    ).toBe('volume status is not available');
    expect(rpcWordsOf('resize volume "pv-1" by resizer "csi.example.com" failed: empty volume handle')).toEqual({
      code: undefined,
      words: 'empty volume handle',
    });
    expect(
      rpcWordsOf(
        'NodeExpandVolume.NodeExpandVolume failed to resize volume for volume "pv-1" : volume resizing failed for unknown reason',
      ).words,
    ).toBe('volume resizing failed for unknown reason');
  });

  it('knows which errors may pass by themselves', () => {
    expect(['DeadlineExceeded', 'Aborted', 'Unavailable'].every(mayPass)).toBe(true);
    expect(['Internal', 'OutOfRange', undefined].some(mayPass)).toBe(false);
  });

  it('cuts long words short', () => {
    expect(quote('x'.repeat(500)).length).toBeLessThan(150);
  });
});
