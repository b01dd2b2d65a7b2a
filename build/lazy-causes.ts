import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import type { MatchCounts } from './match-counts.ts';

/**
 * Most of the engine is rules, and a claim that waits for its volume needs none of the rules for mounting one. In the bundle the
 * rules of a stage are loaded when a journey comes to it (src/core/causes/index.ts): some 4 ms less for one claim.
 */
export function lazyCauses(counts: MatchCounts): Plugin {
  const countImports = counts.expect('imports of src/core/causes/index.ts on use', 11);
  return {
    name: 'lazy-causes',
    setup(bundler) {
      bundler.onLoad({ filter: /[\\/]src[\\/]core[\\/]causes[\\/]index\.ts$/ }, async ({ path }) => {
        const { text, matches } = importOnUse(await readFile(path, 'utf8'));
        countImports(matches);
        return { loader: 'ts', contents: text };
      });
    },
  };
}

/** The bundler gives what is imported dynamically a part of its own; `requireParts` then makes the import synchronous. */
export function importOnUse(source: string): { readonly text: string; readonly matches: number } {
  const pathOf = new Map<string, string>();
  const withoutImports = source.replaceAll(
    /^import \{ ([\w, ]+) \} from ('[^']+');$/gm,
    (_line, names: string, path: string) => {
      for (const name of names.split(', ')) pathOf.set(name, path);
      return '';
    },
  );
  const left = /^import (?!type ).*$/m.exec(withoutImports);
  if (left !== null) throw new Error(`build/lazy-causes.ts cannot load this on use: ${left[0]}`);
  const text = [...pathOf].reduce(
    (before, [name, path]) =>
      before.replaceAll(new RegExp(`(?<![\\w.])${name}(?!\\w)`, 'g'), `requirePart(import(${path})).${name}`),
    withoutImports,
  );
  return { text, matches: pathOf.size };
}

/** All parts are on this machine, so a rule need not wait for the one it is in. */
export function requireParts(bundled: string): { readonly text: string; readonly matches: number } {
  let matches = 0;
  const text = bundled.replaceAll(/\brequirePart\(import\(("[^"]+")\)\)/g, (_call, path: string) => {
    matches += 1;
    return `require(${path})`;
  });
  if (text.includes('requirePart('))
    throw new Error('build/lazy-causes.ts does not know how the bundler writes an import');
  return { text, matches };
}
