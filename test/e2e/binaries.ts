import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { snapshotDefinitions } from './versions.ts';
import type { Binary } from './versions.ts';

/** Outside the work tree, so that a clean checkout finds the binaries of the last one. */
export const cacheDirectory = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'kubectl-csi-e2e');

export function pathOf({ name, version }: Binary): string {
  return join(cacheDirectory, `${name}-${version}`);
}

export const definitionsDirectory = join(cacheDirectory, `snapshot-crds-${snapshotDefinitions.version}`);

export function missingBinaries(binaries: readonly Binary[]): readonly Binary[] {
  return binaries.filter((binary) => !existsSync(pathOf(binary)));
}

/** Builds what the cache lacks, one after the other: the Go tool uses all cores by itself. */
export async function buildBinaries(binaries: readonly Binary[], say: (line: string) => void): Promise<void> {
  const missing = missingBinaries(binaries);
  if (missing.length > 0) {
    const minutes = Math.ceil(missing.reduce((sum, { coldSeconds }) => sum + coldSeconds, 0) / 60);
    say(`building ${missing.length} binaries into ${cacheDirectory}: up to ${minutes} minutes on two cores, once`);
  }
  mkdirSync(cacheDirectory, { recursive: true });
  for (const [index, binary] of missing.entries()) {
    const started = Date.now();
    const shown = `[${index + 1}/${missing.length}] ${binary.name} ${binary.version}`;
    say(`${shown}: building, about ${binary.coldSeconds} s`);
    const ticker = setInterval(() => say(`${shown}: ${Math.round((Date.now() - started) / 1000)} s`), 30_000);
    try {
      await build(binary);
    } finally {
      clearInterval(ticker);
    }
    say(`${shown}: done in ${Math.round((Date.now() - started) / 1000)} s`);
  }
  if (binaries.some(({ module }) => module === snapshotDefinitions.module) && !existsSync(definitionsDirectory))
    await keepDefinitions();
}

async function build(binary: Binary): Promise<void> {
  const [major, minor] = binary.version.slice(1).split('.');
  const stamp = Object.entries({
    gitVersion: binary.version,
    gitMajor: major,
    gitMinor: minor,
    gitTreeState: 'clean',
  }).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
  const unfinished = `${pathOf(binary)}.unfinished`;
  await go(binary.module, [
    'build',
    '-trimpath',
    '-buildvcs=false',
    '-ldflags',
    ['-s -w', `-X main.version=${binary.version}`, ...stamp].join(' '),
    '-o',
    unfinished,
    binary.package,
  ]);
  renameSync(unfinished, pathOf(binary));
}

async function keepDefinitions(): Promise<void> {
  await go(snapshotDefinitions.module, ['mod', 'download', snapshotDefinitions.path]);
  const directory = (
    await go(snapshotDefinitions.module, ['list', '-m', '-f', '{{.Dir}}', snapshotDefinitions.path])
  ).trim();
  const unfinished = `${definitionsDirectory}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  cpSync(join(directory, snapshotDefinitions.directory), unfinished, { recursive: true });
  renameSync(unfinished, definitionsDirectory);
}

/** The module proxy alone: what it does not have must not come from a repository behind its back. */
let proxies: Promise<string> | undefined;
function moduleProxies(): Promise<string> {
  proxies ??= run('etcd', ['env', 'GOPROXY'], {}).then((list) =>
    list
      .trim()
      .split(',')
      .filter((entry) => entry !== 'direct')
      .join(','),
  );
  return proxies;
}

async function go(module: string, words: readonly string[]): Promise<string> {
  return run(module, words, {
    GOPROXY: await moduleProxies(),
    GOFLAGS: '-mod=readonly',
    GOTOOLCHAIN: 'local',
    GOWORK: 'off',
    CGO_ENABLED: '0',
  });
}

function run(module: string, words: readonly string[], settings: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('nice', ['-n', '15', 'go', ...words], {
      cwd: join(import.meta.dirname, 'modules', module),
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString();
    });
    child.on('error', (error) => reject(new Error(`go could not be started: ${error.message}`)));
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`go ${words[0]} in modules/${module} failed:\n${errors.trim()}`)),
    );
  });
}
