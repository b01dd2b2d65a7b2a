import { describe, expect, it } from 'vitest';
import { notLargerTexts } from '../../../../../src/core/causes/lib/driver-error/senses/size.ts';

describe('a storage that calls the requested size too small', () => {
  it.each([
    'volume size is to small (invalid_input)',
    'volume size is too small',
    'requested capacity is too low for resize',
    'New size must be greater than current size',
  ])('has a volume that is as large already: %s', (text) => {
    expect(notLargerTexts.test(text)).toBe(true);
  });

  it.each([
    'volume size is too small, the minimum is 100 GiB',
    'size is too small: at least 32GiB for this tier',
    'cache is too small',
  ])('names a smallest size, or something else: %s', (text) => {
    expect(notLargerTexts.test(text)).toBe(false);
  });
});
