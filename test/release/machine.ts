import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, closeSync } from 'node:fs';
import { join } from 'node:path';

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** An empty home, and nothing of this machine on the PATH but the system's own programs and what is named. */
export function cleanEnvironment(home: string, path: readonly string[] = []): Record<string, string> {
  mkdirSync(home, { recursive: true });
  return {
    HOME: home,
    PATH: [...path, '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    LANG: 'C.UTF-8',
    COLUMNS: '80',
  };
}

/**
 * Runs a program with its output in files: under Wine, Node cannot write to a pipe of Linux. Not spawnSync, because some of the servers
 * that these programs use are in this process.
 */
export function run(
  words: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  timeoutMs = 120_000,
): Promise<Outcome> {
  const [command, ...rest] = words;
  const paths = [join(env['HOME'] ?? '.', 'stdout'), join(env['HOME'] ?? '.', 'stderr')] as const;
  const [out, err] = paths.map((path) => openSync(path, 'w'));
  return new Promise((resolve, reject) => {
    const child = spawn(command, rest, {
      cwd: env['HOME'],
      env,
      stdio: ['ignore', out as number, err as number],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
    });
    child.on('error', reject);
    child.on('close', (code) => {
      closeSync(out as number);
      closeSync(err as number);
      const [stdout, stderr] = paths.map((path) => readFileSync(path, 'utf8').replaceAll('\r\n', '\n'));
      resolve({ code, stdout: stdout ?? '', stderr: stderr ?? '' });
    });
  });
}

/** The first line that a program says of its version; undefined where it is not installed. */
export function versionOf(command: string, ...words: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync(command, words, { encoding: 'utf8' });
  return status === 0 ? stdout.split('\n')[0] : undefined;
}
