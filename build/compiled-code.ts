import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { stringify } from 'yaml';

/**
 * The code that V8 makes of the bundle while the usual commands run once, on a small cluster where much is broken and on a dump of it:
 * `dist/code` (src/start.ts). It is good for this platform and this Node only; with others the program compiles as it goes.
 */
const flags = ['--min-semi-space-size=16', '--max-semi-space-size=16'];
const output = join('dist/code', `${process.platform}-${process.arch}-${process.version}`);
const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-code-'));
// Nothing here may keep an installation waiting.
const demo = spawn(process.execPath, ['dist/main.cjs', 'demo'], {
  stdio: ['ignore', 'ignore', 'pipe'],
  timeout: 120_000,
});
const ended = once(demo, 'close');
try {
  const [kubeconfig = '', sockets = ''] = await readyWords(demo);
  const env = { ...process.env, XDG_CACHE_HOME: directory, KUBECONFIG: kubeconfig };
  const run = (words: readonly string[]): void => {
    const { status, stderr } = spawnSync(process.execPath, [...flags, 'dist/main.cjs', ...words], {
      env,
      encoding: 'utf8',
      timeout: 30_000,
    });
    if (status === null || ![0, 1, 3].includes(status))
      throw new Error(`kubectl csi ${words.join(' ')} ends with ${status}: ${stderr}`);
  };
  const capture = join(directory, 'capture.json');
  const dump = join(directory, 'dump.yaml');
  run(['capture', '-A', '-o', capture]);
  const { objects } = JSON.parse(readFileSync(capture, 'utf8')) as { readonly objects: readonly object[] };
  writeFileSync(dump, stringify({ apiVersion: 'v1', kind: 'List', items: objects }, { aliasDuplicateObjects: false }));
  const claims = [
    ['shop', 'cart'],
    ['ci', 'test-results'],
    ['data', 'warehouse-copy'],
    ['ci', 'nightly-build'],
  ] as const;
  const named = claims.flatMap(([namespace, name]) => [
    ['why-pending', name, '-n', namespace],
    ['why', `pvc/${name}`, '-n', namespace],
  ]);
  const both = (...words: readonly string[]): (readonly string[])[] => [words, [...words, '--from', dump]];
  const searches = [
    ...both('why-pending', '-A'),
    ...both('why', '-A'),
    ...both('status'),
    ...both('check'),
    ['why-pending', '--from', dump],
    ['why', '--from', dump],
  ];
  for (const words of [
    ['--help'],
    ['explain', 'sc-missing'],
    ['causes'],
    ...named,
    ...searches,
    ['get', 'pvc', '-A'],
    ['trace', 'cart', '-n', 'shop'],
    ['probe', sockets, '--timeout', '500ms'],
    ['__complete', 'why-pending', ''],
  ])
    run(words);
  const [build = ''] = readdirSync(join(directory, 'kubectl-csi'));
  const kept = join(directory, 'kubectl-csi', build);
  for (const command of readdirSync(kept).filter((name) => !name.startsWith('capture'))) {
    mkdirSync(join(output, command), { recursive: true });
    // Others may run what one has built, so the rights of a user's own cache are left behind.
    for (const pack of readdirSync(join(kept, command)))
      writeFileSync(join(output, command, pack), readFileSync(join(kept, command, pack)));
  }
} catch (error) {
  // The program works without, only its first runs take longer.
  process.stderr.write(`compiled code is left out: ${error instanceof Error ? error.message : String(error)}\n`);
} finally {
  demo.kill('SIGINT');
  await ended;
  rmSync(directory, { recursive: true, force: true });
}

/** Where its kubeconfig and its sockets are: the demo says so last, when it is ready. */
async function readyWords(said: ChildProcessByStdio<null, null, Readable>): Promise<string[]> {
  let text = '';
  for await (const chunk of said.stderr) {
    text += String(chunk);
    const found = /export KUBECONFIG=(\S+)[^]*probe '(\S+)'/.exec(text);
    if (found !== null) return found.slice(1);
  }
  throw new Error(`the demo ended early:\n${text}`);
}
