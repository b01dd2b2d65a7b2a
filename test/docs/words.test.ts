import { globSync, readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';

/** Words that a tired reader has to translate, and what to write instead. */
const instead: readonly (readonly [words: RegExp, better: string])[] = [
  [/\blook which\b/i, 'list, check which … exist'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix, repair'],
  [/\b(?:make|makes|made) (?:it |them )?again\b/i, 'recreate'],
  [/\bby itself\b|\bby themselves\b/i, 'automatically'],
  [/\btells\b|\b(?:is|are|was|were) told\b/i, 'reports, shows'],
  [/\b(?:has|have) trouble\b/i, 'is degraded, is failing'],
  [/\b(?:nobody|somebody)\b/i, 'the component, no controller'],
  [/\bfor want of\b/i, 'without'],
  [/\bin (?:the )?place of\b/i, 'instead of'],
  [/\bbeside\b/i, 'next to'],
  [/\bask(?:s|ed)? after\b/i, 'query, probe'],
  [/\b(?:stands|lies) (?:in|on|under|there)\b/i, 'is'],
  [/\bthe newest\b|\bthe odd ones\b/i, 'the latest, outliers'],
  [/\bwhich is no fault\b/i, '(expected)'],
  [/\bcould not be looked at\b/i, 'could not be read'],
];

/** The string literals of a TypeScript file, without its comments. */
function literalsOf(path: string): string[] {
  return bareCode(path).match(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/gs) ?? [];
}

/** All of the code, for texts inside of `${…}` too, except for names in it that are never read on a screen. */
function codeOf(path: string): string {
  return bareCode(path).replaceAll(/\b(?:beside|tells)\b/g, '');
}

function bareCode(path: string): string {
  const loader = path.endsWith('x') ? 'tsx' : 'ts';
  return transformSync(readFileSync(path, 'utf8'), { loader, minifyWhitespace: true, legalComments: 'none' }).code;
}

function findings(texts: readonly string[]): string[] {
  return texts.flatMap((text) =>
    instead
      .filter(([words]) => words.test(text))
      .map(([words, better]) => `${words.exec(text)?.[0] ?? ''} (say: ${better}) in ${text.slice(0, 200)}`),
  );
}

describe('plain words in what a person reads', () => {
  it.each(globSync('src/**/*.{ts,tsx}').toSorted())('%s', (path) => {
    expect(findings([...literalsOf(path), codeOf(path)])).toEqual([]);
  });
  it.each([...globSync('docs/**/*.md'), 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'oclif.manifest.json'].toSorted())('%s', (path) => {
    expect(findings(readFileSync(path, 'utf8').split('\n'))).toEqual([]);
  });
});
