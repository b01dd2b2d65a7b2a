import { describe, expect, it } from 'vitest';
import { readCommandLine } from '../../src/cli/command-line.ts';
import { manifest } from '../../src/cli/manifest.ts';
import { codeLines, inlineCode, pages, readPage } from './pages.ts';

/** The words of a shell line up to a comment, a pipe, a redirection or the next command; quotes keep words together. */
function shellWords(text: string): string[] {
  const words: string[] = [];
  for (const [token] of text.matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\|;&<>()])+|[|;&<>()]/g)) {
    if (/^[|;&<>()]$/.test(token) || token.startsWith('#')) break;
    words.push(token.replaceAll(/['"]/g, ''));
  }
  return words;
}

/** What follows `kubectl csi` in a line of code, for every time that it is there. */
function commandLines(code: string): string[][] {
  return code
    .split(/(?<![\w/-])kubectl[ -]csi(?: |$)/)
    .slice(1)
    .map(shellWords)
    .filter(([first]) => first !== undefined && !/^[A-Z…]+$/.test(first));
}

/** Within sentences, `probe --exec` stands for `kubectl csi probe --exec`. */
function shortForms(code: string): string[][] {
  const [first = '', ...rest] = shellWords(code);
  return Object.hasOwn(manifest.commands, first) && rest.some((word) => word.startsWith('-')) ? [[first, ...rest]] : [];
}

function problemsOf(line: string): readonly string[] {
  const { command, own, any } = readCommandLine(
    line.split(' ').filter((word) => word !== '…'),
    manifest,
  );
  if (command === undefined) return any.values.has('version') ? [] : ['there is no such command'];
  return own.problems.map(({ type, flag }) => `${type} ${flag}`);
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
