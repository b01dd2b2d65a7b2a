import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Cache } from './installation.ts';

/** A way to spoil a cache. The run after it must print what a run without a cache prints. */
export interface Tampering {
  readonly name: string;
  /** Poisoned code passes every check but the one that is attacked. */
  readonly begins: 'good' | 'poison';
  readonly needsRoot?: true;
  readonly spoil: (cache: Cache) => void;
}

const nobody = 65_534;

function packsOf({ command }: Cache): string[] {
  return readdirSync(command).map((name) => join(command, name));
}

function eachPack(name: string, spoil: (path: string) => void, rest: Partial<Tampering> = {}): Tampering {
  return { name: `every file ${name}`, begins: 'poison', ...rest, spoil: (cache) => packsOf(cache).forEach(spoil) };
}

/** The same for each of the three directories that must be the user's own. */
function eachDirectory(name: string, spoil: (path: string) => void, rest: Partial<Tampering> = {}): Tampering[] {
  return (['all', 'build', 'command'] as const).map((level) => ({
    name: `the directory "${level}" ${name}`,
    begins: 'poison',
    ...rest,
    spoil: (cache) => spoil(cache[level]),
  }));
}

/** Moves it aside and puts a link to it in its place. */
function linkAway(path: string): void {
  renameSync(path, `${path}.away`);
  symlinkSync(`${path}.away`, path);
}

function replaceBy(make: (path: string) => void): (path: string) => void {
  return (path) => {
    rmSync(path, { recursive: true, force: true });
    make(path);
  };
}

const makeFifo = replaceBy((path) => void execFileSync('mkfifo', ['-m', '600', path]));
const makeLoop = replaceBy((path) => symlinkSync(path, path));
const makeEndless = replaceBy((path) => symlinkSync('/dev/zero', path));

const contents: readonly Tampering[] = [
  eachPack('is empty', (path) => truncateSync(path, 0), { begins: 'good' }),
  eachPack('has four bytes', (path) => truncateSync(path, 4), { begins: 'good' }),
  eachPack('has five bytes', (path) => truncateSync(path, 5), { begins: 'good' }),
  eachPack('lacks its last byte', (path) => truncateSync(path, readFileSync(path).length - 1), { begins: 'good' }),
  eachPack('is cut in half', (path) => truncateSync(path, readFileSync(path).length >> 1), { begins: 'good' }),
  eachPack('has a byte more', (path) => appendFileSync(path, 'x'), { begins: 'good' }),
  eachPack('is zeros', (path) => writeFileSync(path, Buffer.alloc(readFileSync(path).length)), { begins: 'good' }),
  eachPack('has a block of zeros', (path) => writeFileSync(path, readFileSync(path).fill(0, 4096, 8192)), {
    begins: 'good',
  }),
  eachPack('is text', (path) => writeFileSync(path, 'nothing of ours\n'.repeat(5000)), { begins: 'good' }),
  {
    name: 'files have each other’s names',
    begins: 'good',
    spoil: (cache) => {
      const [first = '', second = ''] = packsOf(cache);
      renameSync(first, `${first}.other`);
      renameSync(second, first);
      renameSync(`${first}.other`, second);
    },
  },
  {
    name: 'files of another command',
    begins: 'good',
    spoil: ({ build, command }) => {
      for (const pack of readdirSync(join(build, 'explain')))
        writeFileSync(join(command, pack), readFileSync(join(build, 'explain', pack)), { mode: 0o600 });
    },
  },
];

const rights: readonly Tampering[] = [
  ...[0o604, 0o620, 0o602, 0o640, 0o644, 0o666, 0o777].map((mode) =>
    eachPack(`has mode ${mode.toString(8)}`, (path) => chmodSync(path, mode)),
  ),
  ...[0o701, 0o720, 0o755, 0o777, 0o1777].flatMap((mode) =>
    eachDirectory(`has mode ${mode.toString(8)}`, (path) => chmodSync(path, mode)),
  ),
  eachPack('is another user’s', (path) => chownSync(path, nobody, nobody), { needsRoot: true }),
  ...eachDirectory('is another user’s', (path) => chownSync(path, nobody, nobody), { needsRoot: true }),
  {
    name: 'the cache directory is another user’s, as under sudo',
    begins: 'poison',
    needsRoot: true,
    spoil: ({ base }) => chownSync(base, nobody, nobody),
  },
];

const kinds: readonly Tampering[] = [
  eachPack('is a link', linkAway),
  ...eachDirectory('is a link', linkAway),
  eachPack('is a link to itself', makeLoop),
  ...eachDirectory('is a link to itself', makeLoop),
  eachPack(
    'is a link to nothing',
    replaceBy((path) => symlinkSync('/nonexistent', path)),
  ),
  eachPack('is a link to an endless device', makeEndless),
  eachPack(
    'is a directory',
    replaceBy((path) => mkdirSync(path, { mode: 0o700 })),
  ),
  eachPack(
    'is a directory with files',
    replaceBy((path) => void mkdirSync(join(path, 'deeper', 'still'), { recursive: true, mode: 0o700 })),
  ),
  eachPack('is a FIFO', makeFifo),
  ...eachDirectory('is a FIFO', makeFifo),
  ...eachDirectory(
    'is a file',
    replaceBy((path) => writeFileSync(path, 'x', { mode: 0o600 })),
  ),
  eachPack(
    'is an endless device',
    replaceBy((path) => void execFileSync('mknod', ['-m', '600', path, 'c', '1', '5'])),
    { needsRoot: true },
  ),
];

/** The number of a process that has ended. */
function deadPid(): number {
  return Number(execFileSync('sh', ['-c', 'echo $$'], { encoding: 'utf8' }));
}

const crashes: readonly Tampering[] = [
  {
    name: 'a run with this code crashed',
    begins: 'poison',
    spoil: ({ build }) => writeFileSync(join(build, `running.${deadPid()}`), 'completion\n', { mode: 0o600 }),
  },
  {
    name: 'several runs crashed, one of them with this code',
    begins: 'poison',
    spoil: ({ build }) => {
      writeFileSync(join(build, `running.${deadPid()}`), 'explain\n__tui\n', { mode: 0o600 });
      writeFileSync(join(build, 'running.999999999'), 'tui\ncompletion\n', { mode: 0o600 });
    },
  },
];

const damagedMarks: readonly Tampering[] = ['', '../../..\n', '/\n', '\0\n', 'x'.repeat(100_000)].map(
  (content): Tampering => ({
    name: `a mark says ${JSON.stringify(content.slice(0, 10))}`,
    begins: 'good',
    spoil: ({ build }) => writeFileSync(join(build, `running.${deadPid()}`), content, { mode: 0o600 }),
  }),
);

const oddMarks: readonly Tampering[] = [
  { name: 'a mark is a FIFO', begins: 'good', spoil: ({ build }) => makeFifo(join(build, 'running.999999999')) },
  { name: 'a mark is a directory', begins: 'good', spoil: ({ build }) => mkdirSync(join(build, 'running.999999999')) },
  { name: 'a mark is endless', begins: 'good', spoil: ({ build }) => makeEndless(join(build, 'running.999999999')) },
];

export const tamperings: readonly Tampering[] = [
  ...contents,
  ...rights,
  ...kinds,
  ...crashes,
  ...damagedMarks,
  ...oddMarks,
];

/** One of each class. */
export const fewTamperings: readonly Tampering[] = [
  'every file is cut in half',
  'files have each other’s names',
  'every file has mode 644',
  'the directory "build" has mode 777',
  'every file is another user’s',
  'the cache directory is another user’s, as under sudo',
  'every file is a link',
  'the directory "all" is a link',
  'every file is a FIFO',
  'every file is a directory',
  'a run with this code crashed',
].map((name) => {
  const found = tamperings.find((tampering) => tampering.name === name);
  if (found === undefined) throw new Error(`no tampering is called ${name}`);
  return found;
});

export const isRoot = process.geteuid?.() === 0;

/** Files below the directory that this user owns. */
export function ownedBelow(directory: string): string[] {
  if (!existsSync(directory)) return [];
  return execFileSync('find', [directory, '-mindepth', '1', '-uid', String(process.geteuid?.())], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}
