import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { stringify } from 'yaml';
import { nodeFlags } from './node-flags.ts';

/** Claims that are stuck in different stages: each calls other rules, and the code of four runs is collected (src/start.ts). */
const claims = [
  ['shop', 'cart'],
  ['ci', 'test-results'],
  ['data', 'warehouse'],
  ['ci', 'nightly-build'],
] as const;

/**
 * Makes dist/code: what V8 compiles of the bundle while the usual commands run, on the demo cluster and on a dump of it
 * (src/start.ts). It fits this platform and this version of Node; with others the program compiles as it goes.
 */
const output = join('dist/code', `${process.platform}-${process.arch}-${process.version}`);
const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-code-'));
// An installation must not hang on this, so whatever runs has a time limit.
const demo = spawn(process.execPath, ['dist/main.cjs', 'demo'], {
  stdio: ['ignore', 'ignore', 'pipe'],
  timeout: 120_000,
});
const ended = once(demo, 'close');
try {
  const { kubeconfig, sockets } = await demoPlaces(demo);
  const env = { ...process.env, XDG_CACHE_HOME: directory, KUBECONFIG: kubeconfig };
  const dump = join(directory, 'dump.yaml');
  writeDump(dump, env);
  for (const words of usualCommands(dump, sockets)) run(words, env);
  copyCode();
} catch (error) {
  // The program works without it; only its first runs take longer.
  process.stderr.write(`compiled code is left out: ${error instanceof Error ? error.message : String(error)}\n`);
} finally {
  demo.kill('SIGINT');
  await ended;
  rmSync(directory, { recursive: true, force: true });
}

/** The demo says last where its kubeconfig and its sockets are, when it is ready. */
async function demoPlaces(
  started: ChildProcessByStdio<null, null, Readable>,
): Promise<{ readonly kubeconfig: string; readonly sockets: string }> {
  let text = '';
  for await (const chunk of started.stderr) {
    text += String(chunk);
    const [, kubeconfig, sockets] = /export KUBECONFIG=(\S+)[^]*probe '(\S+)'/.exec(text) ?? [];
    if (kubeconfig !== undefined && sockets !== undefined) return { kubeconfig, sockets };
  }
  throw new Error(`the demo ended early:\n${text}`);
}

function run(words: readonly string[], env: NodeJS.ProcessEnv): void {
  const { status, stderr } = spawnSync(process.execPath, [...nodeFlags, 'dist/main.cjs', ...words], {
    env,
    encoding: 'utf8',
    timeout: 30_000,
  });
  if (status === null || ![0, 1, 3].includes(status))
    throw new Error(`kubectl csi ${words.join(' ')} ends with ${status}: ${stderr}`);
}

function writeDump(dump: string, env: NodeJS.ProcessEnv): void {
  const capture = join(directory, 'capture.json');
  run(['capture', '-A', '-o', capture], env);
  const { objects } = JSON.parse(readFileSync(capture, 'utf8')) as { readonly objects: readonly object[] };
  writeFileSync(dump, stringify({ apiVersion: 'v1', kind: 'List', items: objects }, { aliasDuplicateObjects: false }));
}

function usualCommands(dump: string, sockets: string): (readonly string[])[] {
  const named = claims.flatMap(([namespace, name]) => [
    ['why-pending', name, '-n', namespace],
    ['why', `pvc/${name}`, '-n', namespace],
  ]);
  const namedInDump = named.map((words) => [...words, '--from', dump]);
  const searches = [['why-pending', '-A'], ['why', '-A'], ['status'], ['check']];
  return [
    ['--help'],
    ['explain', 'sc-missing'],
    ['causes'],
    ...named,
    ...searches,
    ...[...searches, ['why-pending'], ['why']].map((words) => [...words, '--from', dump]),
    ...namedInDump,
    ['get', 'pvc', '-A'],
    ['trace', 'cart', '-n', 'shop'],
    ['probe', sockets, '--timeout', '500ms'],
    ['__complete', 'why-pending', ''],
  ];
}

function copyCode(): void {
  const [build = ''] = readdirSync(join(directory, 'kubectl-csi'));
  const kept = join(directory, 'kubectl-csi', build);
  for (const command of readdirSync(kept).filter((name) => !name.startsWith('capture'))) {
    mkdirSync(join(output, command), { recursive: true });
    // Read and written, not copied: the files in a cache are private to their user, those of an installation are not.
    for (const pack of readdirSync(join(kept, command)))
      writeFileSync(join(output, command, pack), readFileSync(join(kept, command, pack)));
  }
}
