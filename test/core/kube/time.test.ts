import { describe, expect, it } from 'vitest';
import { ageText, parseTime, secondsBetween } from '../../../src/core/kube/time.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

describe('parseTime', () => {
  it.each([
    ['2024-05-01T12:00:00Z', Date.UTC(2024, 4, 1, 12)],
    ['2024-05-01T14:00:00+02:00', Date.UTC(2024, 4, 1, 12)],
    ['2024-05-01T12:00:00.123456Z', Date.UTC(2024, 4, 1, 12, 0, 0, 123)],
    ['2024-05-01T12:00:00.123456789Z', Date.UTC(2024, 4, 1, 12, 0, 0, 123)],
    ['2024-02-29T00:00:00Z', Date.UTC(2024, 1, 29)],
  ])('reads %s', (text, expected) => {
    expect(parseTime(text)).toBe(expected);
  });

  it.each([
    undefined,
    '',
    'yesterday',
    '2024',
    '2024-05-01',
    '2024-05-01 12:00:00Z',
    '2024-05-01T12:00:00',
    '2024-13-01T00:00:00Z',
    '2023-02-29T00:00:00Z',
    '2024-06-31T00:00:00Z',
    '2024-05-01T25:00:00Z',
    '0001-01-01T00:00:00Z',
  ])('takes no time from %s', (text) => {
    expect(parseTime(text)).toBeUndefined();
  });
});

describe('ageText', () => {
  it.each([
    [0, '0s'],
    [45 * second, '45s'],
    [45 * second + 999, '45s'],
    [119 * second, '119s'],
    [2 * minute, '2m'],
    [9 * minute + 59 * second, '9m59s'],
    [10 * minute + 5 * second, '10m'],
    [14 * minute, '14m'],
    [179 * minute + 59 * second, '179m'],
    [3 * hour, '3h'],
    [3 * hour + 12 * minute, '3h12m'],
    [7 * hour + 59 * minute, '7h59m'],
    [8 * hour + 30 * minute, '8h'],
    [47 * hour + 59 * minute, '47h'],
    [48 * hour, '2d'],
    [5 * day, '5d'],
    [5 * day + 3 * hour, '5d3h'],
    [8 * day + 23 * hour, '8d'],
    [2 * year - 1, '729d'],
    [2 * year, '2y'],
    [2 * year + 30 * day, '2y30d'],
    [8 * year + 30 * day, '8y'],
    [-1500, '0s'],
    [-2 * second, '<invalid>'],
    [Number.NaN, '<invalid>'],
  ])('%d ms is %s', (milliseconds, text) => {
    const from = Date.UTC(2020, 0, 1);
    expect(ageText(from, from + milliseconds)).toBe(text);
  });
});

describe('secondsBetween', () => {
  it('counts whole seconds either way', () => {
    expect(secondsBetween(1000, 4999)).toBe(3);
    expect(secondsBetween(4999, 1000)).toBe(-3);
    expect(secondsBetween(500, 0)).toBe(0);
  });
});
