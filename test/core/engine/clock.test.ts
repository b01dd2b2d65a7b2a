import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../src/core/engine/diagnose.ts';
import { loadScenario, scenarioNow } from '../../kit/scenario.ts';

const day = 86_400_000;
const slow = loadScenario('in-progress--provisioning');

function statusAt(offset: number): string | undefined {
  const takenAt = new Date(Date.parse(scenarioNow) + offset).toISOString();
  const { report } = diagnose({ ...slow.snapshot, takenAt }, { targets: [slow.target] });
  return report.items[0]?.status;
}

describe('a claim that may still be on its way', () => {
  it('is waiting by the right clock, and by one that is some seconds behind', () => {
    expect(statusAt(0)).toBe('waiting');
    expect(statusAt(-30_000)).toBe('waiting');
  });

  // A proxy that answers from its cache sends the Date of the day on which it filled it.
  it('is unknown by a clock that says it is not created yet', () => {
    expect(statusAt(-day)).toBe('unknown');
  });
});

describe('a wait in a dump that may have been taken much later', () => {
  const judge = (minutes: number) => {
    const takenBefore = new Date(Date.parse(scenarioNow) + minutes * 60_000).toISOString();
    return diagnose({ ...slow.snapshot, takenBefore }, { targets: [slow.target] }).report.items[0];
  };

  it('is expected only if it still is at the latest time', () => {
    expect(judge(0)?.status).toBe('waiting');
    const item = judge(600);
    expect(item?.status).toBe('unknown');
    expect(item?.summary).toContain('--at');
    expect(item?.stages.map(({ state }) => state)).not.toContain('waiting');
  });

  it('for a first consumer has no limit', () => {
    const { snapshot, target } = loadScenario('wffc-no-consumer');
    const takenBefore = new Date(Date.parse(scenarioNow) + 600 * 60_000).toISOString();
    expect(diagnose({ ...snapshot, takenBefore }, { targets: [target] }).report.items[0]?.status).toBe('waiting');
  });
});
