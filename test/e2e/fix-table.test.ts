import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { firstSentence, numbersOf, readTable, rowOf, showNumbers, writeTable } from './fix-table.ts';
import type { FixResult } from './fix-result.ts';
import { isAsPredicted } from './run-fix.ts';
import { scenarios } from './scenarios/index.ts';

const page = 'Before.\n\n<!-- results -->\n<!-- end of results -->\n\nAfter.\n';
const healed: FixResult = {
  scenario: 'missing-class',
  cause: 'sc-missing',
  fix: 'Recreate the claim with class "fast": a class cannot be changed. It then binds.',
  how: 'executed',
  healedAfter: 5,
  reached: 'healthy',
  predicted: true,
};

describe('the table of fixes', () => {
  it('is read as it was written', () => {
    const rows = [healed, { ...healed, scenario: 'b', how: 'weak', reason: 'a | b' } as const].map(rowOf);
    const written = writeTable(page, rows, ['b', 'missing-class']);
    expect(readTable(written)).toEqual(rows.toReversed());
    expect(written).toMatch(/^Before\.\n/);
    expect(written).toMatch(/\nAfter\.\n$/);
  });

  it('keeps what was not run again, and forgets what is no longer a scenario', () => {
    const first = writeTable(page, [healed, { ...healed, scenario: 'old' }].map(rowOf), ['missing-class', 'old']);
    const second = writeTable(first, [rowOf({ ...healed, scenario: 'new' })], ['new', 'missing-class']);
    expect(readTable(second).map(({ scenario }) => scenario)).toEqual(['new', 'missing-class']);
  });

  it('counts what was carried out', () => {
    const results: readonly FixResult[] = [
      healed,
      { ...healed, how: 'human', reason: 'The key is known.', predicted: false },
      { ...healed, how: 'played', reason: 'It is a process.' },
      { scenario: 'x', cause: 'y', fix: '', how: 'weak', reason: 'no fix is printed' },
      { scenario: 'z', cause: 'y', fix: '', how: 'executed', problem: 'ends with 1' },
    ];
    expect(showNumbers(numbersOf(results.map(rowOf)))).toBe(
      '5 first fixes: 3 executed as printed (1 of them with a person), 1 played, 0 done by a person, 1 not carried out; 3 healed; 2 of 3 predictions correct',
    );
  });

  it('says in one line what happened, without the machine', () => {
    expect(rowOf({ ...healed, fix: 'Create\n/tmp/kubectl-csi-e2e-aB3/by-hand/x on node-a. Then wait.' }).fix).toBe(
      'Create /run/e2e/by-hand/x on node-a.',
    );
    expect(rowOf({ ...healed, reached: 'gone', lingered: 5, lingers: 'It starts.' }).healed).toBe(
      '5 s (gone); the old cause for 5 s: It starts.',
    );
    expect(firstSentence('Set hostpath.csi.k8s.io to 1.5Gi')).toBe('Set hostpath.csi.k8s.io to 1.5Gi');
  });

  it('in docs/fixes.md names scenarios that exist, and its numbers are those of its rows', () => {
    const published = readFileSync(join(import.meta.dirname, '../../docs/fixes.md'), 'utf8');
    const rows = readTable(published);
    const names = scenarios.map(({ name }) => name);
    for (const { scenario } of rows) expect(names).toContain(scenario);
    expect(published).toContain(showNumbers(numbersOf(rows)));
  });
});

describe('a prediction', () => {
  it('is right if the object gets into that state', () => {
    const healthy = { status: 'healthy', summary: 'pvc/data is bound.' } as const;
    expect(isAsPredicted(healthy, 'healthy', {})).toBe(true);
    expect(isAsPredicted(healthy, 'gone', {})).toBe(true);
    const waiting = { status: 'waiting', cause: 'wffc-no-consumer', summary: '' } as const;
    expect(isAsPredicted(waiting, 'healthy', {})).toBe(false);
    expect(isAsPredicted(waiting, 'waiting wffc-no-consumer', { cause: 'wffc-no-consumer' })).toBe(true);
  });
});
