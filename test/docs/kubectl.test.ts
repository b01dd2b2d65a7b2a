import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readKubectl } from '../../src/core/engine/fixes/kubectl-line.ts';
import { readShellLines } from '../../src/core/engine/fixes/shell-line.ts';
import { codeLines, pages, readPage } from './pages.ts';

const why = spawnSync('kubectl', ['version', '--client']).status === 0 ? '' : ' (skipped: kubectl is not on the PATH)';

interface Line {
  readonly page: string;
  readonly words: readonly string[];
}

/** kubectl lines of the pages, apart from ours and those of other plugins. Those of the causes are run elsewhere, on their scenarios. */
const lines: readonly Line[] = pages.filter((page) => !page.startsWith('docs/causes/')).flatMap((page) =>
  codeLines(readPage(page)).flatMap((code) =>
    (readShellLines(code.replace(/^\$ /, '').replace(/\s#.*$/, '')) ?? [])
      .flat()
      .filter(({ words: [program, verb] }) => program === 'kubectl' && verb !== 'csi' && verb !== 'krew')
      .map(({ words }) => ({ page, words })),
  ),
);

/** The verb and the flags without their values: what kubectl refuses does not depend on more. */
function shapeOf({ words }: Line): string {
  const call = readKubectl(words);
  return call ? `${call.verb} ${call.words[0]?.split('/')[0] ?? ''} ${[...call.flags.keys()].sort().join(' ')}` : words.join(' ');
}

/** What kubectl says against the line, without a cluster: port 9 of this machine answers nothing. */
function refusal({ page, words }: Line, cwd: string): Promise<string | undefined> {
  const line = ['--server=http://127.0.0.1:9', '--request-timeout=1s', ...words.slice(1)];
  const env = { ...process.env, KUBECONFIG: '/dev/null', HOME: cwd };
  return new Promise((resolve) => {
    const kubectl = execFile('kubectl', line, { cwd, env, timeout: 240_000 }, (_error, _stdout, stderr) => {
      const isRefused =
        /unknown (?:flag|shorthand|command)|flag needs an argument|invalid argument|required flag/.test(stderr);
      resolve(isRefused ? `${page}: ${words.join(' ').slice(0, 160)}: ${stderr.split('\n')[0] ?? ''}` : undefined);
    });
    // Otherwise `-f -` waits for a manifest until the timeout.
    kubectl.stdin?.end();
  });
}

it.skipIf(why !== '')(`kubectl knows the verbs and flags of all pages${why}`, async () => {
  const shapes = new Map(lines.map((line) => [shapeOf(line), line]));
  expect(shapes.size).toBeGreaterThan(8);
  const cwd = mkdtempSync(join(tmpdir(), 'kubectl-csi-pages-'));
  const refused = await Promise.all([...shapes.values()].map((line) => refusal(line, cwd)));
  rmSync(cwd, { recursive: true, force: true });
  expect(refused.filter((one) => one !== undefined)).toEqual([]);
});
