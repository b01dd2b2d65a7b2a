import { closeSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

interface Holder {
  readonly pid: number;
  /** Where its cluster lives, once there is one. */
  readonly directory?: string;
}

/** One run at a time: two would fight over the bridge and its addresses. A cluster that is only held has a place of its own. */
export class Turn {
  readonly place: number;

  private constructor(place: number) {
    this.place = place;
  }

  /** Waits for another run to end, and says so; a run that was cut off is cleaned up first. */
  static async take(
    place: number,
    say: (line: string) => void,
    patienceSeconds: number,
    cleanUp: (directory: string, place: number) => Promise<void>,
  ): Promise<Turn> {
    const file = fileOf(place);
    const end = Date.now() + patienceSeconds * 1000;
    let told = 0;
    for (;;) {
      try {
        const handle = openSync(file, 'wx');
        writeFileSync(handle, JSON.stringify({ pid: process.pid } satisfies Holder));
        closeSync(handle);
        return new Turn(place);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = readHolder(place);
      if (holder === undefined || !isRun(holder.pid)) {
        if (holder?.directory !== undefined) {
          say(`cleaning up after a run that was cut off (process ${holder.pid})`);
          endProcessesOf(holder.directory);
          await cleanUp(holder.directory, place);
        }
        rmSync(file, { force: true });
        continue;
      }
      if (Date.now() > end)
        throw new Error(
          `another run of these tests (process ${holder.pid}) has had the machine for ${Math.round(patienceSeconds / 60)} minutes: wait for it, or end it with kill ${holder.pid}`,
        );
      if (told !== holder.pid)
        say(`another run of these tests (process ${holder.pid}) has the machine: waiting for it to end`);
      told = holder.pid;
      await sleep(2000);
    }
  }

  /** So that the next run can clean up if this one is killed. */
  livesIn(directory: string): void {
    writeFileSync(fileOf(this.place), JSON.stringify({ pid: process.pid, directory } satisfies Holder));
  }

  end(): void {
    if (readHolder(this.place)?.pid === process.pid) rmSync(fileOf(this.place), { force: true });
  }
}

/** Not under the temporary directory: the bridge is the machine's, so the turn must be too. */
function fileOf(place: number): string {
  return `/run/kubectl-csi-e2e-${place}.json`;
}

function readHolder(place: number): Holder | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(place), 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

/** The number of a process that ended may have gone to another. */
function isRun(pid: number): boolean {
  return commandOf(pid).some((word) => word.endsWith('e2e/main.ts'));
}

function endProcessesOf(directory: string): void {
  // The name was made by mkdtemp: no other run has it; somebody who reads its logs may.
  const name = basename(directory);
  for (const pid of readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number)) {
    const [program = '', ...words] = commandOf(pid);
    if (!(/kubectl-csi-e2e\/|(^|\/)containerd$/.test(program) && words.some((word) => word.includes(name)))) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      /* It ended by itself. */
    }
  }
}

function commandOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
