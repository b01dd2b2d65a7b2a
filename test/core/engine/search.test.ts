import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../src/core/engine/diagnose.ts';
import { loadScenarios } from '../../kit/scenario.ts';

const stuck = loadScenarios().filter(
  ({ target, file }) =>
    file.expect.status === 'blocked' && (target.kind === 'Pod' || target.kind === 'PersistentVolumeClaim'),
);

describe('a search of a namespace', () => {
  it('never says that nothing is stuck where a question by name proves the opposite', () => {
    const silent = stuck.filter(({ snapshot, target: { namespace = 'default' } }) => {
      const { report } = diagnose(snapshot, { breadth: 'everything', namespace });
      return report.summary.blocked === 0;
    });
    expect(stuck.length).toBeGreaterThan(300);
    expect(silent.map(({ id }) => id)).toEqual([]);
  });
});
