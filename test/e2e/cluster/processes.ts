import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A program that runs beside us, with its output in a file. */
export interface Running {
  readonly name: string;
  readonly log: string;
  readonly alive: () => boolean;
  /** Until it has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Asks it to end, and insists after a while. */
  readonly stop: () => Promise<void>;
  readonly kill: (signal: NodeJS.Signals) => void;
}

/** Everything that was started, so that everything can be stopped, the last first. */
export class Processes {
  readonly #directory: string;
  readonly #running: Running[] = [];
  readonly #children = new Set<ChildProcess>();

  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true });
  }

  start(
    name: string,
    command: string,
    words: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Running {
    const log = join(this.#directory, `${name}.log`);
    const file = openSync(log, 'a');
    // A group of its own: a Ctrl-C in the terminal must reach us alone, so that we stop the rest in order.
    const child = spawn(command, words, {
      stdio: ['ignore', file, file],
      env: { ...process.env, ...environment },
      detached: true,
    });
    closeSync(file);
    this.#children.add(child);
    const ended = new Promise<void>((resolve) => {
      const done = (): void => {
        this.#children.delete(child);
        resolve();
      };
      child.on('exit', done);
      child.on('error', done);
    });
    const alive = (): boolean => this.#children.has(child);
    const running: Running = {
      name,
      log,
      alive,
      ended,
      kill: (signal) => {
        if (alive()) child.kill(signal);
      },
      stop: async () => {
        if (!alive()) return;
        // A stopped process hears no other signal.
        child.kill('SIGCONT');
        child.kill('SIGTERM');
        const insist = setTimeout(() => child.kill('SIGKILL'), 5000);
        await ended;
        clearTimeout(insist);
      },
    };
    this.#running.push(running);
    return running;
  }

  async stopAll(): Promise<void> {
    for (const running of this.#running.splice(0).reverse()) await running.stop();
  }

  /** For the last moment, when nothing can be awaited any more. */
  killAll(): void {
    for (const child of this.#children) child.kill('SIGKILL');
  }
}

export function endOf(log: string, lines = 15): string {
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
}
