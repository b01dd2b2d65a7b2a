import { spawn } from 'node:child_process';
import { createReadStream, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programPath } from '../kit/run-program.ts';
import { hostileDumps } from './hostile-dumps/dumps.ts';
import { problemsOf } from './hostile-dumps/judge.ts';
import type { HostileDump } from './hostile-dumps/dumps.ts';
import type { Output } from './hostile-dumps/judge.ts';

export const name = 'hostile-dumps';

/** What a run may need at most; a bomb that is unpacked needs ten times this. */
const mostMemory = 900_000_000;
/** Only for what hangs. */
const patienceMs = 120_000;

/** The built program on every hostile dump: it ends, says one thing, and has the right exit code in bounded memory. */
export async function attack(report: (line: string) => void): Promise<{ cases: number; failures: string[] }> {
  const dumps = hostileDumps();
  const failures: string[] = [];
  const root = mkdtempSync(join(tmpdir(), 'kubectl-csi-'));
  let highest = 0;
  const waiting = [...dumps.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, dump] = next;
      const directory = join(root, String(index));
      mkdirSync(directory);
      const path = await dump.write(directory);
      const output = await run(dump, path);
      rmSync(directory, { recursive: true, force: true });
      highest = Math.max(highest, output.memory);
      const problems = [
        ...problemsOf(dump, output),
        ...(output.memory > mostMemory ? [`needs ${Math.round(output.memory / 1e6)} MB`] : []),
      ];
      for (const problem of problems) {
        failures.push(`${dump.name}: ${problem}`);
        report(`${dump.name}: ${problem}`);
      }
    }
  };
  await Promise.all([work(), work()]);
  rmSync(root, { recursive: true, force: true });
  report(`${dumps.length} hostile dumps, ${failures.length} failures, at most ${Math.round(highest / 1e6)} MB`);
  return { cases: dumps.length, failures };
}

function run(dump: HostileDump, path: string): Promise<Output & { memory: number }> {
  return new Promise((resolve, reject) => {
    const child = spawn(programPath, ['why-pending', '--from', dump.stdin === true ? '-' : path], {
      env: { ...process.env, LANG: 'C.UTF-8', KUBECONFIG: '/nonexistent', NO_COLOR: '1' },
      stdio: 'pipe',
    });
    let [stdout, stderr, memory] = ['', '', 0];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin.on('error', () => undefined);
    if (dump.stdin === true) createReadStream(path).pipe(child.stdin);
    else child.stdin.end();
    const watching = setInterval(() => (memory = Math.max(memory, memoryOf(child.pid))), 20);
    const end = setTimeout(() => child.kill('SIGKILL'), patienceMs);
    child.on('error', reject);
    child.on('close', (exitCode) => {
      clearInterval(watching);
      clearTimeout(end);
      resolve({ exitCode, stdout, stderr, memory });
    });
  });
}

/** The highest resident size so far; 0 where /proc does not say. */
function memoryOf(pid: number | undefined): number {
  try {
    const kilobytes = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}
