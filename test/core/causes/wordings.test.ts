import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, it } from 'vitest';

const directory = join(import.meta.dirname, '../../../src/core/causes');

/**
 * Texts of the scheduler and of admission (quotas, limits, policies, webhooks) are read by the rules of these stages and
 * by `src/core/facts/pod/scheduling-message.ts`; `messages` finds the causes of any text.
 */
const ownParsers = ['claim', 'schedule', 'messages', 'lib/driver-error'];

/** Tests of something that no other program has said. */
const notSaid: readonly string[] = [
  'mount/hostpath-type-check.ts', // An article in a sentence of ours.
  'mount/told-volume.ts', // The name of an object in a sentence of ours.
  'mount/mount-rpc-timeout.ts', // How many words are left of a text.
  'provision/blamed-parameter.ts', // The character after a word.
  'provision/secret-parameters.ts', // The form of a name.
  'snapshot/groupsnap-switched-off.ts', // The arguments of a container.
];

/** How rules call what a program has said. */
const textNames = new Set(['text', 'raw', 'words', 'message', 'said', 'messageOf']);
/** Functions that search what was said for a pattern. */
const searches = new Set([
  'newestMatch',
  'failure',
  'lastRefusal',
  'matchError',
  'findVolumeFailure',
  'deleteFailure',
  'wordsAbout',
]);
/** Patterns that fit every text. */
const anyText = ['/[^]*/', '/^/', '/./', '/(?:)/'];

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value;

function nodesIn(value: unknown): Node[] {
  if (Array.isArray(value)) return value.flatMap(nodesIn);
  if (!isNode(value)) return [];
  return [value, ...Object.values(value).flatMap((child) => (typeof child === 'object' ? nodesIn(child) : []))];
}

const nameOf = (node: unknown): string => (isNode(node) && typeof node['name'] === 'string' ? node['name'] : '');
const isPattern = (node: unknown): node is Node =>
  isNode(node) && node.type === 'Literal' && node['regex'] !== undefined && node['regex'] !== null;

/** The expression is what a program has said, by its name. */
function isSaid(node: unknown): boolean {
  if (!isNode(node)) return false;
  if (node.type === 'TemplateLiteral') return nodesIn(node['expressions']).some(isSaid);
  const next = node['property'] ?? node['expression'] ?? node['left'] ?? node['callee'];
  return next === undefined ? textNames.has(nameOf(node)) : isSaid(next);
}

/** The places where a rule holds a text against a pattern of its own. */
function patternsIn(source: string): string[] {
  const nodes = nodesIn(parseAst(source, { lang: 'ts' }).body);
  const named = new Map(
    nodes
      .filter(({ type, init }) => type === 'VariableDeclarator' && isPattern(init))
      .map(({ id, init }) => [nameOf(id), init]),
  );
  const patternOf = (node: unknown): unknown => (isPattern(node) ? node : named.get(nameOf(node)));
  return nodes
    .filter(({ type }) => type === 'CallExpression')
    .flatMap((call) => {
      const callee = isNode(call['callee']) ? call['callee'] : undefined;
      const values = call['arguments'] as readonly unknown[];
      const method = nameOf(callee?.['property']);
      const subject = callee?.['object'];
      if (method === 'test' || method === 'exec') return isSaid(values[0]) ? [patternOf(subject)] : [];
      if (method === 'match' || method === 'matchAll') return isSaid(subject) ? [patternOf(values[0])] : [];
      return searches.has(nameOf(callee)) ? values.map(patternOf) : [];
    })
    .filter(isPattern)
    .map(({ raw }) => String(raw))
    .filter((pattern) => !anyText.includes(pattern));
}

const rules = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !ownParsers.some((parser) => file.startsWith(`${parser}/`)));

describe('what drivers, sidecars, the kubelet and storage say is known to lib/driver-error only', () => {
  const patternsOf = (file: string): string[] => patternsIn(readFileSync(join(directory, file), 'utf8'));

  it('no rule holds a text against a pattern of its own', () => {
    const found = rules
      .filter((file) => !notSaid.includes(file))
      .flatMap((file) => patternsOf(file).map((pattern) => `${file}: ${pattern}`));
    expect(rules.length).toBeGreaterThan(400);
    expect(found).toEqual([]);
  });

  it('knows no exception in vain', () => {
    const needed = notSaid.filter((file) => patternsOf(file).length > 0);
    expect(needed).toEqual(notSaid);
  });

  it.each([
    'const isFull = (error) => /disk full/i.test(error.text);',
    "const full = /disk full/; export const isFull = ({ status }) => full.test(status?.message ?? '');",
    "const said = newestMatch(c.events.items, 'ProvisioningFailed', /disk full/);",
    'const size = messageOf(event).match(/of (\\d+)/);',
  ])('sees the pattern in %s', (source) => {
    expect(patternsIn(source)).toHaveLength(1);
  });

  it.each([
    "const said = newestMatch(c.events.items, 'ProvisioningFailed', /^/);",
    'const isOwn = /^pvc-/.test(name);',
    'const isFull = fullTexts.test(error.text);',
    "const bare = text.replace(/\\.$/, '');",
  ])('has nothing against %s', (source) => {
    expect(patternsIn(source)).toEqual([]);
  });
});
