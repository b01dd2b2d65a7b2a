import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { programPath } from '../../kit/run-program.ts';

interface Item {
  readonly endpoint: string;
  readonly status: string;
}

interface Problem {
  readonly endpoint: string;
  readonly problem: string;
}

export interface Probe {
  /** What does not hold: of the whole run, and of each socket whose item is not as expected. */
  readonly problems: (isExpected: (item: Item) => boolean) => Problem[];
}

/** Beyond the deadline: starting, and ending on a machine that is busy. */
const patienceMs = 30_000;
/** More than ten times what a usual probe takes. */
const mostMemoryMb = 700;

/** Runs `probe` on the sockets and holds it to what is promised for every run. */
export async function runProbe(paths: readonly string[], timeoutMs: number): Promise<Probe> {
  const child = spawn(programPath, ['probe', ...paths, '--timeout', `${timeoutMs}ms`, '-o', 'json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  let memoryMb = 0;
  let isLate = false;
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const looking = setInterval(() => (memoryMb = Math.max(memoryMb, peakMemoryMb(child.pid))), 100);
  const late = setTimeout(() => (isLate = child.kill('SIGKILL')), timeoutMs + patienceMs);
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  clearInterval(looking);
  clearTimeout(late);
  return {
    problems: (isExpected) => {
      const whole = (problem: string): Problem[] => [{ endpoint: '', problem }];
      if (isLate) return whole(`no end within ${timeoutMs + patienceMs} ms`);
      if (exitCode !== 1 && exitCode !== 3) return whole(`exit ${exitCode}: ${stderr.slice(0, 300)}`);
      if (/^\s+at |this is a bug/m.test(stderr)) return whole(`printed ${stderr.slice(0, 300)}`);
      if (/[\x00-\x09\x0b-\x1f\x7f-\x9f]/.test(stdout + stderr)) return whole('printed a control byte');
      if (memoryMb > mostMemoryMb) return whole(`took ${memoryMb} MB`);
      return itemProblems(paths, stdout, isExpected);
    },
  };
}

function itemProblems(paths: readonly string[], stdout: string, isExpected: (item: Item) => boolean): Problem[] {
  const { items } = JSON.parse(stdout) as { readonly items: readonly Item[] };
  return paths.flatMap((path) => {
    const item = items.find(({ endpoint }) => endpoint.endsWith(path));
    if (item === undefined) return [{ endpoint: path, problem: 'is not in the report' }];
    return isExpected(item) ? [] : [{ endpoint: path, problem: `is ${item.status}` }];
  });
}

function peakMemoryMb(pid: number | undefined): number {
  try {
    const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1000;
  } catch {
    return 0;
  }
}
