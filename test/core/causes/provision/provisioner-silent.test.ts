import { expect, it } from 'vitest';
import { diagnose } from '../../../../src/core/engine/diagnose.ts';
import { loadScenario } from '../../../kit/scenario.ts';

const commandsOf = (id: string): string[] => {
  const scenario = loadScenario(id);
  const [item] = diagnose(scenario.snapshot, { targets: [scenario.target] }).report.items;
  return item?.findings.find(({ cause }) => cause === item.cause)?.fix.map(({ command }) => command ?? '') ?? [];
};

it('sends to the events first where events were not read, and to the decisive log line', () => {
  expect(commandsOf('provisioner-silent--events-not-read').slice(0, 2)).toEqual([
    'kubectl -n shop describe pvc data',
    'kubectl csi why pvc/data -n shop --logs',
  ]);
  expect(commandsOf('provisioner-silent')[0]).toBe('kubectl csi why pvc/data -n shop --logs');
});
