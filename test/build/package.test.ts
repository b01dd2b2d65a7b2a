import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const node = join(root, 'node_modules/node/bin/node');
let directory = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubectl-csi-test-'));
  await writeFile(
    join(directory, 'claim.json'),
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'shop' },
      spec: { storageClassName: 'gold' },
      status: { phase: 'Pending' },
    }),
  );
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** With nothing of this machine but the shell's own tools and what is named. */
function run(command: string, words: readonly string[], path = '/usr/bin:/bin') {
  return spawnSync(command, words, { cwd: directory, encoding: 'utf8', env: { PATH: path, HOME: directory } });
}

function answersEverything(command: string, path?: string): void {
  expect(run(command, ['--version'], path)).toMatchObject({
    status: 0,
    stderr: '',
    stdout: expect.stringMatching(/^kubectl-csi \d/) as string,
  });
  expect(run(command, ['explain', 'sc-missing'], path)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('The claim names a StorageClass that does not exist.') as string,
  });
  expect(run(command, ['why-pending', '-A', '--complete', '--from', 'claim.json'], path)).toMatchObject({
    status: 1,
    stdout: expect.stringContaining('sc-missing') as string,
  });
  // The screen is told apart from a command that the package lacks.
  expect(run(command, ['tui'], path)).toMatchObject({
    status: 4,
    stderr: expect.stringContaining('needs a terminal') as string,
  });
}

describe('the package', () => {
  it('holds all that the program needs: nothing else is fetched for it', () => {
    const packed = spawnSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', directory], {
      cwd: root,
      encoding: 'utf8',
    });
    const tarball = join(directory, packed.stdout.trim());
    expect(existsSync(tarball), packed.stderr).toBe(true);
    // Offline: whatever had to be fetched would make it fail.
    const installed = spawnSync(
      'npm',
      ['install', '--offline', '--global', '--prefix', join(directory, 'prefix'), tarball],
      { encoding: 'utf8', env: { ...process.env, npm_config_cache: join(directory, 'npm-cache') } },
    );
    expect(installed.status, installed.stderr).toBe(0);
    expect(readdirSync(join(directory, 'prefix/lib/node_modules'))).toEqual(['kubectl-csi']);
    expect(existsSync(join(directory, 'prefix/lib/node_modules/kubectl-csi/node_modules'))).toBe(false);
    const program = join(directory, 'prefix/bin/kubectl-csi');
    answersEverything(program, `${dirname(node)}:/usr/bin:/bin`);
  });
});

describe('the executable', () => {
  it('is one file that needs neither Node nor the package', () => {
    const program = join(directory, 'kubectl-csi');
    const built = spawnSync(node, ['build/executable.ts', program], { cwd: root, encoding: 'utf8' });
    expect(built.status, built.stderr).toBe(0);
    answersEverything(program);
  }, 120_000);
});
