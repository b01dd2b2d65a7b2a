import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { importOnUse, requireParts } from '../../build/lazy-causes.ts';
import { lazyStringWidth, leaveOut, requireOnUse } from '../../build/lazy-libraries.ts';
import { MatchCounts } from '../../build/match-counts.ts';
import { checkChosenFiles } from '../../build/options.ts';
import { escapeNonAscii } from '../../build/packs.ts';
import { openScreenLater } from '../../build/screen.ts';

/** Builds one module with a plugin, as build/bundle.ts does. */
async function bundle(
  contents: string,
  makePlugin: (counts: MatchCounts) => ReturnType<typeof leaveOut>,
): Promise<void> {
  const counts = new MatchCounts();
  await build({
    stdin: { contents, resolveDir: process.cwd(), sourcefile: 'src/terminal/written-by-the-test.ts' },
    bundle: true,
    write: false,
    logLevel: 'silent',
    platform: 'node',
    plugins: [makePlugin(counts)],
  });
  counts.check();
}

describe('a rewrite that a library update no longer fits fails the build and is named', () => {
  it('when it matches less often than before', () => {
    const counts = new MatchCounts();
    counts.expect('requires of a library', 3)(2);
    counts.expect('something else', 1)();
    expect(() => counts.check()).toThrow('"requires of a library" matched 2 times and 3 or more were expected');
  });

  it('when it matches nothing', () => {
    const counts = new MatchCounts();
    counts.expect('requires of a library', 1);
    expect(() => counts.check()).toThrow('"requires of a library" matched 0 times');
  });

  it('when a library is not imported any more', async () => {
    await expect(bundle('import "left-out"', (counts) => leaveOut(['left-out'], counts))).resolves.toBeUndefined();
    await expect(bundle('export {}', (counts) => leaveOut(['left-out'], counts))).rejects.toThrow(
      '"left-out left out"',
    );
    await expect(bundle('export {}', (counts) => lazyStringWidth(counts, 'inPlace'))).rejects.toThrow(
      '"string-width on use"',
    );
  });

  it('when another file of a library is chosen', () => {
    const expected = [{ rewrite: 'production build', chosen: /production/, not: /development/ }];
    expect(() => checkChosenFiles(['react.production.js'], expected)).not.toThrow();
    expect(() => checkChosenFiles(['react.js'], expected)).toThrow('"production build"');
    expect(() => checkChosenFiles(['react.production.js', 'react.development.js'], expected)).toThrow(
      'react.development.js is in the bundle',
    );
  });

  it('when an import of the causes is written in another way', () => {
    expect(() => importOnUse("import * as rules from './claim/index.ts';")).toThrow('cannot load this on use');
    expect(() => requireParts('requirePart(other("./claim.js"))')).toThrow('does not know how the bundler writes');
  });
});

describe('a rewrite', () => {
  it('requires a file where its name is used, and counts it', () => {
    const source =
      'const tslib_1 = require("tslib");\nconst os = require("os");\nexports.run = () => tslib_1.go(a.tslib_1, tslib_12);';
    const { text, matches } = requireOnUse(source, /\w+_1/);
    expect(matches).toBe(1);
    expect(text).toContain('const load_tslib_1 = () => (loaded_tslib_1 ??= require("tslib"));');
    expect(text).toContain('const os = require("os");');
    expect(text).toContain('() => (load_tslib_1()).go(a.tslib_1, tslib_12)');
  });

  it('imports rules where they are used, and makes the import synchronous', () => {
    const { text, matches } = importOnUse(
      "import type { A } from './a.ts';\nimport { b, c } from './d.ts';\nuse(() => b, c.b);",
    );
    expect({ text, matches }).toEqual({
      text: "import type { A } from './a.ts';\n\nuse(() => requirePart(import('./d.ts')).b, requirePart(import('./d.ts')).c.b);",
      matches: 2,
    });
    expect(requireParts('x(requirePart(import("./d.js")).b)')).toEqual({ text: 'x(require("./d.js").b)', matches: 1 });
  });

  it('opens the screen as an asynchronous part', () => {
    expect(openScreenLater('await import("tui")')).toEqual({ text: 'await openPartAsync("tui")', matches: 1 });
  });
});

describe('a pack', () => {
  it('holds ASCII only, and its regular expressions still match the same', () => {
    const code = '/^[✔→]$|^😀$/u';
    const escaped = escapeNonAscii(code);
    expect(escaped).toMatch(/^[\0-\x7f]*$/);
    const pattern = new Function(`return ${escaped}`)() as RegExp;
    expect(['✔', '→', '\u{1F600}', 'x'].map((text) => pattern.test(text))).toEqual([true, true, true, false]);
  });
});
