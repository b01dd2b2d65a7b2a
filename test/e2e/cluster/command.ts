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
}

/** Runs a command to its end, whatever its exit code. */
export function runCommand(command: string, words: readonly string[], options: CommandOptions = {}): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...options.environment },
    });
    // One that does not read to the end is no failure of ours.
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
    child.stderr.once('data', () => options.onFirstWord?.());
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ code: code ?? -1, output: Buffer.concat(output).toString(), errors: Buffer.concat(errors).toString() }),
    );
  });
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
