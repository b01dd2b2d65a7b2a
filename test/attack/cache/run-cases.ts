import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Finished } from '../../kit/run-program.ts';
import type { Random } from '../random.ts';
import { cacheAt, copyPrivate, isPoisoned, victim } from './installation.ts';
import type { Installation } from './installation.ts';
import { isRoot, ownedBelow } from './tamperings.ts';
import type { Tampering } from './tamperings.ts';

const nobody = 65_534;

/** What is wrong with the case, in one line; undefined if it held. */
export type Verdict = string | undefined;

export function difference(name: string, actual: Finished, clean: Finished): Verdict {
  if (isDeepStrictEqual(actual, clean)) return undefined;
  const what = isPoisoned(actual) ? 'loaded the poisoned code' : `exit ${actual.exitCode}, not ${clean.exitCode}`;
  return `${name}: ${what}; stderr ${JSON.stringify(actual.stderr.slice(0, 300))}`;
}

/** Poisoned code in a proper cache is loaded: without this, no other case could fail. */
export async function poisonWorks(installation: Installation): Promise<Verdict> {
  const { base } = installation.copyCache('poison');
  return isPoisoned(await installation.run(victim, base))
    ? undefined
    : 'control: poisoned code in a private cache was not loaded, so the suite shows nothing';
}

export async function runTampering(installation: Installation, tampering: Tampering): Promise<Verdict> {
  const cache = installation.copyCache(tampering.begins);
  const clean = await installation.runClean();
  tampering.spoil(cache);
  const first = difference(tampering.name, await installation.run(victim, cache.base), clean);
  const second = difference(`${tampering.name}, second run`, await installation.run(victim, cache.base), clean);
  return first ?? second;
}

/** Changes one byte of one file of the command's code. */
export function flipByte(directory: string, random: Random): string {
  const pack = random.pick(readdirSync(directory));
  const path = join(directory, pack);
  const bytes = readFileSync(path);
  const at = random.below(bytes.length);
  const mask = 1 + random.below(255);
  bytes[at] = (bytes[at] ?? 0) ^ mask;
  writeFileSync(path, bytes);
  return `${directory.split('/').at(-1)}/${pack} byte ${at} of ${bytes.length} xor ${mask}`;
}

/** A crash by a signal: the run after it compiles everything, and leaves no mark. The words are of a run that reads standard input. */
export async function runAfterCrash(
  installation: Installation,
  signal: NodeJS.Signals,
  { words, directory }: { readonly words: readonly string[]; readonly directory: string },
): Promise<Verdict> {
  const { base, build, command } = installation.copyCache('good');
  const clean = await installation.runClean();
  const child = spawn(join(installation.path('real'), 'bin/kubectl-csi'), words, {
    env: { ...process.env, XDG_CACHE_HOME: base },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(child, 'close');
  const marks = (): string[] => readdirSync(build).filter((name) => name.startsWith('running.'));
  for (let tries = 0; marks().length === 0 && tries < 200; tries += 1) await pause(50);
  const isMarked = marks().length > 0;
  child.kill(isMarked ? signal : 'SIGKILL');
  await ended;
  if (!isMarked) return `${signal}: a run with kept code left no mark`;
  const after = difference(`a run after ${signal}`, await installation.run(victim, base), clean);
  if (after !== undefined) return after;
  if (existsSync(join(build, directory))) return `${signal}: the code of the crashed run is still there`;
  if (marks().length > 0) return `${signal}: a mark is still there`;
  return existsSync(join(command, 'main')) ? undefined : `${signal}: other code was discarded too`;
}

/** As root with another user's HOME: nothing of root's is left there, and nothing of the user's is loaded. */
export async function runAsRootWithForeignHome(installation: Installation, hasCache: boolean): Promise<Verdict> {
  if (!isRoot) return undefined;
  const home = installation.path(`home-${hasCache}`);
  mkdirSync(home, { mode: 0o755 });
  if (hasCache) copyPrivate(installation.path('poison'), join(home, '.cache'));
  for (const path of [
    home,
    ...readdirSync(home, { recursive: true, encoding: 'utf8' }).map((name) => join(home, name)),
  ])
    chownSync(path, nobody, nobody);
  const clean = await installation.runClean();
  const name = `root with a user's HOME, ${hasCache ? 'with' : 'without'} a cache`;
  const finished = await installation.run(victim, '', undefined, { HOME: home });
  const left = ownedBelow(home);
  if (left.length > 0) return `${name}: root's files are left: ${left.join(' ')}`;
  return difference(name, finished, clean);
}

/** Several first runs at the same time: none sees half of a file, and what is kept is whole. */
export async function runTogether(installation: Installation, count: number): Promise<Verdict> {
  const base = installation.path('together');
  const clean = await installation.runClean();
  for (const round of ['empty', 'filled']) {
    const all = await Promise.all(Array.from({ length: count }, () => installation.run(victim, base)));
    const wrong = all.map((one) => difference(`${count} runs on an ${round} cache`, one, clean)).find(Boolean);
    if (wrong !== undefined) return wrong;
  }
  const left = readdirSync(base, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\/(running|[a-z]+)\.\d+$/.test(name),
  );
  return left.length > 0 ? `runs at the same time left ${left.join(' ')}` : undefined;
}

/** Places where nothing can be kept: no message, no failure. */
export function uselessPlaces(installation: Installation): Readonly<Record<string, string>> {
  const readOnly = installation.path('read-only');
  mkdirSync(readOnly, { recursive: true, mode: 0o500 });
  const file = installation.path('a-file');
  writeFileSync(file, 'x');
  return {
    'below a device': '/dev/null/nowhere',
    'a full device': '/dev/full',
    'a file': file,
    'below a file': join(file, 'cache'),
    'in /proc': '/proc/self/cache',
    'in /sys': '/sys/cache',
    'a name that is too long': `/tmp/${'x'.repeat(300)}`,
    'a path that is too long': `/tmp${'/x'.repeat(3000)}`,
    'a read-only directory': readOnly,
    'the root of all files, with dots': '/../../../proc/nothing',
    'a line break': `${installation.path('line')}\nbreak`,
  };
}

export async function runInUselessPlace(installation: Installation, name: string, place: string): Promise<Verdict> {
  const clean = await installation.runClean();
  return (
    difference(`XDG_CACHE_HOME is ${name}`, await installation.run(victim, place), clean) ??
    difference(`XDG_CACHE_HOME is ${name}, second run`, await installation.run(victim, place), clean)
  );
}

/** The program brings its own code along: the same checks, with the owner of the program instead of the user. */
export async function runShippedTampering(
  installation: Installation,
  { name, spoil }: { readonly name: string; readonly spoil: (file: string) => void },
): Promise<Verdict> {
  const directory = join(installation.shippedCode, 'completion');
  const clean = await installation.runClean();
  mkdirSync(directory, { recursive: true });
  const { command } = cacheAt(installation.path('poison'));
  for (const pack of readdirSync(command))
    writeFileSync(join(directory, pack), readFileSync(join(command, pack)), { mode: 0o644 });
  for (const pack of readdirSync(directory)) spoil(join(directory, pack));
  const finished = await installation.runClean();
  rmSync(join(installation.path('real'), 'dist/code'), { recursive: true, force: true });
  if (name === 'control') return isPoisoned(finished) ? undefined : 'control: code next to the program was not loaded';
  return difference(`shipped code: ${name}`, finished, clean);
}

export const shippedTamperings = [
  { name: 'control', spoil: () => undefined },
  { name: 'written by the group', spoil: (file: string) => chmodSync(file, 0o664) },
  { name: 'written by everybody', spoil: (file: string) => chmodSync(file, 0o666) },
  { name: 'a directory that everybody writes', spoil: (file: string) => chmodSync(join(file, '..'), 0o777) },
  {
    name: 'a directory above that everybody writes',
    spoil: (file: string) => chmodSync(join(file, '../../..'), 0o777),
  },
  {
    name: 'another byte',
    spoil: (file: string) => writeFileSync(file, readFileSync(file).fill(0, 5000, 5001).fill(255, 6000, 6001)),
  },
  ...(isRoot
    ? [
        { name: 'another owner', spoil: (file: string) => chownSync(file, nobody, nobody) },
        { name: 'a directory of another owner', spoil: (file: string) => chownSync(join(file, '..'), nobody, nobody) },
      ]
    : []),
];
