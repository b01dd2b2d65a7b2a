import { readCommandLine } from '../../src/cli/command-line.ts';
import { manifest } from '../../src/cli/manifest.ts';

/** The words of a shell line up to a comment, a pipe, a redirection or the next command; quotes keep words together. */
export function shellWords(text: string): string[] {
  const words: string[] = [];
  for (const [token] of text.matchAll(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\|;&<>()])+|[|;&<>()]/g)) {
    if (/^[|;&<>()]$/.test(token) || token.startsWith('#')) break;
    words.push(token.replaceAll(/['"]/g, ''));
  }
  return words;
}

/** What follows `kubectl csi` in a line of code, for every time that it is there. */
export function commandLines(code: string): string[][] {
  return code
    .split(/(?<![\w/-])kubectl[ -]csi(?: |$)/)
    .slice(1)
    .map(shellWords)
    .filter(([first]) => first !== undefined && !/^[A-Z…]+$/.test(first));
}

/** What our own table of commands and flags says against a line. */
export function problemsOf(line: string): readonly string[] {
  const { command, own, any } = readCommandLine(
    line.split(' ').filter((word) => word !== '…'),
    manifest,
  );
  if (command === undefined) return any.values.has('version') ? [] : ['there is no such command'];
  return own.problems.map(({ type, flag }) => `${type} ${flag}`);
}
