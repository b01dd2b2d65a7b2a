import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { debianPackages } from './versions.ts';

export function missingPackages(): readonly string[] {
  return debianPackages.filter(({ file }) => !existsSync(file)).map((entry) => entry.package);
}

export function installCommand(packages: readonly string[]): string {
  return `apt-get install --yes --no-install-recommends ${packages.join(' ')}`;
}

/** Says what it runs, and lets it speak for itself. */
export async function installPackages(packages: readonly string[], say: (line: string) => void): Promise<void> {
  const command = installCommand(packages);
  say(`installing what this machine lacks: ${command}`);
  const [program = '', ...words] = command.split(' ');
  const code = await new Promise<number>((resolve, reject) => {
    const child = spawn(program, words, {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    child.on('error', reject);
    child.on('close', (status) => resolve(status ?? 1));
  });
  const left = missingPackages();
  if (code !== 0 || left.length > 0)
    throw new Error(
      `apt-get ended with ${code}, and ${left.join(', ') || 'nothing'} is still missing: apt-get update may be needed first`,
    );
}

export function isOnPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
