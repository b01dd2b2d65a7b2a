import { readCommandLine } from '../../cli/command-line.ts';
import type { Manifest, ManifestCommand, ManifestFlag } from '../../cli/manifest.ts';

/** Where in a command line the Tab key was pressed. */
export interface Position {
  readonly command: ManifestCommand | undefined;
  /** The words before this one, without those that name the command. */
  readonly words: readonly string[];
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly wanted: 'command' | 'argument' | 'flag' | 'value';
  /** The flag whose value is wanted. */
  readonly flag?: ManifestFlag;
  /** What is typed already of the word, or of the value. */
  readonly begun: string;
  /** What precedes the value in the same word and must be part of every candidate: `-o` in `-ojson`. */
  readonly attached: string;
}

/** Reads the words after `kubectl csi`; the last one, which may be empty, is being typed. */
export function findPosition(line: readonly string[], manifest: Manifest): Position {
  const before = line.slice(0, -1);
  const last = line.at(-1) ?? '';
  const { isHelp, words, own, ...read } = readCommandLine(before, manifest);
  // `help` takes the name of a command, which is a word like any other.
  const command = isHelp ? undefined : read.command;
  const flags = Object.values(command?.flags ?? anyFlags(manifest));
  const place = { command, words, values: own.values, attached: '' };
  const open = own.problems.find((problem) => problem.type === 'missingValue');
  if (open !== undefined) return { ...place, wanted: 'value', ...flagWritten(open.flag, flags), begun: last };
  if (!before.includes('--')) {
    const inside = flagInside(last, flags);
    if (inside !== undefined) return { ...place, wanted: 'value', ...inside };
    if (last.startsWith('-')) return { ...place, wanted: 'flag', begun: last };
  }
  const isNamed = read.command !== undefined || words.length > 0;
  return { ...place, wanted: isNamed ? 'argument' : 'command', begun: last };
}

function anyFlags({ commands }: Manifest): ManifestCommand['flags'] {
  return Object.assign({}, ...Object.values(commands).map(({ flags }) => flags)) as ManifestCommand['flags'];
}

function flagWritten(written: string, flags: readonly ManifestFlag[]): Pick<Position, 'flag'> {
  const flag = flags.find(({ name, char, aliases = [] }) =>
    [`-${char ?? ''}`, ...[name, ...aliases].map((long) => `--${long}`)].includes(written),
  );
  return flag === undefined ? {} : { flag };
}

/** `--output=js`, `-o=js` and `-ojs`: the flag and its value in one word. */
function flagInside(
  word: string,
  flags: readonly ManifestFlag[],
): Pick<Position, 'flag' | 'begun' | 'attached'> | undefined {
  const [, written, begun = ''] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
  if (written !== undefined) return { ...flagWritten(written, flags), begun, attached: '' };
  if (!/^-[^-]/.test(word)) return undefined;
  for (let at = 1; at < word.length; at += 1) {
    const flag = flags.find(({ char }) => char === word[at]);
    if (flag === undefined) return undefined;
    const rest = word.slice(at + 1);
    if (flag.type !== 'option' || rest === '') continue;
    if (rest.startsWith('=')) return { flag, begun: rest.slice(1), attached: '' };
    return { flag, begun: rest, attached: word.slice(0, at + 1) };
  }
  return undefined;
}
