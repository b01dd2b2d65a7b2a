import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explainOnly } from '../src/core/causes/explain-only.ts';
import { everyRule, ruleGroups } from '../src/core/causes/index.ts';
import type { Rule } from '../src/core/causes/lib/rule.ts';

const causesFolder = join(import.meta.dirname, '../src/core/causes');
const pages = join(import.meta.dirname, '../docs/causes');
const scenarios = join(import.meta.dirname, 'scenarios');
const headings = [
  'What you see',
  'Why it happens',
  'How to confirm',
  'How to fix',
  'When it is harmless',
  'References',
];
/** Causes with a page and no rule: the program's own two, and those that no diagnosis can see. */
const ownCauses = ['blocked-unexplained', 'in-progress', ...explainOnly.map(({ cause }) => cause)];
const rules = everyRule();
const causes = [...new Set(rules.map(({ cause }) => cause))].sort();
const ruleFiles = await readRuleFiles();

describe('the catalogue of causes', () => {
  it('has the rules of each cause in src/core/causes/STAGE/CAUSE.ts', () => {
    const misplaced = causes
      .filter((cause) => !ruleFiles.some((file) => isNamedFor(cause, file) && file.causes.has(cause)))
      .map((cause) => `${cause} ${whereText(cause)}`);
    expect(misplaced.join('\n')).toBe('');
  });

  it('has no rules in a file that is not named for their cause', () => {
    const misnamed = ruleFiles.flatMap((file) =>
      [...file.causes].filter((cause) => !isNamedFor(cause, file)).map((cause) => `${file.path} defines ${cause}`),
    );
    expect(misnamed.join('\n')).toBe('');
  });

  it('registers the cause of each rule file', () => {
    const unregistered = ruleFiles.flatMap(({ path, causes: defined }) =>
      [...defined].filter((cause) => !causes.includes(cause)).map((cause) => `${path}: no index.ts has ${cause}`),
    );
    expect(unregistered.join('\n')).toBe('');
  });

  it.each(causes)('%s has its page and its scenario', (cause) => {
    expect(existsSync(join(pages, `${cause}.md`)), `docs/causes/${cause}.md`).toBe(true);
    expect(existsSync(join(scenarios, `${cause}.yaml`)), `test/scenarios/${cause}.yaml`).toBe(true);
  });

  it.each(explainOnly)('$cause has its page, and no rule', ({ cause }) => {
    expect(existsSync(join(pages, `${cause}.md`)), `docs/causes/${cause}.md`).toBe(true);
    expect(causes).not.toContain(cause);
  });

  it.each(pageNames())('page %s belongs to a cause and has its headings in order', (name) => {
    expect([...causes, ...ownCauses]).toContain(name);
    const text = readFileSync(join(pages, `${name}.md`), 'utf8');
    expect(text.startsWith(`# ${name}\n`)).toBe(true);
    expect([...text.matchAll(/^## (.+)$/gm)].map((match) => match[1])).toEqual(headings);
    const [, sentence = ''] = text.split('\n\n');
    expect(sentence.trim()).toMatch(/^[^#].*\.$/s);
    for (const heading of headings)
      expect(sectionOf(text, heading).length, `${name}: ${heading} is empty`).toBeGreaterThan(0);
  });

  it.each(scenarioNames())('scenario %s is named for a cause', (name) => {
    expect([...causes, ...ownCauses, 'healthy']).toContain(name.split('--')[0]);
  });

  it('names every cause as a slug', () => {
    for (const cause of causes) expect(cause).toMatch(/^[a-z][a-z0-9]*(-[a-z0-9]+)+$/);
  });

  it('names the stages of each group of rules: in a stage that is not named its rules would never run', () => {
    for (const { stages, rules: inside } of ruleGroups)
      expect(new Set(stages)).toEqual(new Set(inside().map(({ stage }) => stage)));
  });

  it('puts no rule about another kind into a group that only some kinds load', () => {
    for (const { kinds, rules: inside } of ruleGroups)
      if (kinds) for (const { on, cause } of inside()) expect(kinds, cause).toContain(on);
  });

  it('has one severity for all rules of a cause', () => {
    const seen = new Map<string, string>();
    for (const { cause, severity } of rules) {
      const known = seen.get(cause);
      if (known !== undefined) expect(severity, cause).toBe(known);
      seen.set(cause, severity);
    }
  });
});

/** A file in the folder of a stage, and the causes whose rules it defines. */
interface RuleFile {
  /** Below src/core/causes. */
  readonly path: string;
  readonly causes: ReadonlySet<string>;
}

/** All but index.ts, which only gathers the rules of other files. */
async function readRuleFiles(): Promise<RuleFile[]> {
  const paths = readdirSync(causesFolder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /^(?!lib\/|messages\/).+\/[^/]+\.ts$/.test(path) && basename(path) !== 'index.ts')
    .sort();
  return Promise.all(paths.map(async (path) => ({ path, causes: await causesDefinedIn(join(causesFolder, path)) })));
}

/** Causes that the file's text names and whose rules it exports, or builds in a function. A list of other files' rules names none. */
async function causesDefinedIn(file: string): Promise<ReadonlySet<string>> {
  const text = readFileSync(file, 'utf8');
  const exported = rulesIn(await import(file)).map(({ cause }) => cause);
  const built = [...text.matchAll(/\bcause: '([^']+)'/g)].map(([, cause = '']) => cause);
  return new Set([...exported.filter((cause) => text.includes(`'${cause}'`)), ...built]);
}

/** Also those inside lists and tables of rules. */
function rulesIn(value: unknown): Rule[] {
  if (typeof value !== 'object' || value === null) return [];
  return isRule(value) ? [value] : Object.values(value).flatMap(rulesIn);
}

function isRule(value: object): value is Rule {
  return 'cause' in value && 'stage' in value && 'explain' in value;
}

/** Directly in the folder of a stage: `STAGE/CAUSE.ts`. */
function isNamedFor(cause: string, { path }: RuleFile): boolean {
  return path.split('/').length === 2 && basename(path) === `${cause}.ts`;
}

function whereText(cause: string): string {
  const paths = ruleFiles.filter((file) => file.causes.has(cause)).map(({ path }) => path);
  return paths.length > 0 ? `is in ${paths.join(', ')}` : 'is defined by no file';
}

function pageNames(): string[] {
  return readdirSync(pages)
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.replace(/\.md$/, ''))
    .sort();
}

function scenarioNames(): string[] {
  return readdirSync(scenarios)
    .filter((file) => file.endsWith('.yaml') && file !== 'base.yaml')
    .map((file) => file.replace(/\.yaml$/, ''))
    .sort();
}

function sectionOf(text: string, heading: string): string {
  const [, after = ''] = text.split(`## ${heading}\n`);
  return (after.split(/^## /m)[0] ?? '').trim();
}
