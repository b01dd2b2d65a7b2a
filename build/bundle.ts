import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { build, transform } from 'esbuild';
import type { BuildOptions, Metafile, Plugin } from 'esbuild';

/**
 * Node's own modules are looked up, not imported. An import makes Node read every property of the module to build its
 * exports, and for node:http that loads its whole fetch implementation (some 30 ms). And they are looked up only when
 * something of theirs is first used, but for those that Node itself has loaded by then: a server without TLS needs none of
 * it. A dynamic import stays: bundled, it would have lost its named exports.
 */
const loadedAnyway = ['fs', 'path', 'url', 'events', 'buffer', 'util', 'process', 'vm', 'module'];
const builtins: Plugin = {
  name: 'builtins',
  setup(bundler) {
    const names = builtinModules.map((name) => name.replace(/^node:/, '').replaceAll('/', '\\/'));
    bundler.onResolve({ filter: new RegExp(`^(node:)?(${names.join('|')})$`) }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path, external: true } : { path, namespace: 'builtin' },
    );
    bundler.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => {
      const look = `process.getBuiltinModule(${JSON.stringify(path)})`;
      const whole = process.getBuiltinModule(path) as object;
      if (loadedAnyway.includes(path.replace(/^node:/, '')) || typeof whole === 'function')
        return { contents: `module.exports = ${look};` };
      const exported = Object.getOwnPropertyNames(whole);
      return {
        contents: `let found; for (const name of ${JSON.stringify(exported)}) Object.defineProperty(exports, name, { enumerable: true, get: () => (found ??= ${look})[name] });`,
      };
    });
  },
};

/**
 * oclif requires its help, its plugin loader and its spinners when a command is merely defined, gRPC its server, its
 * balancers and its statistics for one call to one socket. Here each of their files is asked for when something of it is
 * first used, and what only the unused parts of oclif need is left out.
 */
const lazyLibraries: Plugin = {
  name: 'lazy-libraries',
  setup(bundler) {
    const unused = [
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
    bundler.onResolve({ filter: new RegExp(`^(${unused.join('|')})$`) }, ({ path, importer }) =>
      /[\\/]@oclif[\\/]core[\\/]/.test(importer) ? { path, namespace: 'unused' } : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: 'unused' }, ({ path }) => ({
      contents:
        path === 'debug'
          ? 'module.exports = () => () => undefined;'
          : `throw new Error(${JSON.stringify(`${path} is not part of the bundle`)});`,
    }));
    bundler.onLoad({ filter: /[\\/]@oclif[\\/]core[\\/]lib[\\/].*\.js$/ }, async ({ path }) => ({
      contents: requireLate(await readFile(path, 'utf8'), /\w+/),
    }));
    // Names that TypeScript made up; those that somebody wrote may be names of other things too.
    bundler.onLoad({ filter: /[\\/]@grpc[\\/]grpc-js[\\/]build[\\/]src[\\/].*\.js$/ }, async ({ path }) => ({
      contents: requireLate(await readFile(path, 'utf8'), /\w+_1/),
    }));
  },
};

function requireLate(source: string, named: RegExp): string {
  const names: string[] = [];
  const late = source.replace(
    new RegExp(
      `^(?:const|var) (${named.source}) = ((?:__importDefault\\(|__importStar\\()?require\\("[^"]+"\\)\\)?);$`,
      'gm',
    ),
    (_line, name: string, required: string) => {
      names.push(name);
      return `let loaded_${name}; const load_${name} = () => (loaded_${name} ??= ${required});`;
    },
  );
  return names.reduce(
    (text, name) => text.replace(new RegExp(`(?<![\\w.])${name}(?!\\w)`, 'g'), `(load_${name}())`),
    late,
  );
}

/**
 * The rules are most of what judges, and a claim that waits for its volume needs none of those for mounting one. A shelf of them
 * is loaded when a journey comes to a stage that it explains (src/core/causes/index.ts).
 */
const lazyShelves: Plugin = {
  name: 'lazy-shelves',
  setup(bundler) {
    bundler.onLoad({ filter: /[\\/]src[\\/]core[\\/]causes[\\/]index\.ts$/ }, async ({ path }) => ({
      loader: 'ts',
      contents: importLate(await readFile(path, 'utf8')),
    }));
  },
};

/** A part of its own, as by a dynamic import; but the parts are at hand, so that nobody has to wait for it (`waitsForNobody`). */
function importLate(source: string): string {
  const from = new Map<string, string>();
  const late = source.replaceAll(/^import \{ ([\w, ]+) \} from ('[^']+');$/gm, (_line, names: string, path: string) => {
    for (const name of names.split(', ')) from.set(name, path);
    return '';
  });
  return [...from].reduce(
    (text, [name, path]) =>
      text.replaceAll(new RegExp(`(?<![\\w.])${name}(?!\\w)`, 'g'), `late(import(${path})).${name}`),
    late,
  );
}

function waitsForNobody(text: string): string {
  return text.replaceAll(/\blate\(import\(("[^"]+")\)\)/g, 'require($1)');
}

/** string-width prepares tables for half of Unicode when it is loaded; most reports never need them. */
const lazyStringWidth: Plugin = {
  name: 'lazy-string-width',
  setup(bundler) {
    bundler.onResolve({ filter: /^string-width$/ }, ({ path, kind, importer }) =>
      kind === 'import-statement' && /src[\\/](terminal|commands)[\\/]/.test(importer)
        ? { path, namespace: 'lazy' }
        : undefined,
    );
    bundler.onLoad({ filter: /.*/, namespace: 'lazy' }, ({ path }) => ({
      resolveDir: process.cwd(),
      contents: `let loaded; export default (...given) => (loaded ??= require(${JSON.stringify(path)}).default)(...given);`,
    }));
  },
};

/** A large literal is built field by field, which takes ten times as long as to parse its text. */
const parsedJson: Plugin = {
  name: 'parsed-json',
  setup(bundler) {
    bundler.onLoad({ filter: /\.json$/ }, async ({ path }) => ({
      contents: `module.exports = JSON.parse(${JSON.stringify(ascii(JSON.stringify(JSON.parse(await readFile(path, 'utf8')))))});`,
    }));
  },
};

/** gRPC has a loader of proto files for administration services that are never started; Ink has a window for its developers. */
const leftOut: Plugin = {
  name: 'left-out',
  setup(bundler) {
    bundler.onResolve({ filter: /^(@grpc\/proto-loader|react-devtools-core)$/ }, ({ path }) => ({
      path,
      namespace: 'left-out',
    }));
    bundler.onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`${path} is not part of the bundle`)});`,
    }));
  },
};

/** Ink waits for its layout engine at the top level, which only a module can: it is made apart, and is a function that is waited for. */
const screenPart = 'tui';
const screenApart: Plugin = {
  name: 'screen-apart',
  setup(bundler) {
    bundler.onResolve({ filter: /\/tui\/root\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: screenPart, external: true } : undefined,
    );
  },
};

const common: BuildOptions = {
  outdir: 'dist',
  bundle: true,
  minify: true,
  write: false,
  legalComments: 'none',
  platform: 'node',
  target: 'node22.19',
  metafile: true,
  // React and Ink carry a second, slow self for their developers.
  define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
  logLevel: 'warning',
  // The package's Node build is CommonJS, which has no named exports once it is bundled and imported lazily.
  alias: { yaml: './node_modules/yaml/browser/index.js' },
};

/**
 * What is loaded together lies in one file, a pack: a table of functions, one for each part of the program, that are
 * called when they are first asked for. The listed sources and all that they need make a pack; what several packs
 * need is in `shared`, all that is left in `rest`. So a command reads two or three files, and of each only what it calls is compiled.
 */
const packRoots: Readonly<Record<string, readonly string[]>> = {
  main: ['src/main.ts', 'src/cli/help.ts'],
  explain: [
    'src/commands/explain/command.ts',
    'src/commands/explain/text.ts',
    'src/commands/causes/command.ts',
    'src/commands/causes/text.ts',
  ],
  // Apart, so that the questions are on their way before what judges the answers is loaded.
  ask: ['src/commands/why-pending/command.ts', 'src/commands/why/command.ts', 'src/cli/cluster-source.ts'],
  judge: [
    'src/core/engine/diagnose.ts',
    'src/cli/dump-source.ts',
    'src/terminal/verdict/text.ts',
    ...rulesOf(
      'claim/index',
      'bind/index',
      'mount/health/index',
      'expand/resize-denied-class',
      'delete/static-volume-policy',
    ),
  ],
  provision: rulesOf('provision/index', 'schedule/index'),
  mount: rulesOf('attach/index', 'mount/index', 'expand/index'),
  delete: rulesOf('delete/index', 'modify/index', 'snapshot/index'),
  probe: ['src/commands/probe/command.ts', 'src/io/csi/client.ts', 'src/commands/probe/text.ts'],
};

function rulesOf(...shelves: readonly string[]): string[] {
  return shelves.map((shelf) => `src/core/causes/${shelf}.ts`);
}

/** What rules of several stages share lies beside what judges, which is there before them. */
const judges: readonly string[] = ['judge', 'provision', 'mount', 'delete'];

type Outputs = Metafile['outputs'];

function assignPacks(outputs: Outputs): ReadonlyMap<string, string> {
  const needed = (root: string): Set<string> => {
    const found = new Set<string>();
    const walk = (output: string): void => {
      if (found.has(output)) return;
      found.add(output);
      for (const { path, kind, external } of outputs[output]?.imports ?? [])
        if (kind === 'import-statement' && external !== true) walk(path);
    };
    const entry = Object.keys(outputs).find((output) => outputs[output]?.entryPoint === root);
    if (entry === undefined) throw new Error(`${root} is not loaded by itself, so it cannot be the root of a pack`);
    walk(entry);
    return found;
  };
  const packs = Object.entries(packRoots).map(([name, roots]) => ({
    name,
    parts: new Set(roots.flatMap((root) => [...needed(root)])),
  }));
  return new Map(
    Object.entries(outputs).map(([output, { bytes }]) => {
      const users = packs.filter(({ parts }) => parts.has(output)).map(({ name }) => name);
      if (users.length === 0) return [output, bytes > 400_000 ? partName(output).replace(/-\w+$/, '') : 'rest'];
      if (users.includes('main')) return [output, 'main'];
      if (users.length === 1) return [output, users[0] as string];
      return [output, users.every((user) => judges.includes(user)) ? 'judge' : 'shared'];
    }),
  );
}

const partName = (output: string): string => output.replace(/^dist\//, '').replace(/\.js$/, '');

/** Text of one byte a character is read and kept as it is; a regular expression is the only place where the bundler leaves others. */
function ascii(text: string): string {
  return text.replaceAll(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const given = 'exports,require,module,__dirname,openLater,performance';

async function buildProgram(): Promise<{
  readonly metafile: Metafile;
  readonly entry: string;
  readonly packOf: ReadonlyMap<string, string>;
  readonly parts: ReadonlyMap<string, string>;
}> {
  const { outputFiles = [], metafile } = await build({
    ...common,
    entryPoints: ['src/main.ts'],
    splitting: true,
    format: 'esm',
    plugins: [builtins, lazyLibraries, lazyShelves, lazyStringWidth, parsedJson, leftOut, screenApart],
  });
  const { outputs } = metafile as Metafile;
  const packOf = new Map([...assignPacks(outputs)].map(([output, pack]) => [partName(output), pack]));
  const parts = new Map<string, string>();
  for (const { path, text } of outputFiles) {
    const later = waitsForNobody(text.replaceAll(`import("${screenPart}")`, `openLater("${screenPart}")`));
    const { code } = await transform(later, {
      format: 'cjs',
      minify: true,
      target: common.target as string,
      supported: { 'dynamic-import': false },
      define: { 'import.meta.dirname': '__dirname' },
    });
    const name = partName(`dist/${path.slice(path.lastIndexOf('/') + 1)}`);
    parts.set(name, `${JSON.stringify(name)}(${given}){${code}}`);
  }
  return {
    metafile: metafile as Metafile,
    entry: partName(Object.keys(outputs).find((output) => outputs[output]?.entryPoint === 'src/main.ts') as string),
    packOf,
    parts,
  };
}

async function buildScreen(): Promise<{ readonly metafile: Metafile; readonly part: string }> {
  const { outputFiles: [file] = [], metafile } = await build({
    ...common,
    entryPoints: { [screenPart]: 'src/tui/root.ts' },
    format: 'esm',
    define: { ...common.define, 'import.meta.url': '""' },
    plugins: [builtins, lazyStringWidth, leftOut],
  });
  const [whole = '', body = '', name = ''] = /^([^]*)export\{(\w+) as runTui\};\s*$/.exec(file?.text ?? '') ?? [];
  if (whole === '') throw new Error('the screen does not export what it is started by, and nothing else');
  return { metafile: metafile as Metafile, part: `async ${screenPart}(${given}){${body}exports.runTui=${name}}` };
}

/** Writes the packs, and answers with a word that stands for all of their text. */
async function writePacks(parts: ReadonlyMap<string, string>, packOf: ReadonlyMap<string, string>): Promise<string> {
  const fingerprint = createHash('sha256');
  for (const [pack, inside] of Map.groupBy(parts, ([name]) => packOf.get(name) as string)) {
    const text = `({${inside.map(([, code]) => ascii(code)).join(',\n')}})`;
    fingerprint.update(text);
    await writeFile(`dist/${pack}.pack`, text);
  }
  return fingerprint.digest('hex').slice(0, 16);
}

await rm('dist', { recursive: true, force: true });
await mkdir('dist');
const [program, tui] = [await buildProgram(), await buildScreen()];
const packOf = new Map([...program.packOf, [screenPart, screenPart]]);
const fingerprint = await writePacks(new Map([...program.parts, [screenPart, tui.part]]), packOf);
const known = {
  PARTS: JSON.stringify(Object.fromEntries(packOf)),
  ENTRY: JSON.stringify(program.entry),
  BUILD: JSON.stringify(fingerprint),
};
for (const [name, isExecutable] of [
  ['main', false],
  ['executable', true],
] as const) {
  await build({
    ...common,
    write: true,
    metafile: false,
    entryPoints: { [name]: 'src/start.ts' },
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    target: 'node13.2',
    define: { ...known, IS_EXECUTABLE: String(isExecutable) },
  });
}
const metafiles = [program.metafile, tui.metafile];
await writeFile(
  'dist/meta.json',
  JSON.stringify({ outputs: Object.assign({}, ...metafiles.map(({ outputs }) => outputs)) as Outputs }),
);
await writeFile(
  'dist/third-party-licences.txt',
  await collectLicences(metafiles.flatMap(({ inputs }) => Object.keys(inputs))),
);

/** The bundle carries other people's code, so it carries their licences too. */
async function collectLicences(inputs: readonly string[]): Promise<string> {
  const directories = new Set(inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []));
  const texts = [...directories].sort().map(async (directory) => {
    const { name, version, license } = JSON.parse(await readFile(`${directory}/package.json`, 'utf8')) as {
      readonly name: string;
      readonly version: string;
      readonly license?: string;
    };
    const file = (await readdir(directory)).find((entry) => /^licen[cs]e/i.test(entry));
    const text = file === undefined ? '' : await readFile(`${directory}/${file}`, 'utf8');
    return `${name} ${version} (${license ?? 'see below'})\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join('\n----\n\n');
}
