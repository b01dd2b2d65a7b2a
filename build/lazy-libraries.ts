import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import type { MatchCounts } from './match-counts.ts';

/** Required only by parts of oclif that this program never calls. */
const unusedByOclif = [
  'ansis',
  'cli-spinners',
  'debug',
  'ejs',
  'lilconfig',
  'minimatch',
  'supports-color',
  'tinyglobby',
  'typescript',
  'wsl-utils',
];

/**
 * oclif requires its help, its plugin loader and its spinners as soon as a command is defined; gRPC requires its server, its
 * balancers and its statistics for one call to one socket. Here each of their files is loaded when something of it is first used.
 */
export function lazyLibraries(counts: MatchCounts): Plugin {
  const countOclif = counts.expect('requires of @oclif/core on use', 240);
  const countGrpc = counts.expect('requires of @grpc/grpc-js on use', 256);
  const countUnused = new Map(unusedByOclif.map((name) => [name, counts.expect(`${name} left out of @oclif/core`, 1)]));
  return {
    name: 'lazy-libraries',
    setup(bundler) {
      bundler.onResolve({ filter: new RegExp(`^(${unusedByOclif.join('|')})$`) }, ({ path, importer }) => {
        if (!/[\\/]@oclif[\\/]core[\\/]/.test(importer)) return undefined;
        countUnused.get(path)?.();
        return { path, namespace: 'unused' };
      });
      bundler.onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({ contents: unusedModule(path) }));
      bundler.onLoad({ filter: /[\\/]@oclif[\\/]core[\\/]lib[\\/].*\.js$/ }, async ({ path }) => {
        const { text, matches } = requireOnUse(await readFile(path, 'utf8'), /\w+/);
        countOclif(matches);
        return { contents: text };
      });
      // Only names that TypeScript made up: one that a person wrote may be the name of something else as well.
      bundler.onLoad({ filter: /[\\/]@grpc[\\/]grpc-js[\\/]build[\\/]src[\\/].*\.js$/ }, async ({ path }) => {
        const { text, matches } = requireOnUse(await readFile(path, 'utf8'), /\w+_1/);
        countGrpc(matches);
        return { contents: text };
      });
    },
  };
}

/** oclif makes a logger when it is loaded; everything else is never reached. */
function unusedModule(path: string): string {
  return path === 'debug' ? 'module.exports = () => () => undefined;' : missingModule(path);
}

function missingModule(path: string): string {
  return `throw new Error(${JSON.stringify(`${path} is not part of the bundle`)});`;
}

/** Turns `const name = require("…")` at the top of a file into a call that requires it where `name` is used. */
export function requireOnUse(source: string, names: RegExp): { readonly text: string; readonly matches: number } {
  const found: string[] = [];
  const topLevelRequire = new RegExp(
    `^(?:const|var) (${names.source}) = ((?:__importDefault\\(|__importStar\\()?require\\("[^"]+"\\)\\)?);$`,
    'gm',
  );
  const withLoaders = source.replace(topLevelRequire, (_line, name: string, required: string) => {
    found.push(name);
    return `let loaded_${name}; const load_${name} = () => (loaded_${name} ??= ${required});`;
  });
  const text = found.reduce(
    (before, name) => before.replace(new RegExp(`(?<![\\w.])${name}(?!\\w)`, 'g'), `(load_${name}())`),
    withLoaders,
  );
  return { text, matches: found.length };
}

/** A part of its own (see `requireParts`), or code next to its user that runs on first use. */
const loaders = {
  asPart: (path: string): string => `requirePart(import(${path}))`,
  inPlace: (path: string): string => `require(${path})`,
};

/** string-width builds tables for half of Unicode when it is loaded (some 20 ms); most output is plain ASCII and needs none of them. */
export function lazyStringWidth(counts: MatchCounts, load: 'asPart' | 'inPlace'): Plugin {
  const countImport = counts.expect('string-width on use', 1);
  return {
    name: 'lazy-string-width',
    setup(bundler) {
      bundler.onResolve({ filter: /^string-width$/ }, ({ path, kind, importer }) => {
        if (kind !== 'import-statement' || !/src[\\/](terminal|commands)[\\/]/.test(importer)) return undefined;
        countImport();
        return { path, namespace: 'lazy' };
      });
      bundler.onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path }) => ({
        resolveDir: process.cwd(),
        contents: `let loaded; export default (...words) => (loaded ??= ${loaders[load](JSON.stringify(path))}.default)(...words);`,
      }));
    },
  };
}

/** gRPC's loader of proto files belongs to administration services that are never started, Ink's developer tools to its developers. */
export function leaveOut(libraries: readonly string[], counts: MatchCounts): Plugin {
  const countLibrary = new Map(libraries.map((name) => [name, counts.expect(`${name} left out`, 1)]));
  return {
    name: 'leave-out',
    setup(bundler) {
      bundler.onResolve({ filter: new RegExp(`^(${libraries.join('|')})$`) }, ({ path }) => {
        countLibrary.get(path)?.();
        return { path, namespace: 'left-out' };
      });
      bundler.onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({ contents: missingModule(path) }));
    },
  };
}

/** The library for servers of the Model Context Protocol brings a validator for answers of users, whom this program never asks. */
export function withoutValidator(counts: MatchCounts): Plugin {
  const countShims = counts.expect('validator of @modelcontextprotocol/server left out', 1);
  const namespace = 'no-validator';
  return {
    name: namespace,
    setup(bundler) {
      bundler.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, ({ path }) => {
        countShims();
        return { path, namespace };
      });
      bundler.onLoad({ filter: /.*/, namespace }, () => ({
        contents: `export { default as process } from 'node:process';
export class DefaultJsonSchemaValidator { constructor() { ${missingModule('ajv')} } }`,
      }));
    },
  };
}
