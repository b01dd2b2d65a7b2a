import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';
import type { MatchCounts } from './match-counts.ts';

/** Node has loaded these before the program starts. */
const alreadyLoaded = ['fs', 'path', 'url', 'events', 'buffer', 'util', 'process', 'vm', 'module'];

/**
 * Node's own modules are looked up with `process.getBuiltinModule`, and only when something of theirs is first used. An import
 * makes Node read every property of the module, which for node:http loads all of fetch (some 30 ms); and a command that needs no TLS
 * does not load it. A dynamic import stays as it is: bundled, it would have lost its named exports.
 */
export function builtinModulesOnUse(counts: MatchCounts, atLeast = 20): Plugin {
  const countModule = counts.expect('builtin modules on use', atLeast);
  const names = builtinModules.map((name) => name.replace(/^node:/, '').replaceAll('/', '\\/'));
  return {
    name: 'builtin-modules-on-use',
    setup(bundler) {
      bundler.onResolve({ filter: new RegExp(`^(node:)?(${names.join('|')})$`) }, ({ path, kind }) =>
        kind === 'dynamic-import' ? { path, external: true } : { path, namespace: 'builtin' },
      );
      bundler.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => {
        countModule();
        return { contents: lookUp(path) };
      });
    },
  };
}

function lookUp(path: string): string {
  const look = `process.getBuiltinModule(${JSON.stringify(path)})`;
  const module = process.getBuiltinModule(path) as object;
  if (alreadyLoaded.includes(path.replace(/^node:/, '')) || typeof module === 'function')
    return `module.exports = ${look};`;
  const names = JSON.stringify(Object.getOwnPropertyNames(module));
  return `let found; for (const name of ${names}) Object.defineProperty(exports, name, { enumerable: true, get: () => (found ??= ${look})[name] });`;
}
