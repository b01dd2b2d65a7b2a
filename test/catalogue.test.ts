import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { explainOnly } from '../src/core/causes/explain-only.ts';
import { everyRule, shelves } from '../src/core/causes/index.ts';

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
/** They have a page and no rule: the program's own two, and what no diagnosis can see. */
const ownCauses = ['blocked-unexplained', 'in-progress', ...explainOnly.map(({ cause }) => cause)];
const rules = everyRule();
const causes = [...new Set(rules.map(({ cause }) => cause))].sort();

describe('the catalogue of causes', () => {
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

  it('says of each shelf of rules which stages it explains: another stage would never see them', () => {
    for (const { stages, rules: inside } of shelves)
      expect(new Set(stages)).toEqual(new Set(inside().map(({ stage }) => stage)));
  });

  it('has one stage and one severity for each rule of a cause', () => {
    const seen = new Map<string, string>();
    for (const { cause, severity } of rules) {
      const known = seen.get(cause);
      if (known !== undefined) expect(severity, cause).toBe(known);
      seen.set(cause, severity);
    }
  });
});

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
