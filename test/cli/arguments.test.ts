import { describe, expect, it } from 'vitest';
import { canonicalArguments, readFlags, splitArguments } from '../../src/cli/arguments.ts';
import type { FlagShape } from '../../src/cli/arguments.ts';
import { readCommandLine } from '../../src/cli/command-line.ts';
import { manifest } from '../../src/cli/manifest.ts';

const flags: readonly FlagShape[] = [
  { name: 'namespace', type: 'option', char: 'n' },
  { name: 'all-namespaces', type: 'boolean', char: 'A' },
  { name: 'watch', type: 'boolean', char: 'w' },
  { name: 'from', type: 'option', multiple: true },
  { name: 'v', type: 'option', char: 'v' },
  { name: 'color', type: 'option', aliases: ['colour'] },
];
const canonical = (...argv: string[]): string[] => {
  const split = splitArguments(argv, flags);
  return canonicalArguments(split.words, readFlags(split, flags).values, flags);
};
const problems = (...argv: string[]) => readFlags(splitArguments(argv, flags), flags).problems;

describe('splitting a command line as kubectl does', () => {
  it.each([['-n', 'shop'], ['-n=shop'], ['-nshop'], ['--namespace', 'shop'], ['--namespace=shop']])(
    'takes a value as %s %s',
    (...argv: string[]) => {
      expect(canonical(...argv)).toEqual(['--namespace=shop', '--']);
    },
  );
  it.each([['-v=6'], ['-v6'], ['-v', '6'], ['--v=6'], ['--v', '6']])(
    'takes the verbosity as %s %s',
    (...argv: string[]) => {
      expect(canonical(...argv)).toEqual(['--v=6', '--']);
    },
  );
  it('takes short switches together, the last one with a value', () => {
    expect(canonical('-Awn', 'shop')).toEqual(['--all-namespaces', '--watch', '--namespace=shop', '--']);
  });
  it('takes a switch with a truth value', () => {
    expect(canonical('--watch=false', '-A=true')).toEqual(['--all-namespaces', '--']);
  });
  it('lets the last value win, and keeps all of a flag that repeats', () => {
    expect(canonical('-n', 'a', '-n', 'b', '--from', 'x', '--from', '-')).toEqual([
      '--namespace=b',
      '--from=x',
      '--from=-',
      '--',
    ]);
  });
  it('takes flags before and after words, and everything after -- as words', () => {
    expect(canonical('-n', 'shop', 'pvc', 'data', '-A', '--', '-odd')).toEqual([
      '--namespace=shop',
      '--all-namespaces',
      '--',
      'pvc',
      'data',
      '-odd',
    ]);
  });
  it('knows the other spelling of a flag', () => {
    expect(canonical('--colour', 'never')).toEqual(['--color=never', '--']);
  });
  it('keeps an equals sign inside a value', () => {
    expect(canonical('--namespace=a=b')).toEqual(['--namespace=a=b', '--']);
  });
  it('tells what it does not understand', () => {
    expect(problems('--nope')).toEqual([{ type: 'unknownFlag', flag: '--nope' }]);
    expect(problems('-x')).toEqual([{ type: 'unknownFlag', flag: '-x' }]);
    expect(problems('-n')).toEqual([{ type: 'missingValue', flag: '-n' }]);
    expect(problems('--watch=maybe')).toEqual([{ type: 'notBoolean', flag: '--watch', value: 'maybe' }]);
  });
});

describe('reading a command line', () => {
  it('finds the command behind flags, and the longest one that the words name', () => {
    expect(readCommandLine(['-n', 'shop', 'why', 'pvc/data'], manifest)).toMatchObject({
      command: { id: 'why' },
      words: ['pvc/data'],
    });
    expect(readCommandLine(['completion', 'install', '--dir', '/tmp'], manifest)).toMatchObject({
      command: { id: 'completion install' },
      words: [],
    });
  });
  it('does not know the flag of another command, whatever its value', () => {
    for (const argv of [['--exec'], ['--exec=maybe'], ['--port', '80'], ['--port']])
      expect(readCommandLine(['why', ...argv], manifest).own.problems).toEqual([
        { type: 'unknownFlag', flag: argv[0]?.split('=')[0] },
      ]);
  });
  it('can split a line before the command is known, since a flag has one type and one letter in all commands', () => {
    const spellings = new Map<string, Set<string>>();
    const note = (spelling: string, meaning: string): void => {
      spellings.set(spelling, (spellings.get(spelling) ?? new Set()).add(meaning));
    };
    for (const { name, type, char, aliases = [] } of Object.values(manifest.commands).flatMap(({ flags }) =>
      Object.values(flags),
    )) {
      for (const long of [name, ...aliases]) note(`--${long}`, `${type} ${name}`);
      if (char !== undefined) note(`-${char}`, name);
    }
    expect([...spellings].filter(([, meanings]) => meanings.size > 1)).toEqual([]);
  });
});
