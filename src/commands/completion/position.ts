import { splitArguments } from '../../cli/arguments.ts';
import type { Manifest, ManifestCommand, ManifestFlag } from '../../cli/manifest.ts';

/** Where in a command line the Tab key was pressed. */
export interface Position {
  readonly command: ManifestCommand | undefined;
  /** The words of the command before this one, without its own name. */
  readonly words: readonly string[];
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly wanted: 'command' | 'argument' | 'flag' | 'value';
  /** The flag whose value is wanted. */
  readonly flag?: ManifestFlag;
  /** What is there already of the word, or of the value. */
  readonly begun: string;
  /** What stands before the value in the same word, and must be part of every candidate: `-o` in `-ojson`. */
  readonly attached: string;
}

/** Reads the words after `kubectl csi`; the last one, which may be empty, is being written. */
export function findPosition(line: readonly string[], manifest: Manifest): Position {
  const before = line.slice(0, -1);
  const last = line.at(-1) ?? '';
  const everyFlag = Object.values(manifest.commands).flatMap((command) => Object.values(command.flags));
  const loose = splitArguments(before, everyFlag);
  const isHelp = loose.words[0] === 'help';
  const command = isHelp ? undefined : commandOf(loose.words, manifest);
  const flags = command === undefined ? everyFlag : Object.values(command.flags);
  const { words, values, problems } = splitArguments(before, flags);
  const own = command === undefined ? words.slice(isHelp ? 1 : 0) : words.slice(command.id.split(' ').length);
  const place = { command, words: own, values, attached: '' };
  const open = problems.find((problem) => problem.type === 'missingValue');
  if (open !== undefined) return { ...place, ...valueOf(flags, open.flag), begun: last };
  if (!before.includes('--')) {
    const inside = flagInside(last, flags);
    if (inside !== undefined) return { ...place, wanted: 'value', ...inside };
    if (last.startsWith('-')) return { ...place, wanted: 'flag', begun: last };
  }
  if (command === undefined) return { ...place, wanted: own.length === 0 ? 'command' : 'argument', begun: last };
  return { ...place, wanted: 'argument', begun: last };
}

/** The longest command whose words the line begins with. */
function commandOf(words: readonly string[], { commands }: Manifest): ManifestCommand | undefined {
  return [2, 1]
    .map((length) => words.slice(0, length).join(' '))
    .filter((id) => Object.hasOwn(commands, id))
    .map((id) => commands[id])[0];
}

function valueOf(flags: readonly ManifestFlag[], written: string): Pick<Position, 'wanted' | 'flag'> {
  const flag = flags.find(
    ({ name, char, aliases }) =>
      written === `--${name}` ||
      written === `-${char ?? ''}` ||
      aliases?.some((alias) => written === `--${alias}`) === true,
  );
  return { wanted: 'value', ...(flag !== undefined && { flag }) };
}

/** `--output=js`, `-o=js` and `-ojs`: the flag and its value in one word. */
function flagInside(
  word: string,
  flags: readonly ManifestFlag[],
): Pick<Position, 'flag' | 'begun' | 'attached'> | undefined {
  const long = /^--([^=]+)=(.*)$/s.exec(word);
  if (long !== null) {
    const flag = flags.find(({ name, aliases }) => name === long[1] || aliases?.includes(long[1] ?? '') === true);
    return { begun: long[2] ?? '', attached: '', ...(flag !== undefined && { flag }) };
  }
  if (!/^-[^-]/.test(word)) return undefined;
  for (let at = 1; at < word.length; at += 1) {
    const flag = flags.find(({ char }) => char === word[at]);
    if (flag === undefined) return undefined;
    const rest = word.slice(at + 1);
    if (flag.type === 'option' && rest !== '')
      return rest.startsWith('=')
        ? { flag, begun: rest.slice(1), attached: '' }
        : { flag, begun: rest, attached: word.slice(0, at + 1) };
  }
  return undefined;
}
