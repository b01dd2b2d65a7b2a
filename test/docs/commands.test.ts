import { describe, expect, it } from 'vitest';
import { manifest } from '../../src/cli/manifest.ts';
import { commandLines, problemsOf, shellWords } from './command-lines.ts';
import { codeLines, inlineCode, pages, readPage } from './pages.ts';

/** Within sentences, `probe --exec` stands for `kubectl csi probe --exec`. */
function shortForms(code: string): string[][] {
  const [first = '', ...rest] = shellWords(code);
  return Object.hasOwn(manifest.commands, first) && rest.some((word) => word.startsWith('-')) ? [[first, ...rest]] : [];
}

const unique = (lines: readonly string[][]): string[] => [...new Set(lines.map((words) => words.join(' ')))];
const onPages = (linesOf: (page: string) => readonly string[][]): (readonly [page: string, line: string])[] =>
  pages.flatMap((page) => unique(linesOf(readPage(page))).map((line) => [page, line] as const));

describe('command lines on pages', () => {
  const whole = onPages((page) => [...codeLines(page), ...inlineCode(page)].flatMap(commandLines));
  it('are found', () => {
    expect(whole.filter(([page]) => page === 'README.md').length).toBeGreaterThan(30);
  });
  it.each(whole)('%s: kubectl csi %s', (_page, line) => {
    expect(problemsOf(line)).toEqual([]);
  });
  it.each(onPages((page) => inlineCode(page).flatMap(shortForms)))('%s, in a sentence: %s', (_page, line) => {
    // A sentence may name a flag without a value for it.
    expect(problemsOf(line).filter((problem) => !problem.startsWith('missingValue'))).toEqual([]);
  });
});

describe('README.md', () => {
  const page = readPage('README.md');
  it.each(Object.keys(manifest.commands).filter((id) => !id.includes(' ')))('lists the command %s', (id) => {
    expect(page).toMatch(new RegExp(`^\\| .*\`${id}[\` ].*\\|$`, 'm'));
  });
  it('has the two lines to try it', () => {
    expect(codeLines(page)).toEqual(expect.arrayContaining(['npm ci && npm run demo', 'npm ci && npm test']));
  });
});
