import { createReadStream, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { exitCodeOf } from '../../src/cli/exit-codes.ts';
import { failureOf } from '../../src/cli/failures.ts';
import { diagnose } from '../../src/core/engine/diagnose.ts';
import { readFiles } from '../../src/io/files/read-files.ts';
import { defuse } from '../../src/terminal/defuse.ts';
import { sanitise } from '../../src/terminal/sanitise.ts';
import { renderText } from '../../src/terminal/verdict/text.ts';
import { hostileDumps } from './hostile-dumps/dumps.ts';
import { problemsOf } from './hostile-dumps/judge.ts';
import type { HostileDump } from './hostile-dumps/dumps.ts';
import type { Output } from './hostile-dumps/judge.ts';

const root = mkdtempSync(join(tmpdir(), 'kubectl-csi-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** `why-pending --from` without a process of its own: npm run attack starts the program. */
async function answer(dump: HostileDump, path: string): Promise<Output> {
  const notes: string[] = [];
  const stdin = dump.stdin === true ? createReadStream(path) : undefined;
  try {
    const snapshot = await readFiles([stdin ? '-' : path], {
      onNote: (line) => notes.push(`warning: ${sanitise(line)}`),
      ...(stdin && { stdin }),
    });
    const { report } = diagnose(snapshot, {});
    const text = renderText(report, { width: 100, colour: false, ascii: false, wide: false, named: false });
    return { exitCode: exitCodeOf(report), stdout: defuse(text), stderr: defuse(notes.join('\n')) };
  } catch (error) {
    const { exitCode, lines } = failureOf(error, 'why-pending', 0);
    return { exitCode, stdout: '', stderr: defuse(sanitise(lines.join('\n'), { newlines: true })) };
  }
}

describe('a hostile dump', () => {
  const dumps = hostileDumps();

  it('is one of many', () => {
    expect(dumps.length).toBeGreaterThanOrEqual(191);
    expect(new Set(dumps.map(({ name }) => name)).size).toBe(dumps.length);
    expect(dumps.filter(({ exit }) => exit.includes(0))).toEqual([]);
  });

  it.each(dumps.filter(({ large }) => large !== true).map((dump, index) => [dump.name, dump, index] as const))(
    '%s ends with one message and the right exit code',
    async (_name, dump, index) => {
      const directory = join(root, String(index));
      mkdirSync(directory);
      const output = await answer(dump, await dump.write(directory));
      expect(problemsOf(dump, output)).toEqual([]);
    },
  );
});
