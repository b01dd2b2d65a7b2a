import { describe, expect, it } from 'vitest';
import type { PresentClaim } from '../../../../src/core/facts/claim/claim-case.ts';
import { meantSize } from '../../../../src/core/causes/expand/unit-slip.ts';

function claimWith(capacity: string, request: string): PresentClaim {
  return { claim: { status: { capacity: { storage: capacity } } }, request } as unknown as PresentClaim;
}

describe('the size that a request with a slip of the unit means', () => {
  it.each([
    ['12Gi', '17Ti', '17Gi'],
    ['200Mi', '500Gi', '500Mi'],
    ['100G', '150T', '150G'],
    ['1Ti', '2Pi', '2Ti'],
  ])('from %s to %s is %s', (capacity, request, meant) => {
    expect(meantSize(claimWith(capacity, request))).toBe(meant);
  });

  it.each([
    ['500Gi', '1Ti'],
    ['12Gi', '12Ti'],
    ['1Gi', '17Ti'],
    ['12Gi', '20Gi'],
    ['900Gi', '2Ti'],
  ])('from %s to %s is what it says', (capacity, request) => {
    expect(meantSize(claimWith(capacity, request))).toBeUndefined();
  });
});
