import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const files = globSync('{src,build,bench,test}/**/*.{ts,tsx,vue}', { cwd: root }).toSorted();
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));

/** In how many files each identifier occurs. */
function countFiles(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts.values())
    for (const word of new Set(text.match(/[A-Za-z_$][\w$]*/g) ?? [])) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function exportsOf(text: string): string[] {
  const declared = /^export (?:async )?(?:const|function|class) ([A-Za-z_$][\w$]*)/gm;
  return [...text.matchAll(declared)].map(([, name = '']) => name);
}

it('exports only functions and values that another file uses', () => {
  const counts = countFiles();
  const unused = [...texts]
    .filter(([file]) => file.startsWith('src/'))
    .flatMap(([file, text]) => exportsOf(text).map((name) => ({ file, name })))
    .filter(({ name }) => counts.get(name) === 1);
  expect(unused.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});
