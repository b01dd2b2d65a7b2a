import { expect, it } from 'vitest';
import { diagnose } from '../../../../src/core/engine/diagnose.ts';
import { loadScenario } from '../../../kit/scenario.ts';

const commandsOf = (id: string): string[] => {
  const scenario = loadScenario(id);
  const [item] = diagnose(scenario.snapshot, { targets: [scenario.target] }).report.items;
  return item?.findings.find(({ cause }) => cause === item.cause)?.fix.map(({ command }) => command ?? '') ?? [];
};

it('sends to the events and both logs first where events were not read', () => {
  expect(commandsOf('provisioner-silent--events-not-read').slice(0, 3)).toEqual([
    expect.stringContaining('describe pvc data'),
    expect.stringContaining('-c csi-provisioner'),
    expect.stringContaining('-c driver'),
  ]);
  expect(commandsOf('provisioner-silent')[0]).toContain('-c csi-provisioner');
});
