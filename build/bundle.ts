import { mkdir, rm, writeFile } from 'node:fs/promises';
import { build, transform } from 'esbuild';
import type { Metafile } from 'esbuild';
import { builtinModulesOnUse } from './builtin-modules.ts';
import { lazyCauses, requireParts } from './lazy-causes.ts';
import { lazyLibraries, lazyStringWidth, leaveOut, withoutValidator } from './lazy-libraries.ts';
import { collectLicences } from './licences.ts';
import { MatchCounts } from './match-counts.ts';
import { checkChosenFiles, chosenFiles, commonOptions } from './options.ts';
import { assignPacks, entryOutput, partName, partOf, writePacks } from './packs.ts';
import { asPartBodies } from './part-code.ts';
import { buildScreen, openScreenLater, screenPart, separateScreen } from './screen.ts';

/** Makes dist/: the packs of the program, the file that starts it, and the licences of what it contains. */
interface Program {
  readonly metafile: Metafile;
  readonly entry: string;
  readonly packOfPart: ReadonlyMap<string, string>;
  readonly parts: ReadonlyMap<string, string>;
}

async function buildProgram(): Promise<Program> {
  const counts = new MatchCounts();
  const { outputFiles, metafile } = await build({
    ...commonOptions,
    // The parts are minified one by one, when names need not be recognised any more (build/part-code.ts).
    minify: false,
    entryPoints: ['src/main.ts'],
    splitting: true,
    format: 'esm',
    plugins: [
      builtinModulesOnUse(counts),
      lazyLibraries(counts),
      lazyCauses(counts),
      lazyStringWidth(counts, 'asPart'),
      leaveOut(['@grpc/proto-loader'], counts),
      withoutValidator(counts),
      separateScreen(counts),
    ],
  });
  const countCauses = counts.expect('parts of the causes, required', 10);
  const countScreen = counts.expect('calls that open the screen', 1);
  const modules = outputFiles.map(({ path, text }) => {
    const withScreen = openScreenLater(text);
    const withCauses = requireParts(withScreen.text);
    countScreen(withScreen.matches);
    countCauses(withCauses.matches);
    return { name: partName(path.slice(path.lastIndexOf('/') + 1)), text: withCauses.text };
  });
  const parts = new Map<string, string>();
  for (const [name, body] of asPartBodies(modules)) parts.set(name, partOf(name, await minified(body)));
  counts.check();
  checkChosenFiles(Object.keys(metafile.inputs), chosenFiles.program);
  const { outputs } = metafile;
  return {
    metafile,
    entry: partName(entryOutput('src/main.ts', outputs)),
    packOfPart: assignPacks(outputs),
    parts,
  };
}

async function minified(body: string): Promise<string> {
  const { code } = await transform(body, {
    format: 'cjs',
    minify: true,
    target: commonOptions.target,
    supported: { 'dynamic-import': false },
    define: { 'import.meta.dirname': '__dirname' },
  });
  return code;
}

/** The file that runs first: for the launcher, and for the executable, which has all of it inside. */
async function buildStart(known: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, isExecutable] of [
    ['main', false],
    ['executable', true],
  ] as const) {
    await build({
      ...commonOptions,
      write: true,
      metafile: false,
      entryPoints: { [name]: 'src/start.ts' },
      outExtension: { '.js': '.cjs' },
      format: 'cjs',
      // An old Node must be able to read it, to say that it is too old.
      target: 'node13.2',
      define: { ...known, IS_EXECUTABLE: String(isExecutable) },
    });
  }
}

await rm('dist', { recursive: true, force: true });
await mkdir('dist');
const [program, screen] = [await buildProgram(), await buildScreen()];
const packOfPart = new Map([...program.packOfPart, [screenPart, screenPart]]);
const fingerprint = await writePacks(new Map([...program.parts, [screenPart, screen.part]]), packOfPart);
await buildStart({
  PARTS: JSON.stringify(Object.fromEntries(packOfPart)),
  ENTRY: JSON.stringify(program.entry),
  BUILD: JSON.stringify(fingerprint),
});
const metafiles = [program.metafile, screen.metafile];
await writeFile(
  'dist/meta.json',
  JSON.stringify({ outputs: { ...program.metafile.outputs, ...screen.metafile.outputs } }),
);
await writeFile(
  'dist/third-party-licences.txt',
  await collectLicences(metafiles.flatMap(({ inputs }) => Object.keys(inputs))),
);
