import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { archiveFiles, packArchive } from './archives.ts';
import { packChart } from './chart.ts';
import { buildExecutable } from './executables.ts';
import { homebrewFormula, nixFlake, packageName, releasedInstallScript, scoopManifest } from './installers.ts';
import { krewManifest } from './krew.ts';
import { bundledLibraries } from './libraries.ts';
import { archiveName, fileName, platforms } from './platforms.ts';
import type { Platform } from './platforms.ts';
import { krewNames, programName } from './project.ts';
import { softwareBill } from './sbom.ts';
import { sha256 } from './tar.ts';

/** Builds all files of a release from dist/, on one machine: `node build/release/main.ts [--only linux-x64] [--output release]`. */
const { values } = parseArgs({ options: { only: { type: 'string', multiple: true }, output: { type: 'string' } } });
const output = resolve(values.output ?? 'release');
const assets = join(output, 'assets');
// All paths below are in this project, wherever the script is started.
process.chdir(join(import.meta.dirname, '../..'));
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };

rmSync(assets, { recursive: true, force: true });
mkdirSync(assets, { recursive: true });
const sums = new Map<string, string>();
const chosen = chosenPlatforms();
for (const platform of chosen) await release(platform);
keep(packageName(version), packPackage());
keep(`${programName}-chart-${version}.tgz`, packChart(version));
keep(`${programName}_${version}.cdx.json`, softwareBill(version, bundledLibraries()));
keep(`${krewNames.wanted}.yaml`, krewManifest(version, platforms, sums));
keep('install.sh', releasedInstallScript(version, sums));
keep('flake.nix', nixFlake(version, sums));
keep('Dockerfile', readFileSync('build/image/Dockerfile'));
// These name all platforms of their systems; with --only, some may be absent.
if (chosen.length === platforms.length) {
  keep(`${programName}.rb`, homebrewFormula(version, sums));
  keep(`${programName}.json`, scoopManifest(version, sums));
}
const lines = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, sum]) => `${sum}  ${name}\n`);
writeFileSync(join(assets, 'checksums.txt'), lines.join(''));

function chosenPlatforms(): readonly Platform[] {
  const { only } = values;
  const unknown = only?.filter((name) => platforms.every((platform) => platform.name !== name)) ?? [];
  if (unknown.length > 0)
    throw new Error(`There is no platform ${unknown.join(', ')}. Use ${platforms.map(({ name }) => name).join(', ')}.`);
  return platforms.filter(({ name }) => only === undefined || only.includes(name));
}

async function release(platform: Platform): Promise<void> {
  const executable = join(output, 'executables', platform.name, fileName(platform, programName));
  await buildExecutable(platform, executable);
  const name = archiveName(platform, version);
  keep(name, packArchive(platform, archiveFiles(platform, readFileSync(executable))));
  const megabytes = [executable, join(assets, name)].map((path) => `${Math.round(statSync(path).size / 1e6)} MB`);
  process.stdout.write(`${name}: ${megabytes.join(', packed ')}\n`);
}

/** The npm package. npm writes the same bytes for the same files. */
function packPackage(): Buffer {
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', assets], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return readFileSync(join(assets, packageName(version)));
}

function keep(name: string, content: Buffer | string): void {
  writeFileSync(join(assets, name), content);
  sums.set(name, sha256(content));
}
