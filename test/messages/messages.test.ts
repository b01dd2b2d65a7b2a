import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { explainOnly } from '../../src/core/causes/explain-only.ts';
import { everyRule } from '../../src/core/causes/index.ts';
import { allWordings, matchText } from '../../src/core/causes/messages/match.ts';
import { describedWordings } from '../../src/core/causes/messages/wordings/described.ts';
import { pageMessages } from './page-messages.ts';
import { ofAnotherFault, scenarioMessages } from './scenario-messages.ts';
import { printScore } from './score.ts';

describe('the causes of a text', () => {
  it('come first in 95 % and within three in 99 % of the events of all scenarios', () => {
    const score = printScore('scenarios', scenarioMessages());
    expect(score.cases).toBeGreaterThan(250);
    expect(score.first / score.cases).toBeGreaterThanOrEqual(0.95);
    expect(score.withinThree / score.cases).toBeGreaterThanOrEqual(0.99);
    expect(score.symptoms / (score.cases + score.symptoms)).toBeLessThan(0.1);
  });

  it('come first in 80 % and within three in 90 % of what the pages quote, which are parts of messages without names', () => {
    const score = printScore('pages', pageMessages());
    expect(score.cases).toBeGreaterThan(150);
    expect(score.first / score.cases).toBeGreaterThanOrEqual(0.8);
    expect(score.withinThree / score.cases).toBeGreaterThanOrEqual(0.9);
  });

  it('excuse only events that exist, each with a reason', () => {
    const events = readdirSync('test/scenarios')
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => [file, readFileSync(`test/scenarios/${file}`, 'utf8')] as const);
    for (const [scenario, words, , why] of ofAnotherFault) {
      expect(why).not.toBe('');
      const own = events.filter(([file]) => file.replace(/(?:--.*)?\.yaml$/, '') === scenario);
      expect(
        own.some(([, text]) => new RegExp(words.source.replace('$', '')).test(text)),
        scenario,
      ).toBe(true);
    }
  });
});

describe('the wordings', () => {
  const known = new Set([...everyRule(), ...explainOnly].map(({ cause }) => cause));
  it('name causes that exist, each once', () => {
    for (const { pattern, readings } of [...allWordings, ...describedWordings]) {
      const causes = readings.map(({ cause }) => cause);
      expect(new Set(causes).size, String(pattern)).toBe(causes.length);
      expect(causes.filter((cause) => !known.has(cause) && cause !== 'in-progress')).toEqual([]);
      expect(
        readings.every(({ when }) => readings.length === 1 || when),
        String(pattern),
      ).toBe(true);
    }
  });

  it('do not hold names of a test: no pattern has a name that only scenarios have', () => {
    const names = /csi\.example\.com|pvc-7d0c4a10|vol-7d0c|array-login|node-a\b|nightly|data-db/;
    expect(allWordings.filter(({ pattern }) => names.test(pattern.source))).toEqual([]);
  });

  it.each([
    'Successfully assigned shop/web-0 to node-b',
    'AttachVolume.Attach succeeded for volume "pvc-1"',
    'I1118 20:00:00.000000 1 controller.go:1348] "Started provisioning" pvc="shop/data-0"',
    'Container image "nginx" already present on machine',
    'The quick brown fox jumps over the lazy dog',
    '0123456789',
  ])('find nothing in %s', (text) => {
    expect(matchText(text)).toEqual([]);
  });
});
