import { spawn } from 'node:child_process';

export interface Outcome {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs a command to its end, whatever its exit code. */
export function runCommand(command: string, words: readonly string[], options: { readonly environment?: Readonly<Record<string, string>> } = {}): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...options.environment } });
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, output: Buffer.concat(output).toString(), errors: Buffer.concat(errors).toString() }));
  });
}

/** Runs a command that must succeed. */
export async function mustRun(command: string, words: readonly string[], options: Parameters<typeof runCommand>[2] = {}): Promise<string> {
  const { code, output, errors } = await runCommand(command, words, options);
  if (code !== 0) throw new Error(`${command} ${words.join(' ')} ended with ${code}: ${(errors || output).trim()}`);
  return output;
}
