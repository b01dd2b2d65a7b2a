import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The directory of the package: one above the bundle, two above the sources. */
export function installationRoot(): string {
  const candidates = ['..', '../..'].map((up) => fileURLToPath(new URL(`${up}/`, import.meta.url)));
  return candidates.find((directory) => existsSync(`${directory}oclif.manifest.json`)) ?? (candidates[0] as string);
}
