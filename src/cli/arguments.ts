/** What the splitting of a command line must know of a flag; oclif's definitions and the manifest both have it. */
export interface FlagShape {
  readonly name: string;
  readonly type: 'boolean' | 'option';
  readonly char?: string;
  readonly aliases?: readonly string[];
  readonly multiple?: boolean;
}

export type ArgumentProblem =
  | { readonly type: 'unknownFlag'; readonly flag: string }
  | { readonly type: 'missingValue'; readonly flag: string }
  | { readonly type: 'notBoolean'; readonly flag: string; readonly value: string };

export interface SplitArguments {
  readonly words: readonly string[];
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly problems: readonly ArgumentProblem[];
}

const truth: Readonly<Record<string, boolean>> = { '1': true, t: true, true: true, '0': false, f: false, false: false };

/**
 * Splits a command line as kubectl's flag library (pflag) does: `--name value`, `--name=value`, `-n value`, `-nvalue`,
 * `-n=value`, `-Aw`, `--watch=false`; flags and words in any order; the last one wins unless the flag repeats.
 */
export function splitArguments(argv: readonly string[], flags: readonly FlagShape[]): SplitArguments {
  const byLong = new Map(
    flags.flatMap((flag) => [flag.name, ...(flag.aliases ?? [])].map((name) => [name, flag] as const)),
  );
  const byChar = new Map(flags.flatMap((flag) => (flag.char === undefined ? [] : [[flag.char, flag] as const])));
  const words: string[] = [];
  const values = new Map<string, string[]>();
  const problems: ArgumentProblem[] = [];
  const rest = [...argv];

  const record = (flag: FlagShape, value: string): void => {
    values.set(flag.name, flag.multiple ? [...(values.get(flag.name) ?? []), value] : [value]);
  };
  const recordBoolean = (flag: FlagShape, written: string, value: string | undefined): void => {
    const truthOfValue = value === undefined ? true : truth[value.toLowerCase()];
    if (truthOfValue === undefined) problems.push({ type: 'notBoolean', flag: written, value: value ?? '' });
    else record(flag, String(truthOfValue));
  };
  const recordOption = (flag: FlagShape, written: string, attached: string | undefined): void => {
    const value = attached ?? rest.shift();
    if (value === undefined) problems.push({ type: 'missingValue', flag: written });
    else record(flag, value);
  };
  const takeLong = (argument: string): void => {
    const equals = argument.indexOf('=');
    const written = equals === -1 ? argument : argument.slice(0, equals);
    const value = equals === -1 ? undefined : argument.slice(equals + 1);
    const flag = byLong.get(written.slice(2));
    if (flag === undefined) problems.push({ type: 'unknownFlag', flag: written });
    else if (flag.type === 'boolean') recordBoolean(flag, written, value);
    else recordOption(flag, written, value);
  };
  const takeShort = (argument: string): void => {
    for (let index = 1; index < argument.length; index += 1) {
      const written = `-${argument[index]}`;
      const after = argument.slice(index + 1);
      const flag = byChar.get(argument[index] as string);
      if (flag === undefined) {
        problems.push({ type: 'unknownFlag', flag: written });
        return;
      }
      if (flag.type === 'option') {
        recordOption(flag, written, after === '' ? undefined : after.replace(/^=/, ''));
        return;
      }
      if (after.startsWith('=')) {
        recordBoolean(flag, written, after.slice(1));
        return;
      }
      recordBoolean(flag, written, undefined);
    }
  };

  while (rest.length > 0) {
    const argument = rest.shift() as string;
    if (argument === '--') {
      words.push(...rest);
      break;
    }
    if (argument.startsWith('--')) takeLong(argument);
    else if (argument.startsWith('-') && argument !== '-') takeShort(argument);
    else words.push(argument);
  }
  return { words, values, problems };
}

/** The same command line in the one form that oclif's parser reads without ambiguity. */
export function canonicalArguments(split: SplitArguments, flags: readonly FlagShape[]): string[] {
  const types = new Map(flags.map((flag) => [flag.name, flag.type]));
  const written = [...split.values].flatMap(([name, values]) =>
    types.get(name) === 'boolean'
      ? values.at(-1) === 'true'
        ? [`--${name}`]
        : []
      : values.map((value) => `--${name}=${value}`),
  );
  return [...written, '--', ...split.words];
}
