import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { build } from 'esbuild';
import type { Plugin } from 'esbuild';

/**
 * Node's own modules are looked up, not imported. An import makes Node read every property of the module to build its
 * exports, and for node:http that loads its whole fetch implementation (some 30 ms); and in an ES module bundle there is
 * no `require` for the CommonJS libraries. A dynamic import stays: bundled, it would have lost its named exports.
 */
const builtins: Plugin = {
  name: 'builtins',
  setup(bundler) {
    const names = builtinModules.map((name) => name.replace(/^node:/, '').replaceAll('/', '\\/'));
    bundler.onResolve({ filter: new RegExp(`^(node:)?(${names.join('|')})$`) }, ({ path, kind }) => (kind === 'dynamic-import' ? { path, external: true } : { path, namespace: 'builtin' }));
    bundler.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({ contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});` }));
  },
};

/**
 * oclif requires its help, its plugin loader and its spinners when a command is merely defined. Here each of its files
 * is asked for when it is first used, and what only those parts need is left out.
 */
const lazyOclif: Plugin = {
  name: 'lazy-oclif',
  setup(bundler) {
    const unused = ['ansis', 'cli-spinners', 'debug', 'ejs', 'lilconfig', 'minimatch', 'supports-color', 'tinyglobby', 'typescript', 'wsl-utils'];
    bundler.onResolve({ filter: new RegExp(`^(${unused.join('|')})$`) }, ({ path, importer }) => (/[\\/]@oclif[\\/]core[\\/]/.test(importer) ? { path, namespace: 'unused' } : undefined));
    bundler.onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      contents: path === 'debug' ? 'module.exports = () => () => undefined;' : `throw new Error(${JSON.stringify(`${path} is not part of the bundle`)});`,
    }));
    bundler.onLoad({ filter: /[\\/]@oclif[\\/]core[\\/]lib[\\/].*\.js$/ }, async ({ path }) => {
      const names: string[] = [];
      const source = (await readFile(path, 'utf8')).replace(/^const (\w+) = ((?:__importDefault\(|__importStar\()?require\("[^"]+"\)\)?);$/gm, (_line, name: string, required: string) => {
        names.push(name);
        return `let loaded_${name}; const load_${name} = () => (loaded_${name} ??= ${required});`;
      });
      return { contents: names.reduce((text, name) => text.replace(new RegExp(`(?<![\\w.])${name}(?!\\w)`, 'g'), `(load_${name}())`), source) };
    });
  },
};

/** string-width prepares tables for half of Unicode when it is loaded; most reports never need them. */
const lazyStringWidth: Plugin = {
  name: 'lazy-string-width',
  setup(bundler) {
    bundler.onResolve({ filter: /^string-width$/ }, ({ path, kind, importer }) => (kind === 'import-statement' && importer.includes('report') ? { path, namespace: 'lazy' } : undefined));
    bundler.onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path }) => ({ resolveDir: process.cwd(), contents: `let loaded; export default (...given) => (loaded ??= require(${JSON.stringify(path)}).default)(...given);` }));
  },
};

/** gRPC has a loader of proto files for administration services that are never started; Ink has a window for its developers. */
const leftOut: Plugin = {
  name: 'left-out',
  setup(bundler) {
    bundler.onResolve({ filter: /^(@grpc\/proto-loader|react-devtools-core)$/ }, ({ path }) => ({ path, namespace: 'left-out' }));
    bundler.onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({ contents: `throw new Error(${JSON.stringify(`${path} is not part of the bundle`)});` }));
  },
};

await rm('dist', { recursive: true, force: true });
const result = await build({
  entryPoints: ['src/main.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  minify: true,
  legalComments: 'none',
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  metafile: true,
  // React and Ink carry a second, slow self for their developers.
  define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
  logLevel: 'warning',
  // The package's Node build is CommonJS, which has no named exports once it is bundled and imported lazily.
  alias: { yaml: './node_modules/yaml/browser/index.js' },
  plugins: [builtins, lazyOclif, lazyStringWidth, leftOut],
});
await writeFile('dist/meta.json', JSON.stringify(result.metafile));
await writeFile('dist/third-party-licences.txt', await collectLicences(Object.keys(result.metafile.inputs)));

/** The bundle carries other people's code, so it carries their licences too. */
async function collectLicences(inputs: readonly string[]): Promise<string> {
  const directories = new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []));
  const texts = [...directories].sort().map(async (directory) => {
    const { name, version, license } = JSON.parse(await readFile(`${directory}/package.json`, 'utf8')) as { readonly name: string; readonly version: string; readonly license?: string };
    const file = (await readdir(directory)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? '' : await readFile(`${directory}/${file}`, 'utf8');
    return `${name} ${version} (${license ?? 'see below'})\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join('\n----\n\n');
}
