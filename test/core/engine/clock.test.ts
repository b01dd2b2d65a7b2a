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
