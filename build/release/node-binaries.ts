import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileName, nodeVersion, platforms } from './platforms.ts';
import type { Platform } from './platforms.ts';

/** Downloads are kept here; `release/` is not committed. */
const downloads = 'release/node';

/** The Node of a platform from the npm registry. Its package is used only if its checksum is the pinned one. */
export function nodeBinary(platform: Platform): string {
  return join(unpackedPackage(platform), 'bin', fileName(platform, 'node'));
}

/** The Node of the machine that builds the release. */
export function hostNode(): string {
  const host = platforms.find(({ name }) => name === `${process.platform}-${process.arch}`);
  if (host === undefined) throw new Error(`A release cannot be built on ${process.platform}-${process.arch}.`);
  return nodeBinary(host);
}

/** Node's licence and those of the libraries inside it. The package for Windows has none; all are of the same version. */
export function nodeLicence(): string {
  const [first] = platforms.filter(({ os }) => os === 'linux');
  if (first === undefined) throw new Error('node-packages.json names no package for Linux, whose licence is used.');
  return readFileSync(join(unpackedPackage(first), 'LICENSE'), 'utf8');
}

function unpackedPackage({ nodePackage, integrity }: Platform): string {
  const directory = join(downloads, `${nodePackage}-${nodeVersion}`);
  const archive = `${directory}.tgz`;
  mkdirSync(downloads, { recursive: true });
  if (!existsSync(archive)) download(`${nodePackage}@${nodeVersion}`);
  checkIntegrity(archive, integrity);
  if (existsSync(directory)) return directory;
  const unfinished = `${directory}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished);
  execFileSync('tar', ['-xzf', archive, '-C', unfinished, '--strip-components=1', '--no-same-owner']);
  renameSync(unfinished, directory);
  return directory;
}

function download(wanted: string): void {
  process.stdout.write(`downloading ${wanted}\n`);
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', downloads, wanted], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

export function checkIntegrity(path: string, integrity: string): void {
  const found = `sha512-${createHash('sha512').update(readFileSync(path)).digest('base64')}`;
  if (found !== integrity)
    throw new Error(`${path} has the checksum ${found}, but ${integrity} is pinned. Delete it and try again.`);
}
