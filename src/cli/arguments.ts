/** What is needed about a flag to split a command line; oclif's definitions and the manifest both have it. */
export interface FlagShape {
  readonly name: string;
  readonly type: 'boolean' | 'option';
  readonly char?: string;
  readonly aliases?: readonly string[];
  readonly multiple?: boolean;
  /** The values that it takes, if only some are allowed. */
  readonly options?: readonly string[];
}

/**
 * What a flag means without a value (pflag's NoOptDefVal): `--logs` alone. The next word is its value only if it is an
 * allowed one.
 */
const bareValues: Readonly<Record<string, string>> = { logs: 'always' };

export type ArgumentProblem =
  | { readonly type: 'unknownFlag'; readonly flag: string }
  | { readonly type: 'missingValue'; readonly flag: string }
  | { readonly type: 'notBoolean'; readonly flag: string; readonly value: string };

/** A flag as it was written, `-o` or `--output`, with its value or what is wrong with it. */
interface WrittenFlag {
  /** Undefined: there is no such flag. */
  readonly name: string | undefined;
  readonly written: string;
  readonly value?: string;
  readonly problem?: ArgumentProblem;
}

interface SplitArguments {
  readonly words: readonly string[];
  /** In the order of the command line. */
  readonly flags: readonly WrittenFlag[];
}

export interface FlagReading {
  readonly values: ReadonlyMap<string, readonly string[]>;
  readonly problems: readonly ArgumentProblem[];
}

/**
 * Splits a command line as kubectl's flag library (spf13/pflag) does: `--name value`, `--name=value`, `-n value`,
 * `-nvalue`, `-n=value`, `-Aw`, `--watch=false`; flags and words in any order.
 */
export function splitArguments(argv: readonly string[], shapes: readonly FlagShape[]): SplitArguments {
  return new Splitter(argv, shapes).split();
}

/** What was written for these flags: the last value wins unless the flag repeats, and any other flag is unknown. */
export function readFlags({ flags }: SplitArguments, shapes: readonly FlagShape[]): FlagReading {
  const byName = new Map(shapes.map((shape) => [shape.name, shape]));
  const values = new Map<string, string[]>();
  const problems: ArgumentProblem[] = [];
  for (const { name, written, value = '', problem } of flags) {
    const shape = name === undefined ? undefined : byName.get(name);
    if (shape === undefined) problems.push({ type: 'unknownFlag', flag: written });
    else if (problem !== undefined) problems.push(problem);
    else values.set(shape.name, shape.multiple ? [...(values.get(shape.name) ?? []), value] : [value]);
  }
  return { values, problems };
}

/** The same command line in the one form that oclif's parser reads without ambiguity. */
export function canonicalArguments(
  words: readonly string[],
  values: FlagReading['values'],
  shapes: readonly FlagShape[],
): string[] {
  const types = new Map(shapes.map(({ name, type }) => [name, type]));
  const written = [...values].flatMap(([name, texts]) => {
    if (types.get(name) === 'option') return texts.map((text) => `--${name}=${text}`);
    return texts.at(-1) === 'true' ? [`--${name}`] : [];
  });
  return [...written, '--', ...words];
}

/** The texts that pflag accepts as a boolean (strconv.ParseBool), in any case. */
const truthOf: Readonly<Record<string, boolean>> = {
  '1': true,
  t: true,
  true: true,
  '0': false,
  f: false,
  false: false,
};

class Splitter {
  readonly #rest: string[];
  readonly #byLong: ReadonlyMap<string, FlagShape>;
  readonly #byChar: ReadonlyMap<string, FlagShape>;
  readonly #words: string[] = [];
  readonly #flags: WrittenFlag[] = [];

  constructor(argv: readonly string[], shapes: readonly FlagShape[]) {
    this.#rest = [...argv];
    this.#byLong = new Map(
      shapes.flatMap((shape) => [shape.name, ...(shape.aliases ?? [])].map((name) => [name, shape] as const)),
    );
    this.#byChar = new Map(shapes.flatMap((shape) => (shape.char === undefined ? [] : [[shape.char, shape] as const])));
  }

  split(): SplitArguments {
    for (let argument = this.#rest.shift(); argument !== undefined; argument = this.#rest.shift()) {
      if (argument === '--') this.#words.push(...this.#rest.splice(0));
      else if (argument.startsWith('--')) this.#takeLong(argument);
      else if (argument.startsWith('-') && argument !== '-') this.#takeShort(argument);
      else this.#words.push(argument);
    }
    return { words: this.#words, flags: this.#flags };
  }

  #takeLong(argument: string): void {
    const equals = argument.indexOf('=');
    const written = equals === -1 ? argument : argument.slice(0, equals);
    const value = equals === -1 ? undefined : argument.slice(equals + 1);
    const shape = this.#byLong.get(written.slice(2));
    if (shape === undefined) this.#takeUnknown(written);
    else if (shape.type === 'boolean') this.#takeBoolean(shape, written, value);
    else this.#takeOption(shape, written, value);
  }

  /** Several switches may share one argument; a flag with a value, or an unknown one, ends it. */
  #takeShort(argument: string): void {
    for (let index = 1; index < argument.length; index += 1) {
      const written = `-${argument[index]}`;
      const after = argument.slice(index + 1);
      const shape = this.#byChar.get(argument[index] as string);
      if (shape === undefined) return this.#takeUnknown(written);
      if (shape.type === 'option')
        return this.#takeOption(shape, written, after === '' ? undefined : after.replace(/^=/, ''));
      if (after.startsWith('=')) return this.#takeBoolean(shape, written, after.slice(1));
      this.#takeBoolean(shape, written, undefined);
    }
  }

  #takeUnknown(written: string): void {
    this.#flags.push({ name: undefined, written });
  }

  #takeBoolean({ name }: FlagShape, written: string, value = 'true'): void {
    const truth = truthOf[value.toLowerCase()];
    if (truth === undefined) this.#flags.push({ name, written, problem: { type: 'notBoolean', flag: written, value } });
    else this.#flags.push({ name, written, value: String(truth) });
  }

  #takeOption({ name, options }: FlagShape, written: string, attached: string | undefined): void {
    const bare = bareValues[name];
    const isBare = attached === undefined && bare !== undefined && !options?.includes(this.#rest[0] ?? '');
    const value = isBare ? bare : (attached ?? this.#rest.shift());
    if (value === undefined) this.#flags.push({ name, written, problem: { type: 'missingValue', flag: written } });
    else this.#flags.push({ name, written, value });
  }
}
