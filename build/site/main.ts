import { watch } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build, createServer } from 'vitepress';
import { root } from './cause-facts.ts';
import { composeSite } from './pages.ts';

/**
 * Builds the documentation site into `site/dist`, or serves it with --serve. All of it is generated from the repository at that moment:
 * `site/` holds no sources.
 */
const folder = join(root, 'site/pages');

async function writeAll(files: ReadonlyMap<string, string | Buffer>, below: string): Promise<void> {
  for (const [path, content] of files) {
    const file = join(below, path);
    if ((await readFile(file).catch(() => undefined))?.equals(Buffer.from(content)) === true) continue;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

async function writePages(): Promise<void> {
  const { pages, assets } = composeSite();
  await writeAll(pages, folder);
  await writeAll(assets, join(folder, 'public'));
  await writeAll(wiring, join(folder, '.vitepress'));
}

/**
 * VitePress looks for its configuration and theme next to the pages. It would bundle a configuration in TypeScript, with an esbuild that
 * is older than our tsconfig.json: Node.js reads it as it is.
 */
const wiring: ReadonlyMap<string, string> = new Map([
  [
    'config.mjs',
    "const path = new URL('../../../build/site/config.ts', import.meta.url).href;\nexport default (await import(path)).config;\n",
  ],
  ['tsconfig.json', '{ "compilerOptions": { "target": "es2022" } }\n'],
  ['theme/index.ts', "export { default } from '../../../../build/site/theme/index.ts';\n"],
]);

/** VitePress takes a link to a file of an unknown type for a page. */
process.env['VITE_EXTRA_EXTENSIONS'] = 'sh';

/** Shows a page again as soon as its source is saved. */
function followSources(): void {
  let timer: NodeJS.Timeout | undefined;
  const isSaved = (): void => {
    clearTimeout(timer);
    timer = setTimeout(
      () => void writePages().catch((error: Error) => process.stderr.write(`${error.message}\n`)),
      200,
    );
  };
  watch(join(root, 'docs'), { recursive: true }, isSaved);
  for (const file of ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md']) watch(join(root, file), isSaved);
}

await rm(folder, { recursive: true, force: true });
await writePages();
if (process.argv.includes('--serve')) {
  const server = await createServer(folder, { host: '127.0.0.1' });
  await server.listen();
  server.printUrls();
  followSources();
} else await build(folder);
