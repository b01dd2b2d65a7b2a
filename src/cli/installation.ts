import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The directory of the package: one level above the bundle, two above this source file. */
export function installationRoot(): string {
  const candidates = ['..', '../..'].map((up) => join(import.meta.dirname, up, '/'));
  return candidates.find((directory) => existsSync(`${directory}oclif.manifest.json`)) ?? (candidates[0] as string);
}

/**
 * A file of the package, by its path in it; a single executable contains the files. Synchronous, because
 * node:fs/promises takes longer to load than any of these files takes to read.
 */
export function readInstalled(path: string): string {
  const { isSea, getAsset } = process.getBuiltinModule('node:sea');
  return isSea() ? getAsset(path, 'utf8') : readFileSync(join(installationRoot(), path), 'utf8');
}

/** The names of the files in a directory of the package. */
export function listInstalled(directory: string): string[] {
  const { isSea, getAssetKeys } = process.getBuiltinModule('node:sea');
  if (!isSea()) return readdirSync(join(installationRoot(), directory));
  return getAssetKeys()
    .filter((path) => path.startsWith(`${directory}/`))
    .map((path) => path.slice(directory.length + 1));
}

/** Whether this is a single executable, and not a directory with files. */
export function isExecutable(): boolean {
  return process.getBuiltinModule('node:sea').isSea();
}
