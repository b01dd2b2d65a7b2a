import { readFlags, splitArguments } from './arguments.ts';
import type { FlagReading, FlagShape } from './arguments.ts';
import type { Manifest, ManifestCommand } from './manifest.ts';

const helpFlag: FlagShape = { name: 'help', type: 'boolean', char: 'h' };
const versionFlag: FlagShape = { name: 'version', type: 'boolean' };

/** A command line, split once: for which command it is, and what was written for it. */
export interface CommandLine {
  /** Undefined: no word names a command. */
  readonly command: ManifestCommand | undefined;
  /** `help` is the first word. */
  readonly isHelp: boolean;
  /** Without `help` and the words that name the command. */
  readonly words: readonly string[];
  /** All flags that any command has, with --help and --version. */
  readonly anyFlags: readonly FlagShape[];
  /** What was written for any flag. */
  readonly any: FlagReading;
  /** What was written for the flags of the command; those of other commands are unknown here. */
  readonly own: FlagReading;
}

/**
 * Reads the words after `kubectl csi`. Flags may precede the command (`kubectl csi -n shop why`), so the line is split
 * before the command is known; a flag has the same type and letter in every command, which a test proves.
 */
export function readCommandLine(argv: readonly string[], { commands }: Manifest): CommandLine {
  const commandFlags = Object.values(commands).flatMap(({ flags }) => Object.values(flags));
  const anyFlags = [...commandFlags, helpFlag, versionFlag];
  const split = splitArguments(argv, anyFlags);
  const isHelp = split.words[0] === 'help';
  const words = isHelp ? split.words.slice(1) : split.words;
  const command = findCommand(words, commands);
  const any = readFlags(split, anyFlags);
  return {
    command,
    isHelp,
    words: command === undefined ? words : words.slice(command.id.split(' ').length),
    anyFlags,
    any,
    own: command === undefined ? any : readFlags(split, Object.values(command.flags)),
  };
}

/** The longest command that the words begin with: `completion install` before `completion`. */
function findCommand(words: readonly string[], commands: Manifest['commands']): ManifestCommand | undefined {
  const ids = [2, 1].filter((length) => length <= words.length).map((length) => words.slice(0, length).join(' '));
  const id = ids.find((name) => Object.hasOwn(commands, name));
  return id === undefined ? undefined : commands[id];
}
