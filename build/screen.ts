import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { build } from 'esbuild';
import type { Metafile, Plugin } from 'esbuild';
import { builtinModulesOnUse } from './builtin-modules.ts';
import { lazyStringWidth } from './lazy-libraries.ts';
import { MatchCounts } from './match-counts.ts';
import { checkChosenFiles, chosenFiles, commonOptions } from './options.ts';
import { partOf } from './packs.ts';

/**
 * The terminal UI. Ink awaits its layout engine at the top level, which only an ES module can do: it is built on its own, as
 * one async function, and every `import()` of it becomes a call of `openPartAsync` (src/start.ts).
 */
export const screenPart = 'tui';
const screenSource = existsSync('src/tui/root.tsx') ? 'src/tui/root.tsx' : 'src/tui/root.ts';

export function separateScreen(counts: MatchCounts): Plugin {
  const countImport = counts.expect('import of the screen', 1);
  return {
    name: 'separate-screen',
    setup(bundler) {
      bundler.onResolve({ filter: /\/tui\/root\.tsx?$/ }, ({ kind }) => {
        if (kind !== 'dynamic-import') return undefined;
        countImport();
        return { path: screenPart, external: true };
      });
    },
  };
}

export function openScreenLater(bundled: string): { readonly text: string; readonly matches: number } {
  const pieces = bundled.split(`import("${screenPart}")`);
  return { text: pieces.join(`openPartAsync("${screenPart}")`), matches: pieces.length - 1 };
}

/** Ink looks for its developer tools when DEV is true, a variable that users set for other reasons. */
function withoutInkDevTools(counts: MatchCounts): Plugin {
  const condition = "process.env['DEV'] === 'true'";
  const countConditions = counts.expect("condition for Ink's developer tools", 2);
  return {
    name: 'without-ink-dev-tools',
    setup(bundler) {
      bundler.onLoad({ filter: /[\\/]ink[\\/]build[\\/][\w-]+\.js$/ }, async ({ path }) => {
        const pieces = (await readFile(path, 'utf8')).split(condition);
        if (pieces.length === 1) return undefined;
        countConditions(pieces.length - 1);
        return { contents: pieces.join('false') };
      });
    },
  };
}

export async function buildScreen(): Promise<{ readonly metafile: Metafile; readonly part: string }> {
  const counts = new MatchCounts();
  const { outputFiles, metafile } = await build({
    ...commonOptions,
    entryPoints: { [screenPart]: screenSource },
    format: 'esm',
    define: { ...commonOptions.define, 'import.meta.url': '""' },
    plugins: [builtinModulesOnUse(counts, 10), lazyStringWidth(counts, 'inPlace'), withoutInkDevTools(counts)],
  });
  counts.check();
  checkChosenFiles(Object.keys(metafile.inputs), chosenFiles.screen);
  const [, body, name] = /^([^]*)export\{(\w+) as runTui\};\s*$/.exec(outputFiles[0]?.text ?? '') ?? [];
  if (body === undefined || name === undefined)
    throw new Error(`${screenSource} must export runTui and nothing else: build/screen.ts makes one function of it`);
  if (body.includes('import.meta')) throw new Error('the screen is called as a function, which has no import.meta');
  return { metafile, part: `async ${partOf(screenPart, `${body}exports.runTui=${name}`)}` };
}
