import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/core/kube/errors.ts';
import { isLabelKey, isLabelValue } from '../../../src/core/kube/selector-text.ts';
import { matchesLabelSelector, parseLabelSelector } from '../../../src/core/kube/selectors.ts';

const selects = (text: string, labels: Record<string, string>) =>
  matchesLabelSelector(parseLabelSelector(text), labels);

describe('parseLabelSelector', () => {
  it('reads every form that kubectl takes', () => {
    expect(parseLabelSelector('a=b,c!=d,e in (x,y),f notin (z),g,!h,i==j,k>5,l<6')).toEqual({
      matchLabels: { a: 'b', i: 'j' },
      matchExpressions: [
        { key: 'c', operator: 'NotIn', values: ['d'] },
        { key: 'e', operator: 'In', values: ['x', 'y'] },
        { key: 'f', operator: 'NotIn', values: ['z'] },
        { key: 'g', operator: 'Exists', values: [] },
        { key: 'h', operator: 'DoesNotExist', values: [] },
        { key: 'k', operator: 'Gt', values: ['5'] },
        { key: 'l', operator: 'Lt', values: ['6'] },
      ],
    });
  });

  it('selects everything when empty', () => {
    expect(parseLabelSelector('')).toEqual({});
    expect(parseLabelSelector('  ')).toEqual({});
  });

  it.each([
    ['app.kubernetes.io/name=web', { 'app.kubernetes.io/name': 'web' }, true],
    [' a = b , c ', { a: 'b', c: '' }, true],
    ['a=', { a: '' }, true],
    ['a=', {}, false],
    ['a=,b=1', { a: '', b: '1' }, true],
    ['a!=', { a: '' }, false],
    ['a!=b', {}, true],
    ['a notin (b)', {}, true],
    ['a in ()', { a: '' }, true],
    ['a in (x,,y)', { a: '' }, true],
    ['a in (x,)', { a: '' }, true],
    ['in in (in,notin)', { in: 'notin' }, true],
    ['notin', { notin: '1' }, true],
    ['a in(b)', { a: 'b' }, true],
    ['!a', {}, true],
    ['! a', { a: '' }, false],
    ['a=b,a=c', { a: 'b' }, false],
    ['a=b,a=c', { a: 'c' }, false],
    ['a>5', { a: '6' }, true],
    ['a>5', { a: '5' }, false],
    ['a<5', { a: 'x' }, false],
    ['toString', {}, false],
  ])('"%s" over %j is %s', (text, labels, expected) => {
    expect(selects(text, labels as Record<string, string>)).toBe(expected);
  });

  it.each([
    ['a b', 'expected one of =, !=, in, notin, <, > after "a", but found "b"'],
    ['a in x', 'expected an opening parenthesis, but found "x"'],
    ['a in', 'expected an opening parenthesis, but it ends there'],
    ['a in (x', 'expected a comma or a closing parenthesis, but it ends there'],
    ['a in (x y)', 'expected a comma or a closing parenthesis, but found "y"'],
    ['a,', 'nothing follows the last comma'],
    [',a', 'expected a label key, but found ","'],
    ['a,,b', 'expected a label key, but found ","'],
    ['=b', 'expected a label key, but found "="'],
    ['!', 'expected a label key, but it ends there'],
    ['!a=b', 'expected a comma, but found "="'],
    ['a===b', 'expected a value, but found "="'],
    ['a=b c', 'expected a comma, but found "c"'],
    ['a=(b)', 'expected a value, but found "("'],
    ['-a=b', '"-a" is not a label key'],
    ['a/b/c', '"a/b/c" is not a label key'],
    ['a=b/c', '"b/c" is not a label value'],
    ['a>many', '"many" is not a whole number'],
    ['a>', '"" is not a whole number'],
  ])('refuses "%s" with a reason', (text, why) => {
    expect(() => parseLabelSelector(text)).toThrow(`cannot read the label selector "${text}": ${why}`);
  });

  it('never fails in another way', () => {
    const symbol = fc.constantFrom(
      'a',
      'b/c',
      '=',
      '==',
      '!',
      '!=',
      'in',
      'notin',
      '(',
      ')',
      ',',
      ' ',
      '<',
      '5',
      '\u{1F600}',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(symbol).map((symbols) => symbols.join('')),
        ),
        (text) => {
          try {
            parseLabelSelector(text);
          } catch (error) {
            expect(error).toBeInstanceOf(UserError);
          }
        },
      ),
    );
  });
});

describe('labels', () => {
  it('knows a key from what is none', () => {
    expect(['a', 'A_b.c-1', 'example.com/name', `${'d'.repeat(250)}.io/${'n'.repeat(63)}`].map(isLabelKey)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(['', '/', 'a/', '/a', 'A.com/name', 'a b', 'a.', `n${'n'.repeat(63)}`].some(isLabelKey)).toBe(false);
  });

  it('knows a value from what is none', () => {
    expect(['', '1', 'v1.2_3-x', 'n'.repeat(63)].every(isLabelValue)).toBe(true);
    expect(['-', '.a', 'a b', 'a\n', 'n'.repeat(64)].some(isLabelValue)).toBe(false);
  });
});
