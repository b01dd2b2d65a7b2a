import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/dependencies.md'), 'utf8');
const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly devDependencies: Readonly<Record<string, string>>;
};

/** The first column of a table, row by row, with the names that it holds as code. */
function namesIn(heading: string): string[] {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

describe('docs/dependencies.md', () => {
  it('has a line for every dependency, and none for what is gone', () => {
    const used = Object.keys(devDependencies).filter((name) => !name.startsWith('@types/'));
    expect(namesIn('Libraries').toSorted()).toEqual(used.toSorted());
  });
  it('names places that exist', () => {
    const places = [...page.matchAll(/`((?:src|test|build|docs)\/[^`]*)`/g)].map(([, place = '']) => place);
    expect(places.filter((place) => !existsSync(join(root, place)))).toEqual([]);
  });
});
