import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
// @ts-expect-error -- it brings no types
import { inject } from 'postject';

/**
 * One executable for this platform: the Node that runs this, and inside it the bundle, the pages, and the code that V8 made
 * of the bundle while the usual commands ran once.
 */
const output = process.argv[2] ?? join('exe', process.platform === 'win32' ? 'kubectl-csi.exe' : 'kubectl-csi');
// Not --use-openssl-ca, as the launcher has it: Node does not start where the environment asks for other authorities.
const flags = ['--min-semi-space-size=16'];
const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-exe-'));

try {
  const assets = { ...filesOf('dist', /\.pack$|^executable\.cjs$/), ...filesOf('docs/causes', /\.md$/), 'bin/kubectl_complete-csi': 'bin/kubectl_complete-csi', ...(await compiledCode()) };
  const blob = join(directory, 'blob');
  const config = join(directory, 'config.json');
  writeFileSync(config, JSON.stringify({ main: 'dist/executable.cjs', output: blob, disableExperimentalSEAWarning: true, useCodeCache: true, execArgv: flags, execArgvExtension: 'env', assets }));
  execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  mkdirSync(dirname(output), { recursive: true });
  copyFileSync(process.execPath, output);
  chmodSync(output, 0o755);
  await inject(output, 'NODE_SEA_BLOB', readFileSync(blob), { sentinelFuse: 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2', ...(process.platform === 'darwin' && { machoSegmentName: 'NODE_SEA' }) });
  // A changed program has lost its signature, and without one macOS does not start it.
  if (process.platform === 'darwin') execFileSync('codesign', ['--sign', '-', '--force', output]);
  process.stdout.write(`${output}: ${Math.round(statSync(output).size / 1e6)} MB\n`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function filesOf(from: string, wanted: RegExp): Record<string, string> {
  return Object.fromEntries(readdirSync(from).filter((name) => wanted.test(name)).map((name) => [`${from}/${name}`, `${from}/${name}`]));
}

/** What the commands that people wait for call, on a small cluster where much is broken. */
async function compiledCode(): Promise<Record<string, string>> {
  const demo = spawn(process.execPath, ['dist/main.cjs', 'demo'], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    const [kubeconfig = '', sockets = ''] = await readyWords(demo);
    const env = { ...process.env, XDG_CACHE_HOME: directory, KUBECONFIG: kubeconfig };
    const claims = [['shop', 'cart'], ['ci', 'test-results'], ['data', 'warehouse-copy'], ['ci', 'nightly-build']] as const;
    const commands = [['--help'], ['explain', 'sc-missing'], ['causes'], ...claims.map(([namespace, name]) => ['why-pending', name, '-n', namespace]), ['why-pending', '-A'], ...claims.map(([namespace, name]) => ['why', `pvc/${name}`, '-n', namespace]), ['why', '-A'], ['status'], ['get', 'pvc', '-A'], ['trace', 'cart', '-n', 'shop'], ['check'], ['probe', sockets]];
    for (const words of commands) {
      const { status, stderr } = spawnSync(process.execPath, [...flags, 'dist/main.cjs', ...words], { env, encoding: 'utf8' });
      if (status === null || ![0, 1, 3].includes(status)) throw new Error(`kubectl csi ${words.join(' ')} ends with ${status}: ${stderr}`);
    }
  } finally {
    demo.kill('SIGINT');
    await once(demo, 'close');
  }
  const [build = ''] = readdirSync(join(directory, 'kubectl-csi'));
  const kept = join(directory, 'kubectl-csi', build);
  return Object.fromEntries(readdirSync(kept).flatMap((command) => readdirSync(join(kept, command)).map((pack) => [`code/${command}/${pack}`, withoutTrailer(join(kept, command, pack))])));
}

/** A kept file ends with five bytes that say that it is whole and how old (src/start.ts); inside an executable that is for sure. */
function withoutTrailer(path: string): string {
  writeFileSync(path, readFileSync(path).subarray(0, -5));
  return path;
}

/** Where its kubeconfig and its sockets are: the demo says so last, when it is ready. */
async function readyWords(demo: ChildProcessByStdio<null, null, Readable>): Promise<string[]> {
  let said = '';
  for await (const chunk of demo.stderr) {
    said += String(chunk);
    const found = /export KUBECONFIG=(\S+)[^]*probe '(\S+)'/.exec(said);
    if (found !== null) return found.slice(1);
  }
  throw new Error(`the demo ended early:\n${said}`);
}
