import { describe, expect, it } from 'vitest';
import { cutWords } from '../../../src/core/kube/cut-words.ts';

const before = 'a wrapping of the error '.repeat(12);

describe('words that are too long', () => {
  it('are left alone when they are short, in one line', () => {
    expect(cutWords(' no\n  luck ', 20)).toBe('no luck');
  });

  it('keep the part that tells, and what follows it', () => {
    const cut = cutWords(`${before}the disk is already used by instances/gke-a`, 160, /already used/);
    expect(cut).toMatch(/^…\S.*is already used by instances\/gke-a$/);
    expect(cut.length).toBeLessThanOrEqual(160);
    const middle = cutWords(`${before}permission denied ${before}`, 160, /permission denied/);
    expect(middle).toMatch(/^….*permission denied.*…$/);
    expect(middle.length).toBeLessThanOrEqual(160);
  });

  it('keep the words of the program that was called, where nothing tells', () => {
    expect(cutWords(`${before}"message": "the size is wrong", "target": "disks"`, 160)).toContain(
      '"the size is wrong"',
    );
    expect(cutWords(`${before}stderr: no monitor ${before}`, 160, /never said/)).toContain('stderr: no monitor');
  });

  it('keep the beginning, where the part that tells stands there or nowhere', () => {
    expect(cutWords(`permission denied: ${before}`, 160, /denied/)).toMatch(/^permission denied.*…$/);
    expect(cutWords('x'.repeat(500), 160)).toHaveLength(160);
  });

  it('keep the end of a part that is itself too long', () => {
    expect(cutWords(`mount -t nfs ${before}: No such device`, 160, /-t nfs[^]*no such device/i)).toMatch(
      /^….*No such device$/,
    );
  });
});
