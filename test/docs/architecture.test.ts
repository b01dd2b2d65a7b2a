import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { mayImport } from '../../oxlint.config.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
const contributing = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');

/** What is written as code and begins with a directory of the repository, without names to fill in. */
function pathsIn(text: string): string[] {
  const code = [...text.matchAll(/`([^`\s]+)`/g)].map(([, path = '']) => path);
  return [...new Set(code)].filter((path) => /^(src|test|build|bin|docs)\/|^oclif|^oxlint/.test(path) && !/[<*]/.test(path));
}

describe('docs/architecture.md', () => {
  it.each(pathsIn(page))('names %s, which exists', (path) => {
    expect(existsSync(join(root, path))).toBe(true);
  });
  it('has the table of rooms that lint enforces', () => {
    const rows = page.split('\n').flatMap((line) => {
      const [, room, open] = /^\| `([^`]+)` \|.*\| ([^|]+) \|$/.exec(line) ?? [];
      return room === undefined || open === undefined ? [] : [[room, open === 'nothing' ? [] : open.split(', ')]];
    });
    expect(Object.fromEntries(rows)).toEqual(mayImport);
    expect(rows.map(([room]) => room)).toEqual(Object.keys(mayImport));
  });
  it('names every room of the sources', () => {
    expect(Object.keys(mayImport).filter((room) => !existsSync(join(root, room === 'build' ? room : `src/${room}`)))).toEqual(
      [],
    );
  });
});

describe('CONTRIBUTING.md', () => {
  it.each(pathsIn(contributing))('names %s, which exists', (path) => {
    expect(existsSync(join(root, path))).toBe(true);
  });
});
