import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sha256 } from '../../../src/core/kube/sha256.ts';

const oracle = (text: string): string => createHash('sha256').update(text).digest('hex');

it.each(['', 'abc', 'x'.repeat(55), 'x'.repeat(56), 'x'.repeat(64), 'ä€𝄞'])('hashes %j as Node does', (text) => {
  expect(sha256(text)).toBe(oracle(text));
});

it('hashes any text as Node does', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => sha256(text) === oracle(text)));
});
