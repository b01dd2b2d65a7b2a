import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runProgram } from '../kit/run-program.ts';

it('compiled code is collected from the first four runs of a command, and then stays as it is', async () => {
  const cache = mkdtempSync(join(tmpdir(), 'kubectl-csi-kept-'));
  onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
  const keptFile = (): Buffer => {
    const found = readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('/main'));
    expect(found).toHaveLength(1);
    return readFileSync(join(cache, found[0]!));
  };
  const kept: Buffer[] = [];
  // A command that the build ships no code for.
  for (let run = 0; run < 6; run += 1) {
    expect(await runProgram(['completion', 'bash'], { env: { XDG_CACHE_HOME: cache } })).toMatchObject({ exitCode: 0 });
    kept.push(keptFile());
  }
  expect(kept.map((file) => file.at(-1))).toEqual([1, 2, 3, 4, 4, 4]);
  expect(kept[5]?.equals(kept[3]!)).toBe(true);
});
