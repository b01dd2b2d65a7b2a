import { spawn } from 'node:child_process';

export interface Outcome {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

export interface CommandOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** What it reads. */
  readonly input?: string;
  /** Told when it first says something on standard error. */
  readonly onFirstWord?: () => void;
  /** The directory it runs in. */
  readonly directory?: string;
  /** After this time it is ended, together with everything it started. */
  readonly seconds?: number;
}

/** Runs a command to its end, whatever its exit code. */
export function runCommand(command: string, words: readonly string[], options: CommandOptions = {}): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...options.environment },
      ...(options.directory !== undefined && { cwd: options.directory }),
      // A process group of its own, so that the programs of a pipeline end with it.
      detached: options.seconds !== undefined,
    });
    const timer =
      options.seconds === undefined ? undefined : setTimeout(() => endGroup(child.pid), options.seconds * 1000);
    // One that does not read to the end is no failure of ours.
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
    child.stderr.once('data', () => options.onFirstWord?.());
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? -1, output: Buffer.concat(output).toString(), errors: Buffer.concat(errors).toString() });
    });
  });
}

function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    /* It ended in this moment. */
  }
}

/** Runs a command that must succeed. */
export async function mustRun(
  command: string,
  words: readonly string[],
  options: CommandOptions = {},
): Promise<string> {
  const { code, output, errors } = await runCommand(command, words, options);
  if (code !== 0) throw new Error(`${command} ${words.join(' ')} ended with ${code}: ${(errors || output).trim()}`);
  return output;
}
