import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attachmentName, nearNames, nearestName, sanitiseLeaseName } from '../../../src/core/kube/names.ts';

describe('nearestName', () => {
  it.each([
    ['fast-ssd', ['standard', 'fast_ssd'], 'fast_ssd'],
    ['Fast', ['fasd', 'fast'], 'fast'],
    ['fast.ssd', ['fastssd', 'fast-sdd'], 'fastssd'],
    ['standrad', ['standard', 'premium'], 'standard'],
    ['ebs.csi.aws.co', ['ebs.csi.aws.com', 'efs.csi.aws.com'], 'ebs.csi.aws.com'],
    ['data', ['logs', 'data-v2'], 'data-v2'],
    ['data-v2', ['data', 'cache'], 'data'],
    ['csi-hostpath', ['my-csi-hostpath'], 'my-csi-hostpath'],
    ['gp', ['gp3', 'io'], 'gp3'],
    ['data', ['data-v2', 'date'], 'date'],
  ])('for %s among %j is %s', (wanted, known, expected) => {
    expect(nearestName(wanted, known)).toBe(expected);
  });

  it.each([
    ['fast', ['standard', 'premium-rwo']],
    ['a', ['b', 'ab']],
    ['gp2', ['io1']],
    ['web', ['website', 'cobweb']],
    ['data', ['data']],
    ['', ['a', 'data']],
    ['fast', []],
  ])('is none for %s among %j', (wanted, known) => {
    expect(nearestName(wanted, known)).toBeUndefined();
  });
});

describe('nearNames', () => {
  it('lists three at most, the likeliest first', () => {
    expect(
      nearNames('fast-ssd', ['fast-ssd-2-old', 'fast-sdd', 'fast_ssd', 'fastssd1', 'slow', 'fast-ssd-v2-x']),
    ).toEqual(['fast_ssd', 'fast-sdd', 'fastssd1']);
  });

  it('does not depend on order or repetition', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', '-', '1'), maxLength: 6 });
    fc.assert(
      fc.property(word, fc.array(word), (wanted, known) => {
        expect(nearNames(wanted, [...known, ...known].reverse())).toEqual(nearNames(wanted, known));
      }),
    );
  });
});

describe('names that the components make', () => {
  it('makes a lease name of a driver name', () => {
    expect(sanitiseLeaseName('ebs.csi.aws.com')).toBe('ebs-csi-aws-com');
    expect(sanitiseLeaseName('external-attacher-leader-hostpath.csi.k8s.io')).toBe(
      'external-attacher-leader-hostpath-csi-k8s-io',
    );
    expect(sanitiseLeaseName('driver/')).toBe('driver-X');
    expect(sanitiseLeaseName('under_score')).toBe('under-score');
    expect(sanitiseLeaseName('Kept-1')).toBe('Kept-1');
    expect(sanitiseLeaseName('')).toBe('');
  });

  it('computes the name of an attachment', () => {
    expect(attachmentName('vol-1', 'ebs.csi.aws.com', 'node-a')).toBe(
      'csi-7ba6b8ed285c3c863d675c3b4567d68ede4307ae1a37202e02bf2c4b9f42f28b',
    );
  });
});
