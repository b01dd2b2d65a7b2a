import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

const rooms = Object.keys(mayImport);
const folderOf = (room: string): string => (room === 'build' ? room : `src/${room}`);
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => `src/${file}`);
/** Between the rooms of `io`: lint closes the rooms, and these two files are open to all of them. */
const sharedByIo = ['src/io/identify.ts', 'src/io/redact.ts'];

/** All files that a file imports, statically or dynamically, and those that they import. */
function reachableFrom(start: string): ReadonlySet<string> {
  const waiting = [start];
  const reached = new Set<string>();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file) || !/\.tsx?$/.test(file)) continue;
    reached.add(file);
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, path = ''] of text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) waiting.push(join(dirname(file), path));
  }
  return reached;
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
  it('names only rooms that exist', () => {
    expect(rooms.filter((room) => !existsSync(join(root, folderOf(room))))).toEqual([]);
  });
  it('has a room for every source file', () => {
    const outside = ['src/main.ts', 'src/start.ts', ...sharedByIo];
    const homeless = sources.filter((file) => !rooms.some((room) => file.startsWith(`${folderOf(room)}/`)));
    expect(homeless.toSorted()).toEqual(outside.toSorted());
  });
  it('follows the claim through files that the program reaches from src/main.ts', () => {
    const [, walk = ''] = page.split('## One claim, from the command line to the verdict');
    const [steps = ''] = walk.split('\n## ');
    const reached = reachableFrom('src/main.ts');
    const named = pathsIn(steps).filter((path) => /^src\/.*\.ts$/.test(path) && path !== 'src/start.ts');
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !reached.has(path))).toEqual([]);
  });
});

describe('CONTRIBUTING.md', () => {
  it.each(pathsIn(contributing))('names %s, which exists', (path) => {
    expect(existsSync(join(root, path))).toBe(true);
  });
});
