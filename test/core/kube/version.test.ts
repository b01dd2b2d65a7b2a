import { describe, expect, it } from 'vitest';
import { atLeast, parseServerVersion } from '../../../src/core/kube/version.ts';

describe('parseServerVersion', () => {
  it.each([
    ['v1.36.4', 1, 36],
    ['v1.32.3-eks-abc', 1, 32],
    ['v1.27+', 1, 27],
    ['v1.29.4-gke.1043002', 1, 29],
    ['v1.31.5+k3s1', 1, 31],
    ['1.30', 1, 30],
    ['v1.37.0-alpha.1', 1, 37],
  ])('reads %s', (text, major, minor) => {
    expect(parseServerVersion(text)).toEqual({ major, minor });
  });

  it.each([undefined, '', 'v1', 'latest', 'v1.x', 'version v1.30.0', 'v1.30x'])('reads no version from %s', (text) => {
    expect(parseServerVersion(text)).toBeUndefined();
  });
});

describe('atLeast', () => {
  it('compares numbers, not text', () => {
    const version = parseServerVersion('v1.36.4');
    expect(atLeast(version, 1, 36)).toBe(true);
    expect(atLeast(version, 1, 9)).toBe(true);
    expect(atLeast(version, 1, 37)).toBe(false);
    expect(atLeast(version, 2, 0)).toBe(false);
    expect(atLeast({ major: 2, minor: 0 }, 1, 99)).toBe(true);
  });

  it('does not guess', () => {
    expect(atLeast(undefined, 1, 20)).toBeUndefined();
  });
});
