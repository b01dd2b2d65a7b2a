import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `npm test`: the tests run as soon as the program is built, and beside them everything else that is checked. The first
 * failure ends them all.
 */
const root = join(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const checks = ['typecheck', 'lint', 'generated', 'formatted'];

const running = new Set<ChildProcess>();
const lines: string[] = [];
let isOver = false;

function run(name: string, command: string, isShown = false): Promise<void> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    // A group of its own, so that it can be ended with all that it started.
    const child = spawn('sh', ['-c', command], {
      cwd: root,
      detached: true,
      stdio: ['ignore', isShown ? 'inherit' : 'pipe', isShown ? 'inherit' : 'pipe'],
    });
    running.add(child);
    let output = '';
    const keep = (text: unknown): void => void (output += String(text));
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.on('error', reject);
    child.on('close', (code) => {
      running.delete(child);
      if (isOver) return;
      const line = `${code === 0 ? '✓' : '✗'} ${name} (${((performance.now() - begun) / 1000).toFixed(1)} s)\n`;
      if (code === 0) {
        lines.push(line);
        resolve();
      } else reject(new Error(`${output}${line}`));
    });
  });
}

function end(): void {
  isOver = true;
  for (const { pid } of running)
    try {
      if (pid !== undefined) process.kill(-pid);
    } catch {
      // It has ended meanwhile.
    }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    end();
    process.exit(1);
  });

try {
  await Promise.all([
    ...checks.map((name) => run(name, scripts[name] as string)),
    run('build', scripts['build'] as string).then(() => run('tests', 'vitest run', true)),
  ]);
  process.stdout.write(lines.join(''));
} catch (error) {
  end();
  process.stdout.write(`\n${(error as Error).message}`);
  process.exitCode = 1;
}
