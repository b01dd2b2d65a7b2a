import { unknownName } from '../cli/near-names.ts';
import { UserError } from '../core/kube/errors.ts';

/** One argument of a tool or a prompt. */
type Field =
  | TextField
  | { readonly type: 'switch'; readonly description: string }
  | {
      readonly type: 'list';
      readonly description: string;
      /** What each entry is. */
      readonly entry: string;
      readonly mostEntries: number;
    };

interface TextField {
  readonly type: 'text';
  readonly description: string;
  readonly isRequired?: true;
  readonly mostCharacters?: number;
  readonly choices?: readonly string[];
  /** The only form that the text may have. */
  readonly form?: { readonly pattern: RegExp; readonly words: string };
}

export type Fields = Readonly<Record<string, Field>>;

/** The arguments of one call, once they have been checked. */
type Value<F extends Field> = F extends { readonly type: 'switch' }
  ? boolean
  : F extends { readonly type: 'list' }
    ? readonly string[]
    : F extends { readonly isRequired: true }
      ? string
      : string | undefined;
export type Arguments<T extends Fields> = { readonly [Name in keyof T]: Value<T[Name]> };

/** An object name, a selector or a word of an operation is never longer. */
const usualCharacters = 1000;

/** A namespace as the API server accepts it (DNS-1123 label): the name becomes part of a URL. */
export const namespaceForm = {
  pattern: /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
  words: 'a namespace: lower-case letters, digits and "-", at most 63',
} as const;

/** The arguments of a call, checked against the fields; anything else is an error that names the valid form. */
export async function readArguments<T extends Fields>(fields: T, given: unknown): Promise<Arguments<T>> {
  if (given !== undefined && (typeof given !== 'object' || given === null || Array.isArray(given)))
    throw new UserError('the arguments are not an object', 'Pass an object with the arguments by name');
  const written = (given ?? {}) as Readonly<Record<string, unknown>>;
  const names = Object.keys(fields);
  for (const name of Object.keys(written)) {
    if (Object.hasOwn(fields, name)) continue;
    const all = names.length === 0 ? 'This takes no arguments' : `The arguments are ${names.join(', ')}`;
    throw await unknownName('argument', name.slice(0, usualCharacters), names, all);
  }
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      readValue(name, field, Object.hasOwn(written, name) ? written[name] : undefined),
    ]),
  ) as Arguments<T>;
}

function readValue(name: string, field: Field, value: unknown): unknown {
  // Models write null for what they leave out.
  const given = value ?? undefined;
  if (field.type === 'switch') {
    if (given !== undefined && typeof given !== 'boolean') throw new UserError(`"${name}" must be true or false`);
    return given === true;
  }
  if (field.type === 'text') return readText(name, field, given);
  const list = given ?? [];
  if (!Array.isArray(list) || list.some((entry) => typeof entry !== 'string'))
    throw new UserError(`"${name}" must be a list of texts`, `Each entry is ${field.entry}`);
  if (list.length > field.mostEntries)
    throw new UserError(`"${name}" has ${list.length} entries`, `Pass at most ${field.mostEntries}`);
  for (const entry of list as readonly string[]) refuseLength(name, entry, usualCharacters);
  return list;
}

function readText(name: string, field: TextField, given: unknown): string | undefined {
  if (given === undefined || given === '') {
    if (field.isRequired) throw new UserError(`the argument "${name}" is missing`, field.description);
    return undefined;
  }
  if (typeof given !== 'string') throw new UserError(`"${name}" must be a text`, field.description);
  refuseLength(name, given, field.mostCharacters ?? usualCharacters);
  if (field.choices && !field.choices.includes(given))
    throw new UserError(`"${name}" must be one of ${field.choices.join(', ')}, not "${given}"`);
  if (field.form && !field.form.pattern.test(given))
    throw new UserError(`"${name}" is not valid: "${given}"`, `Pass ${field.form.words}`);
  return given;
}

function refuseLength(name: string, text: string, most: number): void {
  if (text.length > most)
    throw new UserError(
      `"${name}" has ${text.length} characters`,
      `Pass at most ${most}: the part that the question is about`,
    );
}

/** The fields as the JSON schema that clients show to a model. */
export function inputSchemaOf(fields: Fields): { type: 'object'; [keyword: string]: unknown } {
  const required = Object.entries(fields).flatMap(([name, field]) =>
    field.type === 'text' && field.isRequired ? [name] : [],
  );
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, propertyOf(field)])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function propertyOf(field: Field): object {
  const { description } = field;
  if (field.type === 'switch') return { type: 'boolean', description };
  if (field.type === 'list')
    return { type: 'array', items: { type: 'string' }, maxItems: field.mostEntries, description };
  return {
    type: 'string',
    description,
    maxLength: field.mostCharacters ?? usualCharacters,
    ...(field.choices && { enum: [...field.choices] }),
    ...(field.form && { pattern: field.form.pattern.source }),
  };
}
