import { describe, expect, it } from 'vitest';
import { explainOnly } from '../../src/core/causes/explain-only.ts';
import { everyRule } from '../../src/core/causes/index.ts';
import { matchText } from '../../src/core/causes/messages/match.ts';
import { forms } from './forms.ts';
import { knownMessages, laterMessages } from './known-messages.ts';
import { notStorage } from './not-storage.ts';
import { printScore } from './score.ts';
import { wholeOutputs } from './whole-outputs.ts';

const all = [...knownMessages, ...laterMessages, ...wholeOutputs];

describe('messages that operators meet', () => {
  it('are expected to have causes that exist', () => {
    const known = new Set([...everyRule(), ...explainOnly].map(({ cause }) => cause));
    expect(all.flatMap(({ causes }) => causes).filter((cause) => !known.has(cause))).toEqual([]);
    expect(new Set(all.map(({ message }) => message)).size).toBe(all.length);
  });

  it.each([
    ['messages', knownMessages, 230],
    ['messages that were written after the wordings', laterMessages, 60],
    ['whole outputs', wholeOutputs, 15],
  ] as const)('%s: the cause comes first in 95 % and within three in 99 %', (name, cases, fewest) => {
    const score = printScore(name, cases);
    expect(score.cases).toBeGreaterThanOrEqual(fewest);
    expect(score.first / score.cases).toBeGreaterThanOrEqual(0.95);
    expect(score.withinThree / score.cases).toBeGreaterThanOrEqual(0.99);
  });

  it.each(Object.entries(forms))('find the same cause as: %s', (_name, form) => {
    const found = knownMessages.filter(({ message, causes }) => causes.includes(matchText(message)[0]?.cause ?? ''));
    const lost = found.filter(({ message, causes }) => !causes.includes(matchText(form(message))[0]?.cause ?? ''));
    // A word that was broken at its hyphen or in two halves that are words cannot always be put together again.
    expect(lost.map(({ message }) => message).slice(4)).toEqual([]);
  });
});

describe('texts that are not about storage', () => {
  it('there are at least 50 of them', () => expect(notStorage.length).toBeGreaterThanOrEqual(50));

  it.each(notStorage)('name no cause with confidence: %s', (text) => {
    const sure = matchText(text).filter(
      ({ isSymptom, isPossible, when }) => !isSymptom && !isPossible && when === undefined,
    );
    expect(sure.map(({ cause }) => cause)).toEqual([]);
  });

  it('nor do they in the forms in which texts arrive', () => {
    const sure = Object.entries(forms).flatMap(([name, form]) =>
      notStorage
        .filter((text) =>
          matchText(form(text)).some(
            ({ isSymptom, isPossible, when }) => !isSymptom && !isPossible && when === undefined,
          ),
        )
        .map((text) => `${name}: ${text}`),
    );
    expect(sure).toEqual([]);
  });

  it('three of four match nothing at all', () => {
    expect(notStorage.filter((text) => matchText(text).length === 0).length / notStorage.length).toBeGreaterThan(0.75);
  });
});

describe('a long text', () => {
  const noise = Array.from(
    { length: 60_000 },
    (_, index) => `I1118 20:00:00.1 1 sync.go:7] synced item ${word(index)}`,
  );
  const error = 'E1118 20:00:00.1 1 x.go:9] storageclass.storage.k8s.io "gp33" not found';

  it.each([
    ['at its beginning', [error, ...noise]],
    ['in its middle', [...noise.slice(0, 30_000), error, ...noise.slice(30_000)]],
    ['at its end', [...noise, error]],
  ])('is read %s', (_place, lines) => {
    expect(matchText(lines.join('\n'))[0]?.cause).toBe('sc-missing');
  });

  it('may be a single line', () => {
    expect(matchText(`${noise.join(' ')} ${error} ${noise.join(' ')}`)[0]?.cause).toBe('sc-missing');
  });
});

/** Numbers alone would make all lines the same. */
function word(index: number): string {
  return index.toString(26).replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '');
}
