import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth, hang, wrapText } from '../../src/terminal/wrap.ts';

describe('wrapping', () => {
  it('breaks between words and keeps the gaps inside a line', () => {
    expect(wrapText('pvc/a  spec.x = 1 and more', 14)).toEqual(['pvc/a  spec.x', '= 1 and more']);
  });

  it('breaks a long word behind punctuation', () => {
    expect(wrapText('aaaaaaa/bbbbbb/cccccc', 10)).toEqual(['aaaaaaa/', 'bbbbbb/', 'cccccc']);
  });

  it('counts wide characters twice and never splits an emoji', () => {
    expect(wrapText('数据数据数据', 5)).toEqual(['数据', '数据', '数据']);
    expect(wrapText('👩‍💻👩‍💻👩‍💻', 4)).toEqual(['👩‍💻👩‍💻', '👩‍💻']);
  });

  it('hangs the following lines', () => {
    expect(hang('  1. ', 'one two three four', 15)).toEqual(['  1. one two', '     three four']);
  });

  it('fits and loses nothing, whatever comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 10, max: 40 }), (text, width) => {
        const lines = wrapText(text, width);
        for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        expect(lines.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
      }),
    );
  });
});
