import { describe, expect, it } from 'vitest';
import { allCauses } from '../../../src/commands/causes/answer.ts';
import { stages } from '../../../src/commands/causes/stages.ts';
import { renderCauseList } from '../../../src/commands/causes/text.ts';
import { everyRule } from '../../../src/core/causes/index.ts';
import { runProgram } from '../../kit/run-program.ts';

const rows = allCauses(new Map());

describe('a cause that belongs to several stages', () => {
  it('is listed once, with each of them in their order', () => {
    expect(rows.filter(({ cause }) => cause === 'provisioner-not-running')).toEqual([
      expect.objectContaining({ stage: 'delete', stages: ['provision', 'mount', 'delete'] }),
    ]);
    expect(new Set(rows.map(({ cause }) => cause)).size).toBe(rows.length);
  });

  it('is found in each of them', async () => {
    for (const stage of ['provision', 'mount', 'delete']) {
      const { stdout, exitCode } = await runProgram(['causes', '--stage', stage, '-o', 'name']);
      expect(stdout.split('\n')).toContain('provisioner-not-running');
      expect(exitCode).toBe(0);
    }
  });

  it('is missing in no stage that a rule of it explains', () => {
    for (const { cause, stage } of everyRule())
      expect(rows.find((row) => row.cause === cause)?.stages, cause).toContain(stage);
  });

  it('keeps the table one word a column', () => {
    const text = renderCauseList(rows, { width: Infinity, colour: false, headers: false });
    expect(text).toMatch(/^provisioner-not-running +provision,mount,delete +blocking/m);
  });
});

it('names stages that exist, of which the first gives the place in the list', () => {
  const order: readonly string[] = [...stages, 'any'];
  expect(rows.flatMap((row) => row.stages).every((stage) => order.includes(stage))).toBe(true);
  const places = rows.map((row) => order.indexOf(row.stages[0] ?? ''));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
});
