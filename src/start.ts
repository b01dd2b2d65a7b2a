// The first file of the bundle that runs, written so that a Node too old for the rest can still read it and say so.
// It loads the packs that the build made (build/packs.ts), with the code that V8 compiled of them in earlier runs.
import type { Script } from 'node:vm';

/** Put in by the build: part of the program → its pack; the part that runs first; a fingerprint of all packs; whether the packs are inside the executable. */
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
/** Code that V8 compiled, and how many runs it was collected from. */
interface KeptCode {
  readonly code: Buffer;
  readonly runs: number;
}
interface RunPart {
  readonly exports: object;
  /** What the part returned: a promise if it is asynchronous. */
  readonly result: unknown;
}

/** Functions are compiled when they are first called, and another claim calls other rules: the code of this many runs is collected, then it stays. */
const collectedRuns = 4;
/** A checksum of four bytes and the number of runs. */
const trailerBytes = 5;
const neededNode = '22.19';
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
  const cache = cacheDirectory(command);
  const packs = new Map<string, Pack>();
  const openPack = (name: string): Pack => {
    const pack = packs.get(name) || readPack(name, command, cache);
    packs.set(name, pack);
    return pack;
  };
  if (cache !== undefined) process.on('exit', () => keepCode(cache, packs));
  partRunner(openPack)(ENTRY);
}

/** The launcher hides NODE_EXTRA_CA_CERTS from Node (bin/kubectl-csi); plugins and the program itself find it where it was. */
function restoreExtraAuthorities(): void {
  const { KUBECTL_CSI_EXTRA_CA_CERTS: hidden } = process.env;
  if (hidden === undefined) return;
  process.env['NODE_EXTRA_CA_CERTS'] = hidden;
  delete process.env['KUBECTL_CSI_EXTRA_CA_CERTS'];
}

/** Runs a part when it is first asked for; parts ask for each other as modules do. */
function partRunner(openPack: (name: string) => Pack): (name: string) => RunPart {
  const running = new Map<string, RunPart>();
  const runPart = (name: string): RunPart => {
    const known = running.get(name);
    if (known !== undefined) return known;
    const module = { exports: {}, result: undefined as unknown };
    running.set(name, module);
    const part = openPack(PARTS[name] as string).parts[name] as Part;
    module.result = part(module.exports, requirePart, module, __dirname, openPartAsync);
    return module;
  };
  const requirePart = (path: string): unknown => {
    const name = path.slice(2, -3);
    return PARTS[name] === undefined ? builtinModule(path) : runPart(name).exports;
  };
  const openPartAsync = (name: string): Promise<unknown> => {
    const part = runPart(name);
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

function readPack(name: string, command: string, cache: string | undefined): Pack {
  const { Script: CompiledScript } = process.getBuiltinModule('node:vm');
  const filename = name + '.pack';
  const kept = (cache === undefined ? undefined : readOwnCode(cache + '/' + name)) || readShippedCode(command, name);
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

/** A file of dist/, which the executable has inside. */
function readShipped(name: string): Buffer {
  return IS_EXECUTABLE
    ? Buffer.from(process.getBuiltinModule('node:sea').getRawAsset('dist/' + name))
    : process.getBuiltinModule('node:fs').readFileSync(__dirname + '/' + name);
}

/** What this user's earlier runs compiled. */
function readOwnCode(path: string): KeptCode | undefined {
  const fs = process.getBuiltinModule('node:fs');
  return fs.existsSync(path) ? checkedCode(() => fs.readFileSync(path)) : undefined;
}

/** What the usual commands compiled when the program was built (build/compiled-code.ts), so that a first run need not. It is never collected anew: that gained less than 3 ms. */
function readShippedCode(command: string, pack: string): KeptCode | undefined {
  const platform = process.platform + '-' + process.arch + '-' + process.version;
  const shipped = checkedCode(() => readShipped('code/' + platform + '/' + command + '/' + pack));
  return shipped && { code: shipped.code, runs: collectedRuns };
}

function checkedCode(read: () => Buffer): KeptCode | undefined {
  try {
    const file = read();
    const code = file.subarray(0, -trailerBytes);
    if (file.readUInt32LE(code.length) !== checksum(code)) return undefined;
    return { code: code, runs: file.readUInt8(code.length + 4) };
  } catch (_) {
    return undefined;
  }
}

/** V8 trusts the code that it is given and may crash on it: one word of every half page shows a file that was only partly written to disk. */
function checksum(code: Buffer): number {
  let sum = code.length;
  for (let at = 0; at + 4 <= code.length; at += 2048) sum = (Math.imul(sum, 31) + code.readUInt32LE(at)) >>> 0;
  return sum;
}

/** Code is kept for each command apart, since loading what is not called takes time too. A search calls more than a name does, and a dump other functions than a cluster. */
function commandName(): string {
  const [, , word = ''] = process.argv;
  const command = word.replace(/[^a-z_-]/g, '').replace(/^-.*$/, 'help') || 'help';
  const isSearch = process.argv.indexOf('-A') > 0 || process.argv.indexOf('--all-namespaces') > 0;
  const isDump = process.argv.some((argument) => /^--from(=|$)/.test(argument));
  return command + (isSearch ? '-all' : '') + (isDump ? '-from' : '');
}

/**
 * In the user's own cache directory: others could write to a shared one. For each build apart: V8 compares its version
 * and the length of the text, but not the text.
 */
function cacheDirectory(command: string): string | undefined {
  const home = process.env['HOME'] || process.env['USERPROFILE'];
  const base =
    process.env['XDG_CACHE_HOME'] ||
    process.env['LOCALAPPDATA'] ||
    (home && home + (process.platform === 'darwin' ? '/Library/Caches' : '/.cache'));
  if (!base) return undefined;
  return [base, 'kubectl-csi', BUILD + '-' + process.arch + '-' + process.version, command].join('/');
}

/** At the end of a run it is known what it called; a run that failed has not called everything. */
function keepCode(directory: string, packs: ReadonlyMap<string, Pack>): void {
  if ([0, 1, 3].indexOf(Number(process.exitCode)) < 0) return;
  try {
    packs.forEach(({ script, kept }, name) => {
      const runs = kept === undefined ? 0 : kept.runs;
      if (runs < collectedRuns) writeCode(directory, name, { code: script.createCachedData(), runs: runs + 1 });
    });
  } catch (_) {
    // Where nothing can be written, the next run is as slow as this one.
  }
}

function writeCode(directory: string, name: string, { code, runs }: KeptCode): void {
  const fs = process.getBuiltinModule('node:fs');
  const firstMade = fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (firstMade !== undefined) deleteOldBuilds(directory.replace(/\/[^/]*\/[^/]*$/, ''));
  const trailer = Buffer.alloc(trailerBytes);
  trailer.writeUInt32LE(checksum(code));
  trailer.writeUInt8(runs, 4);
  const unfinished = directory + '/' + name + '.' + process.pid;
  try {
    fs.writeFileSync(unfinished, Buffer.concat([code, trailer]), { mode: 0o600 });
    fs.renameSync(unfinished, directory + '/' + name);
  } catch (error) {
    fs.rmSync(unfinished, { force: true });
    throw error;
  }
}

/** Deletes the code of builds that have not added a command for a month. */
function deleteOldBuilds(directory: string): void {
  const fs = process.getBuiltinModule('node:fs');
  const monthMs = 30 * 24 * 3600 * 1000;
  fs.readdirSync(directory).forEach((name) => {
    const path = directory + '/' + name;
    if (Date.now() - fs.statSync(path).mtimeMs > monthMs) fs.rmSync(path, { recursive: true, force: true });
  });
}
