import { describe, expect, it } from 'vitest';
import { parseGoDuration } from '../../../src/core/kube/duration.ts';

describe("a duration as Go's time.ParseDuration reads it", () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['1m30s', 90_000],
    ['1.5h', 5_400_000],
    ['1h2m3s4ms', 3_723_004],
    ['0s', 0],
  ])('%s', (text, milliseconds) => {
    expect(parseGoDuration(text)).toBe(milliseconds);
  });
  it.each(['', '30', '1.5', 's', '-5s', '5 s', '5s ', '1m1', '1d', 'five'])('is not "%s"', (text) => {
    expect(parseGoDuration(text)).toBeUndefined();
  });
});
