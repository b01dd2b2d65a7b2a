import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Every page for people, by its path in the repository. */
export const pages: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`)
    .sort(),
];

export function readPage(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

const fence = /^```[^\n]*\n([^]*?)^```$/gm;

/** The lines of all code blocks. */
export function codeLines(page: string): string[] {
  return [...page.matchAll(fence)].flatMap(([, block = '']) => block.split('\n'));
}

/** What is written as code within sentences and tables; a line break within it is a space. */
export function inlineCode(page: string): string[] {
  return [...page.replaceAll(fence, '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(/\s+/g, ' '));
}
