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

/** Texts that may hold such words, each with the reason. */
const exceptions: readonly (readonly [text: RegExp, reason: string])[] = [];

/** The string literals of a TypeScript file; comments are removed first. */
function literalsOf(path: string): string[] {
  const { code } = transformSync(readFileSync(path, 'utf8'), {
    loader: path.endsWith('x') ? 'tsx' : 'ts',
    minifyWhitespace: true,
    legalComments: 'none',
  });
  return code.match(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/gs) ?? [];
}

function findings(texts: readonly string[]): string[] {
  return texts
    .filter((text) => !exceptions.some(([allowed]) => allowed.test(text)))
    .flatMap((text) =>
      instead
        .filter(([words]) => words.test(text))
        .map(([words, better]) => `${words.exec(text)?.[0] ?? ''} (say: ${better}) in ${text.slice(0, 200)}`),
    );
}

describe('plain words in what a person reads', () => {
  it.each(globSync('src/**/*.{ts,tsx}').toSorted())('%s', (path) => {
    expect(findings(literalsOf(path))).toEqual([]);
  });
  it.each([...globSync('docs/**/*.md'), 'README.md', 'oclif.manifest.json'].toSorted())('%s', (path) => {
    expect(findings(readFileSync(path, 'utf8').split('\n'))).toEqual([]);
  });
});
