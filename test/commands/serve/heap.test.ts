import { describe, expect, it } from 'vitest';
import { heapLimit } from '../../../src/commands/serve/heap.ts';

const mebibyte = 1024 * 1024;
const machine = 16_384 * mebibyte;

describe('the memory that the thread which reads may use', () => {
  it('leaves room for the rest of the program in a container', () => {
    expect(heapLimit(1024 * mebibyte, machine)).toBe(832);
    expect(heapLimit(512 * mebibyte, machine)).toBe(320);
  });

  it('is enough for a small cluster in any container', () => {
    expect(heapLimit(128 * mebibyte, machine)).toBe(128);
  });

  it('is left to V8 where nothing is limited', () => {
    // Node.js reports the largest number that there is, or none, where there is no limit.
    for (const bytes of [undefined, 0, 2 ** 64, machine]) expect(heapLimit(bytes, machine)).toBeUndefined();
  });
});
