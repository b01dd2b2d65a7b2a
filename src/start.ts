// The first file of the bundle that runs: written so that a Node too old for the rest can still read it and say so.
// It loads the packs that the build made (esbuild.config.ts), with the code that V8 made of them in an earlier run.
import type { Script } from 'node:vm';

/** Put in by the build: part of the program → the pack that holds it; the first part; a word for this very build; whether all of it lies inside the executable. */
declare const PARTS: Readonly<Record<string, string>>;
declare const ENTRY: string;
declare const BUILD: string;
declare const IS_EXECUTABLE: boolean;

type Part = (
  exports: object,
  require: (name: string) => unknown,
  module: { exports: object },
  dirname: string,
  openLater: (name: string) => Promise<unknown>,
  performance: { now(): number },
) => unknown;
/** Compiled code as it lies in the cache, and how often it was looked at in vain whether there is more to keep. */
interface Kept {
  readonly code: Buffer;
  readonly looks: number;
}
interface Pack {
  readonly script: Script;
  readonly kept: Kept | undefined;
  readonly parts: Readonly<Record<string, Part>>;
}

/** A sum, and how often it was looked in vain for more. */
const trailerBytes = 5;
const mostLooks = 7;
/** What comes with the program is most of what any run calls. */
const looksAtBrought = 2;
const needed = '22.19';
const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];

if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    'kubectl csi: Node.js ' + needed + ' or newer is needed, and this is ' + process.versions.node + '\n',
  );
  process.exitCode = 4;
} else {
  start();
}

function start(): void {
  giveBackAuthorities();
  const { Script: CompiledScript } = process.getBuiltinModule('node:vm');
  const command = commandWord();
  const cache = cacheDirectory(command);
  const packs = new Map<string, Pack>();
  const modules = new Map<string, { readonly exports: object; readonly ended: unknown }>();
  // Node's own `performance` takes a millisecond to load, for a clock that is there without it.
  const performance = { now: () => process.uptime() * 1000 };

  const openPack = (name: string): Pack => {
    const known = packs.get(name);
    if (known !== undefined) return known;
    const filename = name + '.pack';
    const kept = (cache === undefined ? undefined : readKept(cache + '/' + name)) || readBrought(command, name);
    const script = new CompiledScript(readText(filename), {
      filename: __dirname + '/' + filename,
      ...(kept === undefined ? {} : { cachedData: kept.code }),
    });
    const pack = {
      script: script,
      kept: script.cachedDataRejected === false ? kept : undefined,
      parts: script.runInThisContext() as Pack['parts'],
    };
    packs.set(name, pack);
    return pack;
  };
  const runPart = (name: string, pack: string): { readonly exports: object; readonly ended: unknown } => {
    const known = modules.get(name);
    if (known !== undefined) return known;
    const module = { exports: {}, ended: undefined as unknown };
    modules.set(name, module);
    module.ended = (openPack(pack).parts[name] as Part)(
      module.exports,
      openPart,
      module,
      __dirname,
      openLater,
      performance,
    );
    return module;
  };
  const openPart = (path: string): unknown => {
    const name = path.slice(2, -3);
    const pack = PARTS[name];
    return pack === undefined ? builtin(path) : runPart(name, pack).exports;
  };
  const openLater = (name: string): Promise<unknown> => {
    const part = runPart(name, PARTS[name] as string);
    return Promise.resolve(part.ended).then(() => part.exports);
  };
  if (cache !== undefined) process.on('exit', () => keep(cache, packs));
  openPart('./' + ENTRY + '.js');
}

/** The launcher keeps them from Node, which would read them for every TLS context; plugins are to find them where they were. */
function giveBackAuthorities(): void {
  const { KUBECTL_CSI_EXTRA_CA_CERTS: kept } = process.env;
  if (kept === undefined) return;
  process.env['NODE_EXTRA_CA_CERTS'] = kept;
  delete process.env['KUBECTL_CSI_EXTRA_CA_CERTS'];
}

/** Some libraries try whether another one is there. */
function builtin(name: string): unknown {
  const found: unknown = process.getBuiltinModule(name);
  if (found === undefined) throw new Error(name + ' is not part of the bundle');
  return found;
}

/** The text has one byte a character: see the build. */
function readText(name: string): string {
  if (IS_EXECUTABLE)
    return Buffer.from(process.getBuiltinModule('node:sea').getRawAsset('dist/' + name)).toString('latin1');
  return process.getBuiltinModule('node:fs').readFileSync(__dirname + '/' + name, 'latin1');
}

/** What this user's earlier runs called. */
function readKept(path: string): Kept | undefined {
  const fs = process.getBuiltinModule('node:fs');
  return fs.existsSync(path) ? wholeCode(() => fs.readFileSync(path)) : undefined;
}

/** What the usual commands called when the program was built: a first run need not compile it. */
function readBrought(command: string, pack: string): Kept | undefined {
  const path = 'code/' + process.platform + '-' + process.arch + '-' + process.version + '/' + command + '/' + pack;
  const found = wholeCode(() =>
    IS_EXECUTABLE
      ? Buffer.from(process.getBuiltinModule('node:sea').getRawAsset('dist/' + path))
      : process.getBuiltinModule('node:fs').readFileSync(__dirname + '/' + path),
  );
  return found && { code: found.code, looks: looksAtBrought };
}

function wholeCode(read: () => Buffer): Kept | undefined {
  try {
    const file = read();
    const code = file.subarray(0, -trailerBytes);
    return file.readUInt32LE(code.length) === sumOf(code)
      ? { code: code, looks: file.readUInt8(code.length + 4) }
      : undefined;
  } catch (_) {
    return undefined;
  }
}

/** V8 believes whatever it is given, and may end the process over it. A sum over each half of a page tells a file of which a part never reached the disk. */
function sumOf(code: Buffer): number {
  let sum = code.length;
  for (let at = 0; at + 4 <= code.length; at += 2048) sum = (Math.imul(sum, 31) + code.readUInt32LE(at)) >>> 0;
  return sum;
}

/** Compiled code is kept for each command apart, since to load what is not called costs too; a search calls more than a name, and a dump other things than a cluster. */
function commandWord(): string {
  const command = (process.argv[2] || '').replace(/[^a-z_-]/g, '').replace(/^-.*$/, 'help') || 'help';
  const searches = process.argv.indexOf('-A') > 0 || process.argv.indexOf('--all-namespaces') > 0;
  return command + (searches ? '-all' : '') + (process.argv.some((word) => /^--from(=|$)/.test(word)) ? '-from' : '');
}

/**
 * In the user's own cache directory: a shared one could be written by somebody else. For each build apart: V8 looks whether
 * its version and the length of the text are the same, and no further.
 */
function cacheDirectory(command: string): string | undefined {
  const home = process.env['HOME'] || process.env['USERPROFILE'];
  const base =
    process.env['XDG_CACHE_HOME'] ||
    process.env['LOCALAPPDATA'] ||
    (home && home + (process.platform === 'darwin' ? '/Library/Caches' : '/.cache'));
  return base
    ? [base, 'kubectl-csi', BUILD + '-' + process.arch + '-' + process.version, command].join('/')
    : undefined;
}

/**
 * Functions are compiled when they are first called, so what this run called is known at its end; a run that failed has not called it all.
 * Another run of the same command may call more. Whether it did takes some milliseconds to find out: that is done ever more seldom.
 */
function keep(directory: string, packs: ReadonlyMap<string, Pack>): void {
  if ([0, 1, 3].indexOf(Number(process.exitCode)) < 0) return;
  try {
    packs.forEach(({ script, kept }, name) => {
      if (kept !== undefined && (kept.looks >= mostLooks || process.pid % Math.pow(2, kept.looks) !== 0)) return;
      const code = script.createCachedData();
      const isMore = kept === undefined || code.length > kept.code.length * 1.02;
      writeKept(directory, name, isMore ? { code: code, looks: 0 } : { code: kept.code, looks: kept.looks + 1 });
    });
  } catch (_) {
    // Where nothing can be kept, the next run is as slow as this one.
  }
}

function writeKept(directory: string, name: string, { code, looks }: Kept): void {
  const fs = process.getBuiltinModule('node:fs');
  if (fs.mkdirSync(directory, { recursive: true, mode: 0o700 }) !== undefined)
    forgetOld(directory.replace(/\/[^/]*\/[^/]*$/, ''));
  const trailer = Buffer.alloc(trailerBytes);
  trailer.writeUInt32LE(sumOf(code));
  trailer.writeUInt8(looks, 4);
  const unfinished = directory + '/' + name + '.' + process.pid;
  try {
    fs.writeFileSync(unfinished, Buffer.concat([code, trailer]), { mode: 0o600 });
    fs.renameSync(unfinished, directory + '/' + name);
  } catch (error) {
    fs.rmSync(unfinished, { force: true });
    throw error;
  }
}

/** What builds left behind that have not added a command for a month. */
function forgetOld(directory: string): void {
  const fs = process.getBuiltinModule('node:fs');
  fs.readdirSync(directory).forEach((name) => {
    if (Date.now() - fs.statSync(directory + '/' + name).mtimeMs > 30 * 24 * 3600 * 1000)
      fs.rmSync(directory + '/' + name, { recursive: true, force: true });
  });
}
