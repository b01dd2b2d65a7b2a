import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeKeptCode, encodeKeptCode } from '../../src/start/kept-code.ts';
import { Installation } from '../attack/cache/installation.ts';
import { poisonWorks, runAsRootWithForeignHome, runTampering } from '../attack/cache/run-cases.ts';
import { fewTamperings, isRoot } from '../attack/cache/tamperings.ts';

describe('a file with compiled code', () => {
  const code = Buffer.from(Array.from({ length: 300 }, (_, index) => (index * 7) % 256));
  const label = 'build/command/pack';
  const file = encodeKeptCode({ code, runs: 3 }, label);

  it('gives back what was written', () => {
    expect(decodeKeptCode(file, label)).toEqual({ code, runs: 3 });
  });
  it('does not pass with any single byte changed', () => {
    const passed = [...file.keys()].filter((at) => {
      const changed = Buffer.from(file);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      return decodeKeptCode(changed, label) !== undefined;
    });
    expect(passed).toEqual([]);
  });
  it('does not pass at any other length', () => {
    const passed = [...file.keys()].filter((length) => decodeKeptCode(file.subarray(0, length), label) !== undefined);
    expect(passed).toEqual([]);
    expect(decodeKeptCode(Buffer.concat([file, Buffer.of(0)]), label)).toBeUndefined();
  });
  it('does not pass for another build, command or pack', () => {
    for (const other of ['other/command/pack', 'build/other/pack', 'build/command/other'])
      expect(decodeKeptCode(file, other)).toBeUndefined();
  });
});

describe('a cache that was tampered with changes nothing (npm run attack has more)', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.create();
  });
  afterAll(() => installation.remove());

  it('while poisoned code in a private cache is loaded, so that these tests can fail', async () => {
    expect(await poisonWorks(installation)).toBeUndefined();
  });
  // Files of another owner can only be made by root.
  it.each(fewTamperings.filter(({ needsRoot }) => isRoot || needsRoot !== true))('$name', async (tampering) => {
    expect(await runTampering(installation, tampering)).toBeUndefined();
  });
  it.skipIf(!isRoot).each([true, false])(
    'under sudo, with the HOME of a user whose cache exists: %s (skipped unless root runs the tests)',
    async (hasCache) => {
      expect(await runAsRootWithForeignHome(installation, hasCache)).toBeUndefined();
    },
  );
});
