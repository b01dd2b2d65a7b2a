import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sanitise } from '../../src/terminal/sanitise.ts';

describe('sanitise', () => {
  it.each([
    ['colours', '\u001b[1;31mred\u001b[0m', 'red'],
    ['cursor moves of C1', 'a\u009b2Jb', 'ab'],
    ['titles, ended by BEL or ST', '\u001b]0;title\u0007a\u001b]2;title\u001b\\b', 'ab'],
    ['links keep their text', '\u001b]8;;http://example.test\u0007text\u001b]8;;\u0007', 'text'],
    ['device control strings', 'a\u001bPq#0\u001b\\b', 'ab'],
    ['charset switches', 'a\u001b(0b', 'ab'],
    ['bidi overrides', 'abc\u202Etxt.exe\u2066\u2069', 'abctxt.exe'],
    ['zero-width and tags', 'a\u200bb\ufeffc\u{e0041}', 'abc'],
    ['backspaces', 'a\bb', 'ab'],
    ['line breaks of all kinds', 'a\r\nb\u2028c\u0085d\re', 'a b c d e'],
    ['an unclosed string stays readable', 'a\u001b]0;the rest', 'a0;the rest'],
    ['lone surrogates', 'a\ud800b', 'a\ufffdb'],
  ])('%s', (_name, text, expected) => {
    expect(sanitise(text)).toBe(expected);
  });

  it('leaves words, wide characters and emoji alone', () => {
    expect(sanitise('données 数据 👩‍💻 → ok')).toBe('données 数据 👩‍💻 → ok');
  });

  it('keeps line breaks where asked', () => {
    expect(sanitise('a\r\n  b\u001b[0m\n\tc', { newlines: true })).toBe('a\n  b\n    c');
  });

  it('gets through a megabyte of openings and blanks', () => {
    for (const piece of ['\u001b]', '\u009d', '\u001b[1;', ' ', '\n ', '\u001b(('])
      expect(sanitise(`${piece.repeat(500_000)} the end`)).toMatch(/end$/);
  });

  it('leaves nothing that a terminal obeys, whatever comes', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\u001b',
        '\u001b[',
        '\u009b',
        '\u001b]',
        '\u0007',
        '\u001b\\',
        '\u009c',
        '\u202e',
        '\r',
        '\n',
        '31m',
      ),
    );
    fc.assert(
      fc.property(
        fc.array(piece).map((pieces) => pieces.join('')),
        (text) => {
          expect(sanitise(text)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
        },
      ),
    );
  });
});
