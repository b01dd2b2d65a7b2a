import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const programPath = fileURLToPath(new URL('../../bin/kubectl-csi', import.meta.url));

export interface Finished {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string;
  readonly command?: string;
  /** The program is killed after this time, and has no exit code then. */
  readonly timeoutMs?: number;
  /** Called with what was printed so far and a way to send a signal. */
  readonly onOutput?: (stdout: string, stderr: string, kill: (signal: NodeJS.Signals) => void) => void;
}

/** No colour, no cluster and a UTF-8 locale, whatever the machine that runs the tests has. */
const plainEnvironment = {
  LANG: 'C.UTF-8',
  LC_ALL: undefined,
  NO_COLOR: undefined,
  COLUMNS: undefined,
  FORCE_COLOR: undefined,
  KUBECONFIG: '/nonexistent/kubeconfig',
  KUBERNETES_SERVICE_HOST: undefined,
};

/** Runs the built program as a user does. */
export function runProgram(words: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return new Promise((resolve, reject) => {
    const child = spawn(options.command ?? programPath, words, {
      env: { ...process.env, ...plainEnvironment, ...options.env },
      stdio: 'pipe',
      ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs, killSignal: 'SIGKILL' as const }),
    });
    let stdout = '';
    let stderr = '';
    const tell = (): void => options.onOutput?.(stdout, stderr, (signal) => child.kill(signal));
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      tell();
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
      tell();
    });
    child.on('error', reject);
    child.on('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.stdin ?? '');
  });
}
