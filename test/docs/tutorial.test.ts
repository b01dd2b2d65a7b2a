import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { programPath } from '../kit/run-program.ts';
import { readPage } from './pages.ts';

const isMissing = spawnSync('kubectl', ['version', '--client']).status !== 0;
const why = isMissing ? ' (skipped: kubectl is not on the PATH)' : '';
const page = readPage('docs/tutorial.md');

interface Step {
  readonly command: string;
  readonly shown: readonly string[];
}

/** The commands of all console blocks, each with the output that the page shows. */
const steps: readonly Step[] = [...page.matchAll(/^```console\n([^]*?)^```$/gm)].flatMap(([, block = '']) =>
  block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...shown] = part.trimEnd().split('\n');
      return { command, shown };
    }),
);

/** Ages and the width of columns differ from run to run. */
function plain(text: string): string {
  return text
    .replaceAll(/\b\d+[smhdy](?:\d+[smh])?\b/g, 'AGE')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The lines of the page that the output does not have, in their order; `…` stands for anything. */
function missingLines(output: string, shown: readonly string[]): string[] {
  const lines = output.split('\n').map(plain);
  let place = 0;
  return shown.filter((line) => {
    const wanted = plain(line);
    if (wanted === '…' || wanted === '') return false;
    const found = lines.findIndex(
      (text, index) => index >= place && (wanted.endsWith('…') ? text.startsWith(wanted.slice(0, -1)) : text === wanted),
    );
    if (found >= 0) place = found + 1;
    return found < 0;
  });
}

async function startDemo(): Promise<string> {
  const child = spawn(programPath, ['demo'], { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill('SIGINT'));
  let printed = '';
  for await (const text of child.stderr.setEncoding('utf8')) {
    printed += text as string;
    const path = /export KUBECONFIG=(\S+)\n/.exec(printed)?.[1];
    if (path !== undefined) return path;
  }
  throw new Error(`the demo printed no kubeconfig: ${printed}`);
}

describe(`docs/tutorial.md${why}`, () => {
  it('has commands with their output', () => {
    expect(steps.length).toBeGreaterThan(12);
  });

  it.skipIf(isMissing)('prints what it shows, from the broken demo to the healed one', async () => {
    const kubeconfig = await startDemo();
    expect(kubeconfig).toMatch(/^\/tmp\/kubectl-csi-demo-[^/]+\/kubeconfig$|^(?!\/tmp\/)/);
    const home = await mkdtemp(join(tmpdir(), 'kubectl-csi-test-'));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const env = {
      ...process.env,
      HOME: home,
      KUBECONFIG: kubeconfig,
      PATH: `${dirname(programPath)}:${process.env['PATH'] ?? ''}`,
      LC_ALL: 'C.UTF-8',
      COLUMNS: '80',
    };
    const problems: string[] = [];
    for (const { command, shown } of steps) {
      const { output, code } = await new Promise<{ output: string; code: unknown }>((resolve) => {
        execFile('sh', ['-c', command], { env, cwd: home }, (error, stdout, stderr) =>
          resolve({ output: stdout + stderr, code: error?.code ?? 0 }),
        );
      });
      // 1 says that something is blocked.
      const isDone = code === 0 || (code === 1 && /^kubectl csi (?:why|what-if|check)/.test(command));
      if (!isDone) problems.push(`$ ${command}\nended with ${String(code)}\n${output}`);
      const missing = missingLines(output, shown);
      if (missing.length > 0) problems.push(`$ ${command}\ndoes not print:\n${missing.join('\n')}\nbut:\n${output}`);
    }
    expect(problems.join('\n\n')).toBe('');
  });
});
