import { expect, it } from 'vitest';
import { diagnose } from '../../../src/engine/diagnose.ts';
import { loadScenario } from '../../kit/scenario.ts';

it.each(['provisioner-driver-not-ready--cannot-start', 'driver-daemonset-pod-unhealthy--missing-secret'])('asks for no log of a container that never ran: %s', (id) => {
  const scenario = loadScenario(id);
  const [item] = diagnose(scenario.snapshot, { targets: [scenario.target] }).report.items;
  const commands = item?.findings.find(({ cause }) => cause === item.cause)?.fix.map(({ command }) => command ?? '') ?? [];
  expect(commands[0]).toContain('describe pod');
  expect(commands.filter((command) => command.includes(' logs '))).toEqual([]);
});
