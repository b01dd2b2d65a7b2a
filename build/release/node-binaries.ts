import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { builders, fileName } from './platforms.ts';
import type { NodePackage, Platform } from './platforms.ts';

/** Downloads are kept here; `release/` is not committed. */
const downloads = 'release/node';

/** The Node of a platform from the npm registry. Its package is used only if its checksum is the pinned one. */
export function nodeBinary(platform: Platform): string {
  return join(unpackedPackage(platform.node), 'bin', fileName(platform, 'node'));
}

/** A Node of this version that runs on the machine that builds the release. */
export function builderNode(version: string): string {
  return join(unpackedPackage(builderPackage(version)), 'bin/node');
}

/** The licence of this version of Node and those of the libraries inside it. The package for Windows has none. */
export function nodeLicence(version: string): string {
  return readFileSync(join(unpackedPackage(builderPackage(version)), 'LICENSE'), 'utf8');
}

function builderPackage(version: string): NodePackage {
  if (`${process.platform}-${process.arch}` !== 'linux-x64')
    throw new Error(`A release is built on linux-x64, and this is ${process.platform}-${process.arch}.`);
  const found = builders.find((builder) => builder.version === version);
  if (found === undefined) throw new Error(`node-packages.json names no builder for Node.js ${version}.`);
  return found;
}

function unpackedPackage({ name, version, integrity }: NodePackage): string {
  const directory = join(downloads, `${name}-${version}`);
  const archive = `${directory}.tgz`;
  mkdirSync(downloads, { recursive: true });
  if (!existsSync(archive)) download(`${name}@${version}`);
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
