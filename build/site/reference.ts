import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { manifest } from '../../src/cli/manifest.ts';
import type { ManifestCommand, ManifestFlag } from '../../src/cli/manifest.ts';
import { root } from './cause-facts.ts';
import { block, code, frontmatter, plain, table } from './markdown.ts';

const commands = Object.values(manifest.commands);
const fileOf = ({ id }: ManifestCommand): string => `${id.replaceAll(' ', '-')}.md`;

/** The pages that are generated from oclif.manifest.json and the JSON schemas. */
export function renderReference(): ReadonlyMap<string, string> {
  const schemas = readSchemas();
  return new Map([
    ['reference/index.md', startPage(schemas)],
    ...commands.map((command) => [`reference/${fileOf(command)}`, renderCommand(command)] as const),
    ...schemas.map((schema) => [`reference/${schema.name}-json.md`, renderSchema(schema)] as const),
  ]);
}

function startPage(schemas: readonly NamedSchema[]): string {
  return [
    frontmatter({ title: 'Reference', description: 'Every command, flag and field of kubectl csi.' }),
    '# Reference\n\n## Commands\n\n',
    table(
      ['command', 'what it does'],
      commands.map((command) => [
        `[${code(`kubectl csi ${command.id}`)}](./${fileOf(command)})`,
        plain(command.summary),
      ]),
    ),
    '\n\nThe meaning of the exit codes: [exit codes](../exit-codes.md).\n\n## Documents\n\n',
    '`-o json` and `-o yaml` print documents that only grow: fields are added, and never renamed or given another meaning.\n\n',
    table(
      ['document', 'what it is', 'schema'],
      schemas.map(({ name, schema }) => [
        `[${code(schema.title ?? name)}](./${name}-json.md)`,
        plain((schema.description ?? '').split('. ')[0]?.replace(/\.$/, '') ?? ''),
        `[${name}.schema.json](/${name}.schema.json)`,
      ]),
    ),
    '\n',
  ].join('');
}

function renderCommand(command: ManifestCommand): string {
  const { id, summary, description, usage, examples, flags } = command;
  const shown = Object.entries(flags).filter(([, { hidden }]) => hidden !== true);
  const groups = Map.groupBy(shown, ([, { helpGroup }]) => helpGroup ?? '');
  return [
    frontmatter({ title: `kubectl csi ${id}`, description: summary }),
    `# kubectl csi ${id}\n\n${plain(summary)}.\n\n`,
    `${block(`kubectl csi ${id}${usage === undefined ? '' : ` ${usage}`}`)}\n\n`,
    description === undefined ? '' : renderDescription(description),
    examples.length === 0
      ? ''
      : `## Examples\n\n${block(examples.map((one) => `# ${one.description}\n${one.command}`).join('\n'), 'sh')}\n\n`,
    ...[...groups]
      .toSorted(([a], [b]) => Number(a !== '') - Number(b !== ''))
      .map(([group, entries]) => renderFlags(group, entries)),
    id.startsWith('completion') || id === 'demo' ? '' : 'What the exit code means: [exit codes](../exit-codes.md).\n',
  ].join('');
}

/** Help has prose, and lists that are indented by two spaces. */
function renderDescription(description: string): string {
  const paragraphs = description.split(/\n\s*\n/);
  return paragraphs
    .map((paragraph) => (/^ {2}|\n {2}/.test(paragraph) ? block(paragraph) : plain(paragraph.replaceAll('\n', ' '))))
    .join('\n\n')
    .concat('\n\n');
}

const groupTitles: Readonly<Record<string, string>> = { '': 'Flags', GENERAL: 'General flags' };

function renderFlags(group: string, entries: readonly (readonly [string, ManifestFlag])[]): string {
  const title = groupTitles[group] ?? `${group.charAt(0)}${group.slice(1).toLowerCase()} flags`;
  const rows = entries.map(([name, flag]) => [code(spelling(name, flag)), plain(meaning(flag))]);
  return `## ${title}\n\n${table(['flag', 'meaning'], rows)}\n\n`;
}

function spelling(name: string, { char, helpValue }: ManifestFlag & { readonly char?: string }): string {
  const value = helpValue === undefined ? '' : `=${helpValue}`;
  const long = name.length === 1 ? [] : [`--${name}${value}`];
  return [...(char === undefined ? [] : [`-${char}`]), ...long].join(', ') || `-${name}`;
}

function meaning({ summary = '', options, default: standard }: ManifestFlag): string {
  const values = options === undefined ? '' : ` One of ${options.join(', ')}.`;
  const usual = typeof standard === 'string' && standard !== '' ? ` Default: ${standard}.` : '';
  return `${summary.replace(/\.?$/, '.')}${values}${usual}`;
}

interface Schema {
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

interface NamedSchema {
  readonly name: string;
  readonly schema: Schema;
}

export function readSchemas(): NamedSchema[] {
  const folder = join(root, 'docs');
  return readdirSync(folder)
    .filter((file) => file.endsWith('.schema.json'))
    .sort()
    .map((file) => ({
      name: file.replace('.schema.json', ''),
      schema: JSON.parse(readFileSync(join(folder, file), 'utf8')) as Schema,
    }));
}

function renderSchema({ name, schema }: NamedSchema): string {
  const alternatives = schema.oneOf ?? schema.anyOf ?? [];
  const definitions = Object.entries(schema.$defs ?? {});
  return [
    frontmatter({ title: schema.title ?? name, description: schema.description ?? '' }),
    `# ${schema.title ?? name}\n\n${plain(schema.description ?? '')}\n\n`,
    `The schema itself: [${name}.schema.json](/${name}.schema.json)\n\n`,
    renderFields(schema),
    alternatives.length === 0 ? '' : `One of ${alternatives.map(typeOf).join(', ')}.\n\n`,
    ...definitions.map(([id, definition]) => renderDefinition(id, definition)),
  ].join('');
}

function renderDefinition(id: string, definition: Schema): string {
  const description = definition.description === undefined ? '' : `${plain(definition.description)}\n\n`;
  const fields = renderFields(definition);
  const type = fields === '' ? `${typeOf(definition)}\n\n` : '';
  return `## ${id}\n\n${description}${type}${fields}`;
}

function renderFields(schema: Schema): string {
  const rows = fieldsOf(schema, schema.required ?? [], '');
  return rows.length === 0 ? '' : `${table(['field', 'type', 'meaning'], rows)}\n\n`;
}

/** The fields with those of objects inside of them: `source.type`, `items[].cause`. */
function fieldsOf(schema: Schema, required: readonly string[], prefix: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    const optional = required.includes(name) ? '' : ' (optional)';
    const inner = field.items?.properties === undefined ? field : field.items;
    const suffix = inner === field ? '.' : '[].';
    return [
      [code(path), `${typeOf(field)}${optional}`, plain(field.description ?? '')],
      ...fieldsOf(inner, inner.required ?? [], `${path}${suffix}`),
    ];
  });
}

function typeOf(schema: Schema): string {
  const { $ref, const: constant, enum: values, items, type, oneOf, anyOf } = schema;
  if ($ref !== undefined) return referenceTo($ref);
  if (constant !== undefined) return code(JSON.stringify(constant));
  if (values !== undefined) return values.map((value) => code(String(value))).join(' or ');
  if (items !== undefined) return `list of ${items.properties === undefined ? typeOf(items) : 'objects'}`;
  const alternatives = oneOf ?? anyOf;
  if (alternatives !== undefined) return alternatives.map(typeOf).join(' or ');
  return [type ?? 'any'].flat().join(' or ');
}

/** `#/$defs/item` of the same schema, or `report.schema.json#/$defs/item` of another one. */
function referenceTo(reference: string): string {
  const [file = '', path = ''] = reference.split('#');
  const page = file === '' ? '' : `./${file.replace('.schema.json', '-json.md')}`;
  const [, group, name = ''] = path.split('/');
  return group === '$defs' ? `[${name}](${page}#${name.toLowerCase()})` : `[${code(name)} of ${file}](${page})`;
}
