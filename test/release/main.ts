import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildBinaries } from '../e2e/binaries.ts';
import { installers } from '../e2e/versions.ts';
import { cases } from './cases.ts';
import { startDemo } from './demo.ts';

/**
 * Tries the files of a release as users get them: `npm run release`, then `npm run release:try`. With --build it first builds krew and helm
 * from the Go module proxy; --only PATTERN chooses cases by name. Prints one line a case, and fails if one failed.
 */
const { values } = parseArgs({ options: { build: { type: 'boolean' }, only: { type: 'string' } } });
if (!existsSync('release/assets/checksums.txt')) throw new Error('There is no release: run npm run release first.');
if (values.build === true) await buildBinaries(installers, (line) => process.stdout.write(`${line}\n`));

const directory = mkdtempSync(join(tmpdir(), 'kubectl-csi-release-try-'));
const demo = await startDemo();
let failures = 0;
try {
  for (const { name, lacks, run } of cases) {
    if (values.only !== undefined && !new RegExp(values.only).test(name)) continue;
    const lacking = lacks?.();
    if (lacking !== undefined) {
      process.stdout.write(`- ${name}\n    skipped, because this machine lacks ${lacking}\n`);
      continue;
    }
    try {
      process.stdout.write(`✔ ${name}\n    ${await run({ directory, demo })}\n`);
    } catch (error) {
      failures += 1;
      process.stdout.write(`✖ ${name}\n    ${(error as Error).message.replaceAll('\n', '\n    ')}\n`);
    }
  }
} finally {
  await demo.stop();
  rmSync(directory, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;
