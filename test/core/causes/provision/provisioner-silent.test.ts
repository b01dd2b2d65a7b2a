import { expect, it } from 'vitest';
import { diagnose } from '../../../../src/core/engine/diagnose.ts';
import { loadScenario } from '../../../kit/scenario.ts';

const commandsOf = (id: string): string[] => {
  const scenario = loadScenario(id);
  const [item] = diagnose(scenario.snapshot, { targets: [scenario.target] }).report.items;
  return item?.findings.find(({ cause }) => cause === item.cause)?.fix.map(({ command }) => command ?? '') ?? [];
};

it('sends to the events first where events were not read, and to what the provisioner logged about the claim', () => {
  expect(commandsOf('provisioner-silent--events-not-read').slice(0, 2)).toEqual([
    'kubectl -n shop describe pvc data',
    expect.stringContaining('kubectl -n storage logs csi-controller-6d5f7-x2x4z --all-containers'),
  ]);
  expect(commandsOf('provisioner-silent')[0]).toContain('kubectl -n storage logs csi-controller-6d5f7-x2x4z');
});
