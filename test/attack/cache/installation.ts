import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../kit/run-program.ts';
import type { Finished } from '../../kit/run-program.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A command whose output is the same in every run. */
export const victim: readonly string[] = ['completion', 'bash'];
const [victimCommand = ''] = victim;
const cleanWords = '# bash completion for kubectl-csi';
const poisonedWords = '# BASH COMPLETION FOR KUBECTL-CSI';

/** Where the compiled code of the victim is, in one user's cache directory. */
export interface Cache {
  readonly base: string;
  readonly all: string;
  readonly build: string;
  readonly command: string;
}

/**
 * Copies of the built program without its compiled code: the real one, and one whose text differs by a few letters. The
 * code that V8 compiles of the second passes for the first: its build and the length of its text are the same. Whoever
 * loads it prints other letters.
 */
export class Installation {
  readonly directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-attack-'));
  readonly #real = join(this.directory, 'real');
  readonly #poisoned = join(this.directory, 'poisoned');
  #made = 0;

  private constructor() {
    chmodSync(this.directory, 0o755);
    for (const copy of [this.#real, this.#poisoned]) copyProgram(copy);
    for (const pack of readdirSync(join(this.#poisoned, 'dist')).filter((name) => name.endsWith('.pack'))) {
      const path = join(this.#poisoned, 'dist', pack);
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(cleanWords, poisonedWords));
    }
  }

  /** With compiled code of the victim, and of the other commands, in two caches to copy from. */
  static async create(others: readonly (readonly string[])[] = []): Promise<Installation> {
    const installation = new Installation();
    for (const words of [victim, victim, ...others]) await installation.run(words, installation.path('good'));
    await installation.run(victim, installation.path('poison'), installation.#poisoned);
    return installation;
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  get shippedCode(): string {
    return join(this.#real, 'dist/code', `${process.platform}-${process.arch}-${process.version}`);
  }

  run(words: readonly string[], cache: string, copy = this.#real, env: Record<string, string> = {}): Promise<Finished> {
    return runProgram(words, {
      command: join(copy, 'bin/kubectl-csi'),
      env: { XDG_CACHE_HOME: cache, ...env },
      timeoutMs: 60_000,
    });
  }

  /** What the program prints with no compiled code at all. */
  runClean(words: readonly string[] = victim): Promise<Finished> {
    return this.run(words, '/dev/null/nowhere');
  }

  /** A copy of one of the two caches, with the owner and the rights that the program gives. */
  copyCache(kind: 'good' | 'poison'): Cache {
    this.#made += 1;
    const base = this.path(`case-${this.#made}`);
    copyPrivate(this.path(kind), base);
    return cacheAt(base);
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export function isPoisoned({ stdout }: Finished): boolean {
  return stdout.includes(poisonedWords);
}

export function cacheAt(base: string): Cache {
  const all = join(base, 'kubectl-csi');
  const build = join(all, readdirSync(all)[0] ?? '');
  return { base, all, build, command: join(build, victimCommand) };
}

export function copyPrivate(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isDirectory()) copyPrivate(join(from, entry.name), join(to, entry.name));
    else writeFileSync(join(to, entry.name), readFileSync(join(from, entry.name)), { mode: 0o600 });
  }
}

function copyProgram(to: string): void {
  mkdirSync(join(to, 'node_modules'), { recursive: true });
  for (const part of ['bin', 'docs/causes', 'oclif.manifest.json', 'package.json'])
    cpSync(join(root, part), join(to, part), { recursive: true });
  cpSync(join(root, 'dist'), join(to, 'dist'), { recursive: true, filter: (path) => !/\/dist\/code(\/|$)/.test(path) });
  symlinkSync(join(root, 'node_modules/node'), join(to, 'node_modules/node'));
}
