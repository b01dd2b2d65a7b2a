import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { packChart } from '../../build/release/chart.ts';
import {
  homebrewFormula,
  nixFlake,
  packageName,
  releasedInstallScript,
  scoopManifest,
} from '../../build/release/installers.ts';
import { archiveName, platforms } from '../../build/release/platforms.ts';
import { sha256, writeTar } from '../../build/release/tar.ts';

const version = '1.2.3';
const program = Buffer.from('#!/bin/sh\necho "kubectl-csi 1.2.3"\n');
const archive = gzipSync(
  writeTar(
    [
      { name: 'kubectl-csi', content: program, isExecutable: true },
      { name: 'kubectl_complete-csi', content: program, isExecutable: true },
      { name: 'LICENSE', content: Buffer.from('text') },
    ],
    new Date(0),
  ),
);
const names = platforms.filter(({ os }) => os === 'linux').map((platform) => archiveName(platform, version));
const sums = new Map([
  ...platforms.map((platform, index) => [archiveName(platform, version), String(index).repeat(64)] as const),
  ...names.map((name) => [name, sha256(archive)] as const),
  [packageName(version), 'f'.repeat(64)],
]);

let server: Server;
let downloads = '';
let home = '';
let served = new Map<string, Buffer>();

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const content = served.get(url.slice(1));
    response.writeHead(content === undefined ? 404 : 200).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  downloads = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'kubectl-csi-test-'));
  served = new Map(names.map((name) => [name, archive]));
  return () => rmSync(home, { recursive: true, force: true });
});

const isGlibcLinux = process.platform === 'linux' && !readdirSync('/lib').some((name) => name.startsWith('ld-musl'));

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Not spawnSync: the server of the downloads is in this process. */
function install(script: string, words: readonly string[]): Promise<Outcome> {
  const path = join(home, 'install.sh');
  writeFileSync(path, script);
  return new Promise((resolve) => {
    const child = spawn('sh', [path, ...words], { env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home } });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (data) => (texts[name] += String(data)));
    child.on('close', (code) => resolve({ code, ...texts }));
  });
}

const installed = (): string => join(home, '.local/bin/kubectl-csi');

describe.skipIf(!isGlibcLinux)('install.sh (skipped where there is no Linux with glibc)', () => {
  it('verifies the checksum, installs both programs and says how to reach them', async () => {
    const { code, stdout, stderr } = await install(releasedInstallScript(version, sums), ['--downloads', downloads]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Installed kubectl-csi 1.2.3 and its completion into ${home}/.local/bin`);
    expect(stdout).toContain(`export PATH="${home}/.local/bin:$PATH"`);
    expect(execFileSync(installed(), { encoding: 'utf8' })).toBe('kubectl-csi 1.2.3\n');
    expect(readdirSync(join(home, '.local/bin')).toSorted()).toEqual(['kubectl-csi', 'kubectl_complete-csi']);
  });
  it('refuses an archive with another checksum, and installs nothing', async () => {
    for (const name of names) served.set(name, Buffer.concat([archive, Buffer.from('x')]));
    const { code, stderr } = await install(releasedInstallScript(version, sums), ['--downloads', downloads]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/has the checksum \w{64} instead of \w{64}\. Nothing was installed\.\n$/);
    expect(existsSync(installed())).toBe(false);
  });
  it('installs another version with the checksums of its release page', async () => {
    const other = names.map((name) => name.replace(version, '1.3.0'));
    served = new Map(other.map((name) => [name, archive]));
    served.set('checksums.txt', Buffer.from(other.map((name) => `${sha256(archive)}  ${name}\n`).join('')));
    const script = releasedInstallScript(version, sums);
    expect(await install(script, ['--version', 'v1.3.0', '--downloads', `${downloads}/`])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Installed kubectl-csi 1.3.0') as string,
    });
    served.set('checksums.txt', Buffer.from('nothing of use\n'));
    expect((await install(script, ['--version', '1.3.0', '--downloads', downloads])).stderr).toContain(
      'no checksum is known for kubectl-csi_1.3.0_',
    );
  });
  it('ends with one sentence if there is nothing to download, or an option is wrong', async () => {
    served = new Map();
    const script = releasedInstallScript(version, sums);
    const absent = await install(script, ['--downloads', downloads]);
    expect(absent.code).toBe(1);
    expect(absent.stderr).toContain('Nothing was installed.');
    expect((await install(script, ['--directory'])).stderr).toBe('install.sh: --directory needs a value.\n');
    expect((await install(script, ['--frob'])).stderr).toContain('install.sh: unknown option --frob.');
    expect((await install(script, ['--help'])).stdout).toContain('--downloads URL');
  });
  it('in a checkout asks for the version, since it has none of its own', async () => {
    const script = readFileSync('build/release/install.sh', 'utf8');
    expect((await install(script, [])).stderr).toContain('Pass --version, such as --version 0.1.0.');
  });
});

describe('package managers', () => {
  it('Homebrew gets every archive for macOS and Linux, with its checksum', () => {
    const formula = homebrewFormula(version, sums);
    for (const platform of platforms.filter(({ os }) => os !== 'windows')) {
      const name = archiveName(platform, version);
      expect(formula).toMatch(new RegExp(`${name}"\\n\\s+sha256 "${sums.get(name)}"`));
    }
    expect(formula.match(/\b(?:class|do|def)\b/g)).toHaveLength(formula.match(/^\s*end$/gm)?.length ?? 0);
  });
  it('Scoop gets the archive for Windows, with its checksum', () => {
    const { architecture } = JSON.parse(scoopManifest(version, sums)) as {
      readonly architecture: Readonly<Record<string, { readonly url: string; readonly hash: string }>>;
    };
    const name = `kubectl-csi_${version}_windows_amd64.zip`;
    expect(architecture['64bit']).toEqual({
      url: expect.stringContaining(name) as string,
      hash: sums.get(name),
    });
  });
  it('an archive without a checksum is an error, not an empty line', () => {
    expect(() => homebrewFormula(version, new Map())).toThrow('The release has no kubectl-csi_1.2.3_darwin');
    expect(() => nixFlake(version, new Map())).toThrow('The release has no kubectl-csi-1.2.3.tgz');
  });
  const hasNix = spawnSync('nix-instantiate', ['--version']).status === 0;
  it.skipIf(!hasNix)('the Nix flake is an expression that nix can parse (skipped without nix-instantiate)', () => {
    const path = join(home, 'flake.nix');
    writeFileSync(path, nixFlake(version, sums));
    const { status, stderr } = spawnSync('nix-instantiate', ['--parse', path], {
      encoding: 'utf8',
      env: { ...process.env, HOME: home, NIX_STATE_DIR: join(home, 'nix'), NIX_STORE_DIR: join(home, 'store') },
    });
    expect(stderr).not.toContain('error');
    expect(status).toBe(0);
  });
});

describe('the chart', () => {
  it('is the same each time, and has the version of the release', () => {
    expect(packChart(version).equals(packChart(version))).toBe(true);
    const text = gunzipSync(packChart(version)).toString('latin1');
    expect(text).toContain('version: 1.2.3\nappVersion: 1.2.3\n');
    expect(text).toContain('kubectl-csi/files/rules.json');
  });
  it('names a value for everything that its templates use', () => {
    const values = readFileSync('build/chart/values.yaml', 'utf8');
    const templates = readdirSync('build/chart/templates').map((name) =>
      readFileSync(join('build/chart/templates', name), 'utf8'),
    );
    const used = new Set(templates.flatMap((text) => [...text.matchAll(/\.Values\.(\w+)/g)].map(([, name]) => name)));
    for (const name of used) expect(values).toMatch(new RegExp(`^${name}:`, 'm'));
  });
});
