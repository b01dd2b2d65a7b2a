// The first file of the bundle that runs, written so that a Node too old for the rest can still read it and say so.
// It loads the packs that the build made (build/packs.ts), with the code that V8 compiled of them in earlier runs.
import type { Stats } from 'node:fs';
import type { Script } from 'node:vm';
import { CodeCache } from './start/code-cache.ts';
import { decodeKeptCode } from './start/kept-code.ts';
import type { KeptCode } from './start/kept-code.ts';
import { LateCompilation } from './start/late-compilation.ts';
import { isTrustedLike, lstat, readTrusted } from './start/trusted-files.ts';

/**
 * Put in by the build: part of the program → its pack; the part that runs first; a fingerprint of all packs; whether
 * the packs are inside the executable.
 */
declare const PARTS: Readonly<Record<string, string>>;
declare const ENTRY: string;
declare const BUILD: string;
declare const IS_EXECUTABLE: boolean;

type Part = (
  exports: object,
  require: (path: string) => unknown,
  module: { exports: object },
  dirname: string,
  openPartAsync: (name: string) => Promise<unknown>,
) => unknown;
interface Pack {
  readonly script: Script;
  /** Undefined where V8 did not accept it, or there was none. */
  readonly kept: KeptCode | undefined;
  readonly parts: Readonly<Record<string, Part>>;
}
interface RunPart {
  readonly exports: object;
  /** What the part returned: a promise if it is asynchronous. */
  readonly result: unknown;
}

/**
 * Functions are compiled when they are first called, and another claim calls other rules: the code of this many runs is
 * collected, then it stays.
 */
const collectedRuns = 4;
/** What compiled code belongs to: these packs, this processor, this Node. */
const build = BUILD + '-' + process.arch + '-' + process.version;
const neededNode = '22.19';
/** It is opened when Node's own modules are loaded and the first requests are sent. */
const enginePack = 'judge';
const compilation = new LateCompilation();
let trustedDirectory: string | undefined;
const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    'kubectl csi: Node.js ' + neededNode + ' or newer is needed, and this is ' + process.versions.node + '\n',
  );
  process.exitCode = 4;
} else {
  start();
}

function start(): void {
  restoreExtraAuthorities();
  const command = commandName();
  const cache = CodeCache.open(build, command);
  const packs = new Map<string, Pack>();
  const openPack = (name: string): Pack => {
    const known = packs.get(name);
    if (known !== undefined) return known;
    const pack = compilation.withUsualFlags(() => readPack(name, command, cache));
    packs.set(name, pack);
    if (name === enginePack) compilation.begin(command);
    return pack;
  };
  let program: RunPart | undefined;
  if (cache !== undefined) process.on('exit', () => endRun(cache, packs, program));
  try {
    program = partRunner(openPack)(ENTRY);
  } catch (error) {
    process.stderr.write('kubectl csi: the program cannot be loaded, so install it again: ' + String(error) + '\n');
    process.exitCode = 4;
  }
}

/** A run that ended with a bug, or before the program could start, may have been given code that is wrong. */
function endRun(cache: CodeCache, packs: ReadonlyMap<string, Pack>, program: RunPart | undefined): void {
  const { endedByBug } = (program === undefined ? {} : program.exports) as { endedByBug?: () => boolean };
  if (endedByBug === undefined || endedByBug()) return cache.discard();
  compilation.withUsualFlags(() => keepCode(cache, packs));
  cache.release();
}

/**
 * The launcher hides NODE_EXTRA_CA_CERTS from Node (bin/kubectl-csi); plugins and the program itself find it where it
 * was.
 */
function restoreExtraAuthorities(): void {
  const { KUBECTL_CSI_EXTRA_CA_CERTS: hidden } = process.env;
  if (hidden === undefined) return;
  process.env['NODE_EXTRA_CA_CERTS'] = hidden;
  delete process.env['KUBECTL_CSI_EXTRA_CA_CERTS'];
}

/** Runs a part on its first use; parts request each other as modules do. */
function partRunner(openPack: (name: string) => Pack): (name: string) => RunPart {
  const running = new Map<string, RunPart>();
  const runPart = (name: string): RunPart => {
    const module = { exports: {}, result: undefined as unknown };
    running.set(name, module);
    const part = openPack(PARTS[name] as string).parts[name] as Part;
    module.result = part(module.exports, requirePart, module, __dirname, openPartAsync);
    return module;
  };
  // Called some 2,000 times in a short run.
  const requirePart = (name: string): unknown => {
    const known = running.get(name);
    if (known !== undefined) return known.exports;
    return PARTS[name] === undefined ? builtinModule(name) : runPart(name).exports;
  };
  const openPartAsync = (name: string): Promise<unknown> => {
    const part = running.get(name) || runPart(name);
    return Promise.resolve(part.result).then(() => part.exports);
  };
  return runPart;
}

/** A library may try whether another one is installed, and expects an error where it is not. */
function builtinModule(name: string): unknown {
  const found: unknown = process.getBuiltinModule(name);
  if (found === undefined) throw new Error(name + ' is not part of the bundle');
  return found;
}

function readPack(name: string, command: string, cache: CodeCache | undefined): Pack {
  const { Script: CompiledScript } = process.getBuiltinModule('node:vm');
  const filename = name + '.pack';
  const kept = readKeptCode(name, command, cache);
  const script = new CompiledScript(readShipped(filename).toString(), {
    filename: __dirname + '/' + filename,
    ...(kept === undefined ? {} : { cachedData: kept.code }),
  });
  return {
    script: script,
    kept: script.cachedDataRejected === false ? kept : undefined,
    parts: script.runInThisContext() as Pack['parts'],
  };
}

/** What this user's earlier runs compiled, or else what the program brings along. After a crash, neither. */
function readKeptCode(pack: string, command: string, cache: CodeCache | undefined): KeptCode | undefined {
  if (cache === undefined) return readShippedCode(command, pack);
  return cache.isAfterCrash ? undefined : cache.read(pack) || readShippedCode(command, pack);
}

/** A file of dist/, which the executable has inside. */
function readShipped(name: string): Buffer {
  return IS_EXECUTABLE
    ? Buffer.from(process.getBuiltinModule('node:sea').getRawAsset('dist/' + name))
    : process.getBuiltinModule('node:fs').readFileSync(__dirname + '/' + name);
}

/**
 * What the usual commands compiled when the program was built (build/compiled-code.ts), so that a first run need not.
 * It is never collected again: that gained less than 3 ms.
 */
function readShippedCode(command: string, pack: string): KeptCode | undefined {
  const platform = process.platform + '-' + process.arch + '-' + process.version;
  const path = 'code/' + platform + '/' + command + '/' + pack;
  const file = IS_EXECUTABLE ? assetOrNothing(path) : readOwnedByInstallation(path);
  const shipped = file && decodeKeptCode(file, build + '/' + command + '/' + pack);
  return shipped && { code: shipped.code, runs: collectedRuns };
}

function assetOrNothing(path: string): Buffer | undefined {
  try {
    return readShipped(path);
  } catch (_) {
    return undefined;
  }
}

/**
 * Neither the file nor a directory on the way may belong to, or be writable by, a user who does not own the program.
 */
function readOwnedByInstallation(path: string): Buffer | undefined {
  const program = lstat(__filename);
  if (program === undefined) return undefined;
  const isTrusted = isTrustedLike(program);
  if (trustedDirectory === undefined) trustedDirectory = findTrustedDirectory(path, isTrusted);
  return trustedDirectory === '' ? undefined : readTrusted(__dirname + '/' + path, isTrusted);
}

/** All packs of a run are in one directory. Empty if it is not trusted. */
function findTrustedDirectory(path: string, isTrusted: (stats: Stats) => boolean): string {
  const names = path.split('/').slice(0, -1);
  const isOwned = names.every((_, index) => {
    const stats = lstat(__dirname + '/' + names.slice(0, index + 1).join('/'));
    return stats !== undefined && stats.isDirectory() && isTrusted(stats);
  });
  return isOwned ? names.join('/') : '';
}

/**
 * Code is kept for each command apart, since loading what is not called takes time too. A search calls more than a name
 * does, and a dump other functions than a cluster.
 */
function commandName(): string {
  const [, , word = ''] = process.argv;
  const command = word.replace(/[^a-z_-]/g, '').replace(/^-.*$/, 'help') || 'help';
  const isSearch = process.argv.indexOf('-A') > 0 || process.argv.indexOf('--all-namespaces') > 0;
  const isDump = process.argv.some((argument) => /^--from(=|$)/.test(argument));
  return command + (isSearch ? '-all' : '') + (isDump ? '-from' : '');
}

/** At the end of a run it is known what it called; a run that failed has not called everything. */
function keepCode(cache: CodeCache, packs: ReadonlyMap<string, Pack>): void {
  if ([0, 1, 3].indexOf(Number(process.exitCode)) < 0) return;
  try {
    packs.forEach(({ script, kept }, name) => {
      const runs = kept === undefined ? 0 : kept.runs;
      if (runs < collectedRuns) cache.write(name, { code: script.createCachedData(), runs: runs + 1 });
    });
  } catch (_) {
    // Where nothing can be written, the next run is as slow as this one.
  }
}
