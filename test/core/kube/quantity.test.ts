import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addQuantities, bytesOf, compareQuantities, formatBytes, isQuantity } from '../../../src/core/kube/quantity.ts';

const suffix = fc.constantFrom(
  '',
  'Ki',
  'Mi',
  'Gi',
  'Ti',
  'n',
  'u',
  'm',
  'k',
  'M',
  'G',
  'T',
  'P',
  'E',
  'e3',
  'E-4',
  'e+9',
);
const amount = fc.tuple(fc.constantFrom('', '-', '+'), fc.nat(), fc.option(fc.nat(), { nil: undefined }), suffix);
const quantity = amount.map(
  ([sign, whole, fraction, unit]) => `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${unit}`,
);
const anyText = fc.oneof(quantity, fc.string(), fc.constant(undefined));

describe('isQuantity', () => {
  it.each([
    '0',
    '10Gi',
    '10G',
    '1e10',
    '1E10',
    '1e-3',
    '1E',
    '100m',
    '0.5Gi',
    '.5Gi',
    '5.Gi',
    '+1',
    '-1Ki',
    '1n',
    '2u',
    '12e+6',
  ])('takes %s', (text) => {
    expect(isQuantity(text)).toBe(true);
  });

  it.each([
    '',
    ' 1',
    '1 ',
    '1gi',
    '1GI',
    '1K',
    '1i',
    '1KiB',
    '10GB',
    '1e',
    '1e1.5',
    '1.1.1',
    '1,5',
    'ten',
    '--1',
    '0x10',
    '1e+',
    'Infinity',
    'NaN',
  ])('refuses "%s"', (text) => {
    expect(isQuantity(text)).toBe(false);
  });
});

describe('compareQuantities', () => {
  it.each([
    ['10G', '10Gi', -1],
    ['10Gi', '10G', 1],
    ['10G', '1e10', 0],
    ['1Gi', '1024Mi', 0],
    ['0.5Gi', '512Mi', 0],
    ['1.5Gi', '1536Mi', 0],
    ['100m', '0.1', 0],
    ['100m', '1', -1],
    ['1k', '1000', 0],
    ['1E', '1e18', 0],
    ['-1', '1n', -1],
    ['9007199254740993', '9007199254740992', 1],
    ['10000000000000000000001', '10000000000000000000000', 1],
  ])('%s against %s', (a, b, expected) => {
    expect(compareQuantities(a, b)).toBe(expected);
  });

  it('counts what is missing or unreadable as nought', () => {
    expect(compareQuantities(undefined, '0')).toBe(0);
    expect(compareQuantities('lots', undefined)).toBe(0);
    expect(compareQuantities(undefined, '1n')).toBe(-1);
  });

  it('rounds what is finer than a billionth up, as the API does', () => {
    expect(compareQuantities('0.1n', '1n')).toBe(0);
    expect(compareQuantities('1e-30', '1n')).toBe(0);
    expect(compareQuantities('0e-30', '0')).toBe(0);
  });

  it('caps binary quantities at the largest int64', () => {
    expect(bytesOf('8Ei')).toBe(2n ** 63n - 1n);
    expect(compareQuantities('100Ei', '9223372036854775807')).toBe(0);
  });

  it('survives absurd input', () => {
    expect(compareQuantities('1e999999999', '1e18')).toBe(1);
    expect(compareQuantities('1e-999999999', '1')).toBe(-1);
    expect(isQuantity('9'.repeat(1_000_000))).toBe(false);
  });

  it('is a total order', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, (a, b, c) => {
        expect(compareQuantities(a, a)).toBe(0);
        expect(compareQuantities(a, b) + compareQuantities(b, a)).toBe(0);
        if (compareQuantities(a, b) <= 0 && compareQuantities(b, c) <= 0)
          expect(compareQuantities(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });
});

describe('bytesOf', () => {
  it.each([
    ['10Gi', 10_737_418_240n],
    ['10G', 10_000_000_000n],
    ['0.5Gi', 536_870_912n],
    ['1.5', 2n],
    ['100m', 1n],
    ['1n', 1n],
    ['-1500m', -2n],
    ['0.1Ki', 103n],
    ['1e3', 1000n],
    ['nonsense', 0n],
    [undefined, 0n],
  ])('%s is %s', (text, bytes) => {
    expect(bytesOf(text)).toBe(bytes);
  });
});

describe('formatBytes', () => {
  it.each([
    [0n, '0'],
    [500n, '500'],
    [1000n, '1k'],
    [1024n, '1Ki'],
    [1_024_000n, '1000Ki'],
    [1_610_612_736n, '1536Mi'],
    [10_737_418_240n, '10Gi'],
    [1_000_000_000n, '1G'],
    [5_000_000_000_000n, '5T'],
    [10_737_418_241n, '10737418241'],
    [-1024n, '-1Ki'],
    [2n ** 60n, '1Ei'],
    [2n ** 63n, '9223372036854775808'],
  ])('%s is %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it('is read back as the same number', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
        fc.constantFrom(1n, 1000n, 1024n, 1024n ** 3n, 10n ** 9n),
        (count, unit) => {
          expect(bytesOf(formatBytes(count * unit))).toBe(count * unit);
        },
      ),
    );
  });
});

describe('addQuantities', () => {
  it.each([
    [[], '0'],
    [['10Gi'], '10Gi'],
    [['10Gi', '10Gi'], '20Gi'],
    [['1Gi', '512Mi'], '1536Mi'],
    [['0', '1Gi'], '1Gi'],
    [['1.5'], '1500m'],
    [['1G', '500M'], '1500M'],
    [['10Gi', '1G'], '11737418240'],
    [['12e6', '1'], '12000001'],
    [['12e6'], '12e6'],
    [['100m', '200m'], '300m'],
    [['1Gi', '100m'], '1073741824100m'],
    [['512', '256'], '768'],
    [['5', '-5'], '0'],
  ])('%j make %s', (texts, sum) => {
    expect(addQuantities(...texts)).toBe(sum);
  });

  it('passes over what is missing or unreadable', () => {
    expect(addQuantities(undefined, 'much', '1Gi')).toBe('1Gi');
  });

  it('gives an equal quantity whatever the order, which reads back exactly', () => {
    fc.assert(
      fc.property(quantity, quantity, (a, b) => {
        expect(compareQuantities(addQuantities(a, b), addQuantities(b, a))).toBe(0);
        expect(compareQuantities(addQuantities(a), a)).toBe(0);
      }),
    );
  });
});
